//! Tests that cross crates, in one binary: `cargo test -p tests layers::`.

mod agent;
mod contracts;
mod examples;
mod laws;
mod layers;
mod program;
mod providers;
mod readme;
mod toolbox;
