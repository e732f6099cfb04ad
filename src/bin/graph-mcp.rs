//! The `graph` binary under its second name.

#[path = "../main.rs"]
mod command;

fn main() -> std::process::ExitCode {
    command::main()
}
