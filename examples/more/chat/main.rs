//! A conversation at the terminal with tools, approvals, a transcript and a report.
//!
//! - `cargo run -p examples --example chat`
//! - `cargo run -p examples --example chat --features http -- --provider ollama --model qwen3 --transcript chat.jsonl`

mod prompt;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use agent_loop::{
    AgentLoop, Model, RecordedRun, RunBuilder, RunOutcome, RunReport, SavedRun, TerminalApprover,
    TranscriptFile,
};
use clap::Parser;
use examples::gardener::{COMMANDS, Gardener};
use examples::provider::ProviderOptions;
use examples::terminal::{Bar, Steps, Words, cancel_on_interrupt, one_line, say};
use provider_adapters::Message;
use tempfile::TempDir;
use tool_core::approval::{Policy, Rule, Verdict};
use tool_core::{CancellationToken, Registry, RiskLevel};
use tools_builtin::toolsets::{self, ToolGroup};
use tools_builtin::{Kit, Workspace};

use prompt::Prompt;

const SYSTEM: &str =
    "You help in one directory with the given tools. Paths are relative to it. Be brief.";

/// A conversation at the terminal. Without a provider no model runs, and a script replies.
///
/// `exit`, `quit`, Ctrl-D and Ctrl-C end the conversation; transcript and report are kept. Writing requires approval.
#[derive(Debug, Parser)]
#[command(name = "chat")]
struct Options {
    /// Directory to work in.
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    #[command(flatten)]
    model: ProviderOptions,
    /// File that records the conversation. A new file is created.
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Continue the conversation in the file of --transcript.
    #[arg(long, requires = "transcript")]
    resume: bool,
    /// File for an HTML report of the conversation, written at its end.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

#[tokio::main]
async fn main() {
    let code = match chat(&Options::parse()).await {
        Ok(()) => 0,
        Err(reason) => {
            eprintln!("error: {}", one_line(&reason, 500));
            1
        }
    };
    // Not by a return, which would wait for a thread that still reads the input.
    std::process::exit(code);
}

async fn chat(options: &Options) -> Result<(), String> {
    let bar = Bar::new();
    let (agent, mut saved) = agent(options, &bar)?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let record = scratch.path().join("run.jsonl");
    let agent = match &options.report {
        Some(_) => agent
            .record_to(&record)
            .map_err(|error| error.to_string())?,
        None => agent,
    };
    // Ctrl-C ends the chat like `exit`, so that transcript and report are complete.
    let stop = CancellationToken::new();
    cancel_on_interrupt(stop.clone());
    if is_unfinished(&saved) {
        saved = finish(agent.resume_saved(saved), &stop, &bar).await;
    }
    let mut prompt = Prompt::new();
    while let Some(message) = prompt.read(&stop).await {
        let run = if saved.transcript.messages().is_empty() {
            agent.run(message)
        } else {
            agent.resume_saved(saved).with_message(message)
        };
        saved = finish(run, &stop, &bar).await;
    }
    match &options.report {
        Some(report) => write_report(&scratch, report),
        None => Ok(()),
    }
}

/// Returns whether the last run stopped before its answer.
fn is_unfinished(saved: &SavedRun) -> bool {
    match saved.transcript.messages().last() {
        Some(Message::Assistant { calls, .. }) => !calls.is_empty(),
        Some(Message::User { .. } | Message::Tool { .. }) => true,
        _ => false,
    }
}

/// Performs a run, prints its end, and returns the conversation so far.
async fn finish(run: RunBuilder<'_>, stop: &CancellationToken, bar: &Bar) -> SavedRun {
    let outcome = run.cancellation(stop.clone()).await;
    bar.hide();
    print_end(&outcome);
    let mut saved = SavedRun::default();
    saved.transcript = outcome.transcript;
    saved
}

/// Returns the agent, and the conversation so far.
fn agent(options: &Options, bar: &Bar) -> Result<(AgentLoop, SavedRun), String> {
    let workspace = Workspace::open(&options.workspace)
        .map_err(|error| format!("{error}; set --workspace to a readable directory"))?;
    let kit = Kit::new(workspace);
    let toolset = toolsets::standard(&kit)
        .and_then(|toolset| ToolGroup::Plan.add_to(toolset, &kit))
        .map_err(|error| error.to_string())?;
    let built = Arc::new(OnceLock::new());
    // The plan is part of the conversation, not a file of the user.
    let policy = Policy::default()
        .with_verdict(RiskLevel::SafeWrite, Verdict::Ask)
        .with_rule(Rule::new("plan", "plan", Verdict::Allow));
    let registry = Registry::builder()
        .policy(policy)
        .approver(approver(bar, &built))
        .toolset(&toolset)
        .map_err(|error| error.to_string())?
        .build();
    let registry = built.get_or_init(|| registry).clone();
    let agent = AgentLoop::new(registry, model(options)?)
        .system(SYSTEM)
        .on_event(Steps::new(bar.clone(), Words::new()));
    let Some(path) = &options.transcript else {
        return Ok((agent, SavedRun::default()));
    };
    if path.exists() && !options.resume {
        return Err(format!(
            "`{}` exists; add --resume to continue it",
            path.display()
        ));
    }
    let (file, saved) = TranscriptFile::open(path)
        .map_err(|error| format!("`{}` cannot be used: {error}", path.display()))?;
    Ok((agent.checkpoint(file), saved))
}

/// Returns the approver, which adds the rules that a person accepts to the registry.
fn approver(bar: &Bar, built: &Arc<OnceLock<Registry>>) -> TerminalApprover {
    let (bar, built) = (bar.clone(), Arc::clone(built));
    TerminalApprover::new()
        .before_prompt(move || bar.hide())
        .on_rule(move |rule| {
            if let Some(registry) = built.get() {
                registry.edit_policy(|policy| policy.rules.push(rule));
            }
        })
}

fn model(options: &Options) -> Result<Arc<dyn Model>, String> {
    let leave = "Leave with `exit`, `quit` or Ctrl-D.";
    if options.model.provider.is_none() {
        say("No model runs: a script replies. Add --provider and --model for a real one.");
        say(&format!("{COMMANDS} {leave}"));
        return Ok(Arc::new(Gardener));
    }
    say(leave);
    #[cfg(feature = "http")]
    {
        Ok(Arc::new(examples::provider::model(&options.model)?))
    }
    #[cfg(not(feature = "http"))]
    {
        Err("--provider requires `cargo run -p examples --features http --example chat`".to_owned())
    }
}

fn print_end(outcome: &RunOutcome) {
    if let Some(answer) = &outcome.reply {
        say(answer);
    }
    if let Some(error) = &outcome.error {
        eprintln!("error: {}", one_line(&error.to_string(), 500));
    }
}

fn write_report(record: &TempDir, report: &PathBuf) -> Result<(), String> {
    let runs = RecordedRun::read_all(record.path().join("run.jsonl"));
    let runs = runs.map_err(|error| error.to_string())?;
    std::fs::write(report, RunReport::new(&runs).to_html())
        .map_err(|error| format!("`{}` cannot be written: {error}", report.display()))?;
    say(&format!("Report: {}", report.display()));
    Ok(())
}
