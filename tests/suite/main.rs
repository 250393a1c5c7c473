//! Tests across crates, in one binary: `cargo test -p tests layers::`.

mod agent;
mod examples;
mod fuzz;
mod laws;
mod layers;
mod modules;
mod program;
mod providers;
mod readme;
mod toolbox;
mod toolsets;
