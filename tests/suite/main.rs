//! Tests across crates, in one binary: `cargo test -p tests layers::`.

mod agent;
mod assistant;
mod chat;
mod definitions;
mod examples;
mod fuzz;
#[cfg(target_os = "linux")]
mod host_ends;
#[cfg(target_os = "linux")]
mod killed;
mod laws;
mod layers;
mod macros;
mod mistakes;
mod modules;
mod program;
mod promises;
mod providers;
mod public_api;
mod readme;
mod served;
mod starter;
mod steps;
#[cfg(target_os = "linux")]
mod terminal;
mod toolbox;
mod toolsets;
mod twenty_tasks;
