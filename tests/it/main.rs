//! The integration tests: one binary, so that it links once.

mod support;
mod work;
