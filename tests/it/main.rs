//! The integration tests: one binary, so that it links once.

mod scans;
mod stdio;
mod support;
mod work_smoke;
