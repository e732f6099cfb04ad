//! Exchange: everything that is stored as a file of lines, and back.
//!
//! A file has one record a line between a header and a footer. A record is one thing of one domain. Where both sides
//! have a record, [`settle`] decides which of them stays.

mod format;
mod merge;
mod reader;
mod record;

pub(crate) use format::FOOTER;
pub use format::{Format, HEADER, format_of};
pub use merge::{Fate, Report, Tally, count, settle};
pub use reader::Lines;
pub(crate) use record::record;
pub use record::{Record, Stamp, changes, line};
