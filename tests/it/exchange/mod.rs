//! Everything as records: `graph export`, `graph import`, backups and repairs.

mod conflict;
mod refused;
mod round_trip;
mod world;
