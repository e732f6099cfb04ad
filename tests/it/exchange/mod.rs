//! Everything as records: `graph export`, `graph import`, backups and repairs.

mod backup;
mod conflict;
mod fix;
mod foreign;
mod refused;
mod round_trip;
mod together;
mod world;
