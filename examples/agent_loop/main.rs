//! An agent that surveys a folder without any network, or does a task with a real model.
//!
//! - `cargo run --example agent_loop`
//! - `cargo run --example agent_loop -- --provider ollama --model qwen3 --stream --task "What is this project?"`

mod options;
mod report;
mod with_provider;
mod with_surveyor;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use agent_loop::{AgentLoop, JsonAnswer, Outcome, Status};
use clap::Parser;
use examples::terminal::{Bar, Steps, Words, cancel_on_interrupt, one_line, say, summary};
use tool_core::CancellationToken;

use self::options::Options;

/// The exit status of a run that used up its budget.
const BUDGET_EXCEEDED: u8 = 3;
/// The exit status of a run that cannot begin.
const CANNOT_BEGIN: u8 = 2;
/// The exit status of a program that was interrupted.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return cannot_begin(&format!("no threads can be started: {error}")),
    };
    let code = runtime
        .block_on(run(&options))
        .unwrap_or_else(|reason| cannot_begin(&reason));
    // A question that nobody answered still waits for the terminal; the program does not.
    runtime.shutdown_background();
    code
}

async fn run(options: &Options) -> Result<ExitCode, String> {
    let stop = CancellationToken::new();
    cancel_on_interrupt(stop.clone());
    report::check_place(options)?;
    if options.provider.is_some() {
        with_provider::run(options, &stop).await
    } else {
        with_surveyor::run(options, &stop).await
    }
}

/// Runs a task and prints its steps and its summary.
async fn drive(
    agent: AgentLoop,
    task: &str,
    options: &Options,
    bar: Bar,
    stop: &CancellationToken,
) -> Outcome {
    let words = Words::new();
    let mut agent = agent
        .max_turns(options.max_turns)
        .cancellation(stop.clone())
        .on_event(Steps::new(bar.clone(), words.clone()));
    if let Some(most) = options.max_total_tokens {
        agent = agent.max_total_tokens(most);
    }
    if options.json {
        agent = agent.json_answer(JsonAnswer::new());
    }
    let since = Instant::now();
    let outcome = agent.run(task).await;
    bar.hide();
    words.end();
    say("");
    // What was read as it came is not printed again, unless it was trimmed.
    let is_new = !words.were_shown() || outcome.trimmed.is_some();
    if let Some(answer) = outcome.answer.as_ref().filter(|_| is_new) {
        say(answer);
    }
    let line = summary(
        &outcome,
        options.max_turns,
        options.max_total_tokens,
        since.elapsed(),
    );
    say(&line);
    outcome
}

/// The exit status of an outcome; what went wrong is said in one line.
fn exit_code(outcome: &Outcome) -> ExitCode {
    if let Some(error) = &outcome.error {
        complain(&error.to_string());
    }
    match outcome.status {
        Status::Completed => ExitCode::SUCCESS,
        Status::BudgetExceeded => {
            complain("the budget is used up; allow more with --max-turns or --max-total-tokens");
            BUDGET_EXCEEDED.into()
        }
        Status::Cancelled => INTERRUPTED.into(),
        _ => ExitCode::FAILURE,
    }
}

/// Says in one line what went wrong.
fn complain(reason: &str) {
    let _ = writeln!(std::io::stderr(), "error: {}", one_line(reason, 500));
}

fn cannot_begin(reason: &str) -> ExitCode {
    complain(reason);
    CANNOT_BEGIN.into()
}
