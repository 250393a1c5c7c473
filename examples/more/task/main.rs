//! An agent that surveys a directory without network access, or performs a task with a real model.
//!
//! - `cargo run -p examples --example task`
//! - `cargo run -p examples --example task --features http -- --provider ollama --model qwen3 --stream --task "What is this project?"`

mod options;
mod output;
#[cfg(feature = "http")]
mod record;
mod run_file;
#[cfg(feature = "http")]
mod with_provider;
mod with_surveyor;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use agent_loop::{AgentLoop, JsonReply, RunBuilder, RunOutcome, Status};
use clap::Parser;
use examples::terminal::{Bar, Steps, Words, cancel_on_interrupt, one_line, say, summary};
use process_tree::ProcessTrees;
use tool_core::CancellationToken;

use self::options::Options;

/// Exit status of a run that exceeded its budget.
const BUDGET_EXCEEDED: u8 = 3;
/// Exit status of a run that cannot start.
const CANNOT_START: u8 = 2;
/// Exit status of an interrupted program.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let options = Options::parse();
    // If this fails, the results of commands name a weaker mechanism.
    let _ = ProcessTrees::adopt_orphans();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return cannot_start(&format!("cannot start threads: {error}")),
    };
    let code = runtime
        .block_on(run(&options))
        .unwrap_or_else(|reason| cannot_start(&reason));
    // An unanswered prompt still reads from the terminal; do not wait for it.
    runtime.shutdown_background();
    code
}

async fn run(options: &Options) -> Result<ExitCode, String> {
    let stop = CancellationToken::new();
    cancel_on_interrupt(stop.clone());
    output::check_places(options)?;
    if options.model.provider.is_some() {
        #[cfg(feature = "http")]
        {
            with_provider::run(options, &stop).await
        }
        #[cfg(not(feature = "http"))]
        {
            Err(
                "--provider requires `cargo run -p examples --features http --example task`"
                    .to_owned(),
            )
        }
    } else {
        with_surveyor::run(options, &stop).await
    }
}

/// Runs a task and prints its steps and its summary.
///
/// # Errors
/// Returns a one-line message if the run cannot be recorded, or its report cannot be written.
async fn drive(
    agent: AgentLoop,
    start: impl for<'a> FnOnce(&'a AgentLoop) -> RunBuilder<'a>,
    options: &Options,
    bar: Bar,
    stop: &CancellationToken,
) -> Result<RunOutcome, String> {
    let (agent, record) = run_file::record(agent, options)?;
    let words = if options.json {
        Words::silent()
    } else {
        Words::new()
    };
    let mut agent = agent
        .max_turns(options.max_turns)
        .on_event(Steps::new(bar.clone(), words.clone()));
    if let Some(most) = options.max_total_tokens {
        agent = agent.max_total_tokens(most);
    }
    if options.json {
        agent = agent.json_reply(JsonReply::new());
    }
    let since = Instant::now();
    let outcome = start(&agent).cancellation(stop.clone()).await;
    bar.hide();
    words.end();
    bar.say("");
    // Streamed text is not printed again, unless it was trimmed.
    let is_new = !words.were_shown() || outcome.trimmed.is_some();
    if let Some(answer) = outcome.reply.as_ref().filter(|_| is_new) {
        say(answer);
    }
    let line = summary(
        &outcome,
        options.max_turns,
        options.max_total_tokens,
        since.elapsed(),
    );
    bar.say(&line);
    if let Some(error) = &outcome.recording_error {
        complain(&error.to_string());
    }
    record.report(options)?;
    Ok(outcome)
}

/// Returns the exit status for an outcome and prints its error on one line.
fn exit_code(outcome: &RunOutcome) -> ExitCode {
    if let Some(error) = &outcome.error {
        complain(&error.to_string());
    }
    match outcome.status {
        Status::Completed => ExitCode::SUCCESS,
        Status::BudgetExceeded => {
            complain("the budget is exceeded; raise it with --max-turns or --max-total-tokens");
            BUDGET_EXCEEDED.into()
        }
        Status::Cancelled => INTERRUPTED.into(),
        _ => ExitCode::FAILURE,
    }
}

/// Prints an error on one line.
fn complain(reason: &str) {
    let _ = writeln!(std::io::stderr(), "error: {}", one_line(reason, 500));
}

fn cannot_start(reason: &str) -> ExitCode {
    complain(reason);
    CANNOT_START.into()
}
