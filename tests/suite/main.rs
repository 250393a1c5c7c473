//! Tests across crates, in one binary: `cargo test -p tests layers::`.

mod agent;
mod examples;
mod fuzz;
#[cfg(target_os = "linux")]
mod host_ends;
mod laws;
mod layers;
mod modules;
mod program;
mod providers;
mod readme;
mod toolbox;
mod toolsets;
