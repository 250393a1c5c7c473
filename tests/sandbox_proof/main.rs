//! Runs hostile commands through the `bash` tool in its default sandbox, and counts their effects.
//!
//! `tests/sandbox_proof.sh` builds a disposable root and runs this program in it. Under any other
//! name, the program is a stub that writes, reads and connects as its arguments suggest.

mod attacks;
mod check;
mod fuzz;
mod mutation;
mod place;
mod secrets;
mod services;
mod stub;
#[path = "../../crates/shell-verdict/src/tests"]
#[allow(dead_code, reason = "only some of the tables are used")]
mod tables {
    pub(crate) mod commands;
}
mod tools;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Counts the effects of hostile commands in the sandbox.
#[derive(Debug, Parser)]
struct Options {
    #[command(subcommand)]
    mode: Mode,
}

#[derive(Debug, Subcommand)]
enum Mode {
    /// Runs the attacks of the table.
    Attacks(attacks::Options),
    /// Runs mutated commands whose verdict is `allow` or `confine`.
    Fuzz(fuzz::Options),
}

fn main() -> ExitCode {
    let name = env::args_os().next().unwrap_or_default();
    let name = Path::new(&name).file_name().unwrap_or_default();
    if name != "stub" && name != "sandbox_proof" {
        return stub::run();
    }
    let options = Options::parse();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let held = runtime.block_on(async {
        match options.mode {
            Mode::Attacks(options) => attacks::run(&options).await,
            Mode::Fuzz(options) => fuzz::run(&options).await,
        }
    });
    ExitCode::from(u8::from(!held))
}
