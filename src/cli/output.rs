//! The one place that prints: lines for people, JSON, and errors.
//!
//! Standard output is for data, standard error for messages. Colour is decoration on a terminal, never information.
//! Stored text is untrusted: it cannot move the cursor, hide itself or end a line early.

use std::{
    fmt::Display,
    io::{self, BufWriter, IsTerminal, Write},
    process::ExitCode,
};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::{Value, json};

use super::interrupt::STOPPED;
use crate::{
    base::{Error, Fault, Hint, hint::Part},
    config::ConfigError,
};

mod progress;
mod shown;

use shown::escape_json;

pub use progress::Progress;
pub use shown::{block, brief, plain, styled};

/// What heads a block or names a thing.
pub const STRONG: Style = Style::new().bold();
/// What may be skipped while reading.
pub const QUIET: Style = Style::new().dimmed();
/// Done, or in order.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Someone's attention is wanted.
pub const WARN: Style = AnsiColor::Yellow.on_default();
/// Wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What can be done or typed next.
pub const NEXT: Style = AnsiColor::Cyan.on_default();

/// Values that are listed where one was refused.
const ALLOWED: usize = 30;

/// How a command ended, when nothing failed on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// All well.
    Ok,
    /// It did its work and found something wrong.
    Violations,
}

/// What ended a command early.
#[derive(Debug)]
pub enum Failure {
    /// A setting cannot be used.
    Config(ConfigError),
    /// The command line does not make sense, in a way that its parser cannot see.
    Usage {
        /// What does not make sense.
        message: String,
        /// What would.
        hint: Hint,
    },
    /// A fault, or an internal error.
    Error(Error),
    /// The output, or a file, could not be written or read.
    Io(io::Error),
    /// Stopped with Ctrl-C, which needs no message.
    Stopped,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::Error(fault.into())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Failure::Config(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

/// The result of every command.
pub type Outcome = Result<Done, Failure>;

/// Where a command prints.
pub struct Output {
    /// Whether objects are wanted in place of lines.
    pub json: bool,
    /// Whether the tool that these objects are of puts them into an envelope.
    pub enveloped: bool,
    /// Fields of the tools, and the options that set them.
    pub fields: &'static [(&'static str, &'static str)],
    /// The options that name files on this command line.
    pub given: String,
    /// Whether standard output is a terminal, where JSON is indented.
    terminal: bool,
    out: Box<dyn Write>,
    err: Box<dyn Write>,
}

impl Output {
    /// Prints to this process's standard streams; colours where they are welcome.
    pub fn of_process(json: bool) -> Self {
        Output {
            json,
            enveloped: false,
            fields: &[],
            given: String::new(),
            terminal: io::stdout().is_terminal(),
            out: Box::new(BufWriter::new(AutoStream::auto(io::stdout()))),
            err: Box::new(AutoStream::auto(io::stderr())),
        }
    }

    /// Prints bytes for a program to standard output, where nothing is taken out for the sake of terminals.
    pub fn for_program() -> Self {
        Output { out: Box::new(BufWriter::new(io::stdout())), ..Self::of_process(false) }
    }

    /// One line for people.
    pub fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// An empty line between blocks.
    pub fn gap(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// A title over a block, with an empty line before it.
    pub fn heading(&mut self, title: &str) -> io::Result<()> {
        self.gap()?;
        self.line(styled(STRONG, title))
    }

    /// An object, on one line unless standard output is a terminal.
    pub fn object(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        let text = if self.terminal {
            serde_json::to_string_pretty(object)
        } else {
            serde_json::to_string(object)
        };
        let text = escape_json(&text.map_err(Error::from)?);
        Ok(writeln!(self.out, "{text}")?)
    }

    /// An object on one line, also on a terminal: one of a stream.
    pub fn object_line(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        let text = escape_json(&serde_json::to_string(object).map_err(Error::from)?);
        Ok(writeln!(self.out, "{text}")?)
    }

    /// Flushes what was printed, where more may come much later.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Whether standard output still has a reader; a closed pipe is otherwise noticed only when it is written to.
    #[cfg(unix)]
    pub fn has_reader(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = io::stdout();
        let mut ends = [PollFd::new(&stdout, PollFlags::empty())];
        let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        match poll(&mut ends, Some(&Timespec::default())) {
            Ok(_) => !ends[0].revents().intersects(gone),
            Err(_) => true,
        }
    }

    /// Whether standard output still has a reader; here only writing shows it.
    #[cfg(not(unix))]
    pub fn has_reader(&self) -> bool {
        true
    }

    /// Text or a script as it is, without an added line end.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Standard output for data that must come through byte for byte.
    pub fn data(&mut self) -> io::Result<impl Write + use<>> {
        self.out.flush()?;
        Ok(BufWriter::new(io::stdout()))
    }

    /// A command that names the same files as this one.
    pub fn command(&self, line: &str) -> String {
        match line.split_once("graph ") {
            Some((before, after)) if !self.given.is_empty() => {
                format!("{before}graph {} {after}", self.given)
            }
            _ => line.to_owned(),
        }
    }

    /// A hint in the words of a shell.
    pub fn hint(&self, hint: &Hint) -> String {
        let command = |line: &str| format!("`{}`", self.command(line)).into();
        hint.render(|part| match part {
            Part::Text(text) => text.into(),
            Part::Command(line) => command(line),
            Part::Tool { command: Some(line), .. } => command(line),
            Part::Tool { call, command: None } => command(&format!("graph tool {call}")),
        })
    }

    /// One line on standard error, beside the data.
    pub fn note(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.err, "{line}")
    }

    /// Whether a question can be answered at a terminal.
    pub fn can_ask(&self) -> bool {
        self.terminal && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a question; the answer is no unless it is yes.
    pub fn ask(&mut self, question: &str) -> io::Result<bool> {
        self.out.flush()?;
        write!(self.err, "{question} {QUIET}[y/N]{QUIET:#} ")?;
        self.err.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// A bar on standard error, where that is a terminal.
    pub fn progress(&self, title: &'static str) -> Progress {
        Progress::new(title, io::stderr().is_terminal() && !self.json)
    }

    /// Ends a command: flushes, prints the error, and returns the exit code. All exit codes are defined here.
    pub fn finish(mut self, outcome: Outcome, request: &str) -> ExitCode {
        let outcome = match (outcome, self.out.flush()) {
            (Ok(_), Err(error)) => Err(Failure::Io(error)),
            (outcome, _) => outcome,
        };
        let code = match outcome {
            Ok(Done::Ok) => 0,
            Ok(Done::Violations) => 1,
            // `graph log | head`: the reader has seen enough.
            Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Err(failure) => self.tell(failure, request),
        };
        // A stream that is closed cannot be flushed, and nothing is lost.
        let _ = self.out.flush();
        let _ = self.err.flush();
        ExitCode::from(code)
    }

    /// Prints a failure, as an object where objects were asked for; returns the exit code.
    fn tell(&mut self, failure: Failure, request: &str) -> u8 {
        let (code, fault) = match failure {
            Failure::Config(error) => {
                return self.complain(2, None, &error.message, [None, error.hint]);
            }
            Failure::Usage { message, hint } => {
                let hint = self.hint(&hint);
                return self.complain(2, None, &message, [None, Some(hint)]);
            }
            Failure::Stopped => return STOPPED,
            Failure::Io(error) => {
                let message = format!("cannot read or write: {error}");
                return self.complain(1, None, &message, [None, None]);
            }
            Failure::Error(Error::Fault(fault)) => (1, *fault),
            Failure::Error(error @ Error::Internal(_)) => {
                tracing::error!(request, "internal error, request {request}: {error}");
                (70, error.into_fault(request))
            }
        };
        if self.json {
            // The same object that the tool would have returned.
            let _ = self.object(&match self.enveloped {
                true => json!({ "success": false, "error": fault }),
                false => json!({ "error": fault }),
            });
            return code;
        }
        // Faults of storage name their file in the details only.
        let file = fault.details.as_ref().and_then(|details| details["file"].as_str());
        let message = match file {
            Some(file) if !fault.message.contains(file) => format!("{file}: {}", fault.message),
            _ => fault.message_naming(self.fields),
        };
        let hint = fault.hint.map(|hint| self.hint(&hint));
        let allowed = fault.details.as_ref().and_then(|details| allowed(details, &message));
        self.complain(code, Some(fault.code.as_str()), &message, [allowed, hint])
    }

    /// Prints an error and, where they are known, what is allowed and what to do.
    fn complain(
        &mut self,
        exit: u8,
        code: Option<&str>,
        message: &str,
        [allowed, hint]: [Option<String>; 2],
    ) -> u8 {
        let message = plain(message);
        let shown = match code {
            Some(code) => format!("{BAD}error{BAD:#}: {message} ({code})"),
            None => format!("{BAD}error{BAD:#}: {message}"),
        };
        let _ = writeln!(self.err, "{shown}");
        if let Some(allowed) = allowed {
            let _ = writeln!(self.err, "allowed: {}", plain(&allowed));
        }
        if let Some(hint) = hint {
            let _ = writeln!(self.err, "{NEXT}hint{NEXT:#}: {}", plain(&hint));
        }
        exit
    }
}

/// The values that a fault knows of and its message leaves out.
fn allowed(details: &Value, message: &str) -> Option<String> {
    let values = details["allowed"].as_array()?.iter();
    let values: Vec<_> =
        values.map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned)).collect();
    if values.is_empty() || values.iter().all(|value| message.contains(value.as_str())) {
        return None;
    }
    let more = match values.len().saturating_sub(ALLOWED) {
        0 => String::new(),
        more => format!(" … and {more} more"),
    };
    Some(format!("{}{more}", values[..values.len().min(ALLOWED)].join(", ")))
}

#[cfg(test)]
mod tests;
