//! Command line for the libraries: list tools, call them, convert definitions for providers, decode
//! model responses.
//!
//! cargo run -p toolbox -- list
//!
//! The feature `full` adds the web, office documents, HTML, connectors and the ledger.

mod approval;
mod batch;
mod call;
mod completions;
mod convert;
mod decode;
mod encode;
mod failure;
mod input;
mod judge;
#[cfg(feature = "full")]
mod judge_url;
#[cfg(feature = "ledger")]
mod ledger;
#[cfg(feature = "ledger")]
mod ledger_options;
mod lines;
mod list;
mod mcp;
mod options;
mod output;
#[cfg(feature = "ledger")]
mod pending;
mod report;
mod runtime;
mod search;
mod serve;
#[cfg(feature = "http")]
mod serve_http;
#[cfg(feature = "ledger")]
mod serve_ledger;
#[cfg(feature = "full")]
mod services;
#[cfg(feature = "full")]
mod sign_in;
#[cfg(feature = "full")]
mod text;
mod tools;
mod validate;

use std::process::ExitCode;

use clap::{ArgAction, Parser, Subcommand};
use process_tree::ProcessTrees;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::failure::Failure;

/// List and call tools, and convert them to and from provider formats.
///
/// Data is written to standard output, everything else to standard error.
#[derive(Debug, Parser)]
#[command(
    name = "toolbox",
    after_help = r#"Example:
  toolbox call read '{"path": "README.md", "limit": 3}'"#
)]
struct Toolbox {
    /// Log to standard error; pass twice for details.
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
    Search(search::Search),
    Judge(judge::Judge),
    Serve(serve::Serve),
    Mcp(mcp::Mcp),
    #[cfg(feature = "full")]
    SignIn(sign_in::SignIn),
    #[cfg(feature = "ledger")]
    Pending(pending::Pending),
    Report(report::Report),
    Completions(completions::Completions),
    #[cfg(feature = "ledger")]
    Ledger(ledger::LedgerCommand),
    #[cfg(feature = "full")]
    Text(text::Text),
    /// Reads the pages of a PDF document, for `read`.
    #[cfg(feature = "full")]
    #[command(hide = true)]
    PdfText {
        #[arg(allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

/// Runs the command line.
#[must_use]
pub fn main() -> ExitCode {
    let toolbox = Toolbox::parse();
    // If this fails, the results of commands name a weaker mechanism.
    let _ = ProcessTrees::adopt_orphans();
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
            Self::Search(search) => search.run(),
            Self::Judge(judge) => judge.run(),
            Self::Serve(serve) => serve.run(),
            Self::Mcp(mcp) => mcp.run(),
            #[cfg(feature = "full")]
            Self::SignIn(sign_in) => sign_in.run(),
            #[cfg(feature = "ledger")]
            Self::Pending(pending) => pending.run(),
            Self::Report(report) => report.run(),
            Self::Completions(completions) => completions.run(),
            #[cfg(feature = "ledger")]
            Self::Ledger(ledger) => ledger.run(),
            #[cfg(feature = "full")]
            Self::Text(text) => text.run(),
            #[cfg(feature = "full")]
            Self::PdfText { arguments } => Ok(tools_builtin::files::pdf_text_program(arguments)),
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
