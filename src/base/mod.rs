//! Shared concepts, one implementation each. Nothing here does IO or knows a domain.

pub mod code;
pub mod ctx;
pub mod domain;
pub mod error;
pub mod globs;
pub mod hint;
pub mod ids;
pub mod page;
pub mod paths;
pub mod progress;
pub mod props;
pub mod text;
pub mod time;
pub mod unique;
pub mod version;
pub mod wire;
pub mod yaml;

pub use code::ErrorCode;
pub use ctx::Ctx;
pub use domain::Domain;
pub use error::{Error, Fault, Result};
pub use hint::Hint;
pub use progress::Progress;
pub use time::Timestamp;
