//! What the libraries do, from the command line: list tools, call them, see what a provider is told, replay what a
//! model answered.
//!
//! cargo run --example toolbox -- list

mod approval;
mod batch;
mod call;
mod convert;
mod decode;
mod encode;
mod failure;
mod input;
mod judge;
mod judge_url;
mod lines;
mod list;
mod network;
mod options;
mod output;
mod runtime;
mod search;
mod text;
mod tools;
mod validate;

use std::process::ExitCode;

use clap::{ArgAction, Parser, Subcommand};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::failure::Failure;

/// The tools, and what each provider makes of them, from the command line.
///
/// Data goes to standard output, everything else to standard error.
#[derive(Debug, Parser)]
#[command(
    name = "toolbox",
    after_help = r#"Example:
  toolbox call read_file '{"path": "README.md", "end_line": 3}'"#
)]
struct Toolbox {
    /// Writes to standard error what happens; given twice, in every detail.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::List),
    Call(call::Call),
    Batch(batch::Batch),
    Convert(convert::Convert),
    Decode(decode::Decode),
    Encode(encode::Encode),
    Validate(validate::Validate),
    Judge(judge::Judge),
    Text(text::Text),
}

fn main() -> ExitCode {
    let toolbox = Toolbox::parse();
    write_traces(toolbox.verbose);
    toolbox.command.run().unwrap_or_else(Failure::report)
}

impl Command {
    fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::List(list) => list.run(),
            Self::Call(call) => call.run(),
            Self::Batch(batch) => batch.run(),
            Self::Convert(convert) => convert.run(),
            Self::Decode(decode) => decode.run(),
            Self::Encode(encode) => encode.run(),
            Self::Validate(validate) => validate.run(),
            Self::Judge(judge) => judge.run(),
            Self::Text(text) => text.run(),
        }
    }
}

fn write_traces(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(std::io::stderr)
        .init();
}
