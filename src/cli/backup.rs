//! `graph backup`: a verified copy of the database, while others go on writing it.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::base::Error;

use super::{
    Shell,
    format::size,
    interrupt::Stop,
    output::{Done, NEXT, Outcome, STRONG, plain, styled},
};

/// Where to.
#[derive(Debug, Args)]
pub struct Backup {
    /// File to make
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

/// Makes the copy, and says how to get it back.
pub fn run(ask: &Backup, shell: &mut Shell) -> Outcome {
    shell.check_there()?;
    let stop = Stop::on_interrupt()?;
    let mut bar = shell.out.progress("copying");
    let show = |done, all| {
        bar.show(done, all);
        // What is given up leaves nothing behind.
        if stop.is_pressed() { Err(Error::internal("stopped")) } else { Ok(()) }
    };
    let made = shell.app.back_up(&shell.ctx, &ask.file, ask.force, show);
    bar.clear();
    stop.check()?;
    let made = made?;
    let database = shell.app.config().db_path.value.display().to_string();
    let file = ask.file.display().to_string();
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "file": file, "database": database, "copy": made }))?;
        return Ok(Done::Ok);
    }
    let shown = styled(STRONG, plain(&file)).to_string();
    out.line(format_args!(
        "{shown}  {}, {} rows in {} tables, no damage found",
        size(made.bytes),
        made.rows,
        made.tables
    ))?;
    let restore = format!("graph --db {} doctor", plain(&file));
    out.line(format_args!("look at it: {}", styled(NEXT, restore)))?;
    let database = plain(&database);
    out.line(format_args!(
        "restore it: stop every server, remove {database}-wal and {database}-shm, and copy it over {database}"
    ))?;
    Ok(Done::Ok)
}
