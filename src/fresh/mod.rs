//! Freshness: whether the files that an entry describes have changed since it was confirmed.
//!
//! A caller that writes knowledge about files says that it is true of them as they are now. This is kept as a
//! *confirmation*: the commit, and what each of the files held. An answer compares it with the working tree of its
//! caller and says `fresh`, `changed` or `unknown`. Reading refreshes nothing.
//!
//! # Invariants
//!
//! - Outside git there are no confirmations and no marks, and no file is looked at.
//! - A file is compared by its content. As long as size and time are those that were kept it is not opened; so a
//!   `touch`, a commit, or a branch and back leave a thing fresh.
//! - A file that is gone has changed. So has one that is new and belongs to the area: directories are kept as well, and only
//!   where one of them looks different is the area looked through again. What git ignores belongs to no area, unless it
//!   is named in full.
//! - The work is bounded. What has too many files to be confirmed (`confirm.rs`), or comes after an answer has looked at
//!   enough (`mark.rs`), is `unknown`. New files in an area that is too large to be searched are not reported.
//! - Nothing is followed out of the working tree, and nothing is opened that is not a file of a bounded size.

mod about;
mod confirm;
mod directory;
mod listings;
mod mark;
mod store;
mod tree;

pub use about::About;
pub use confirm::Confirming;
pub use directory::{Stands, stands_for};
pub use mark::{Freshness, Marks, State};
