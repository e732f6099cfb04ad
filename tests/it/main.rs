//! The integration tests: one binary, so that it links once.

mod model;
mod support;
mod work_smoke;
