//! Tests through the public API, in one binary: `cargo test -p tool-core arguments::`.

mod arguments;
mod coercion_fuzz;
mod modules;
mod shapes;
mod unions;
