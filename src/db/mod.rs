//! The SQLite kernel: opening, migrating, transactions, events, search. It knows no domain.

mod backup;
mod checkpoint;
mod error;
mod events;
mod file;
mod functions;
pub mod inspect;
mod migrate;
mod names;
mod open;
mod recount;
mod row;
mod scalar;
mod search;
mod texts;
mod tx;

pub use backup::{BackedUp, back_up, check_backup_target};
pub use events::{
    Event, EventRow, UPDATED_BY, Wanted, author, between, history, last_event, later, of_subject,
    recent, title,
};
pub use migrate::{MIGRATIONS, Migration};
pub(crate) use names::{Key, Source, beginning};
pub use names::{Named, Names, named};
pub use open::{Db, Interrupt, Options, Patience};
pub use recount::{Check, found, recount, repaired};
pub(crate) use row::{Cells, json, row};
pub(crate) use scalar::{is_rounded, scalar};
pub(crate) use search::subjects_sql;
pub use search::{CHECKS as SEARCH_CHECKS, Fit, Hit, IndexedText, Needle, Question, find};
pub use tx::{Read, Write};
