//! Exchange: everything that is stored as a file of lines, and back.
//!
//! A file has one record a line between a header and a footer. A record is one thing of one domain. A domain says what
//! its records are ([`Records`]) and what becomes of one that is imported ([`Incoming`], [`Writable`]).

mod export;
mod format;
mod import;
mod merge;
mod reader;
mod record;

pub use export::{Exported, Out, Records, export, types, unwritable};
pub use format::{Format, HEADER, format_of};
pub use import::{Import, Incoming, Writable, author, import, imported, missing};
pub use merge::{Fate, Report, Tally, settle};
pub use reader::Lines;
pub(crate) use record::record;
pub use record::{Record, Stamp, changes, line};
