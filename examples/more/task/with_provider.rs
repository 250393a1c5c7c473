//! Run with a real model.

use std::process::ExitCode;

use agent_loop::{AgentLoop, ModelRetry, TerminalApprover};
use examples::provider;
use examples::terminal::Bar;
use tool_core::approval::{Policy, Rule, Verdict};
use tool_core::{CancellationToken, Registry, RiskLevel};
use tools_builtin::toolsets::{self, ToolGroup};
use tools_builtin::{Kit, Workspace};

use crate::options::Options;
use crate::{drive, exit_code, output, record};

const TASK: &str =
    "Describe the content of this directory in a few sentences. Read files before you answer.";
const SYSTEM: &str =
    "You work in one directory with the given tools. Paths are relative to it. Be brief.";
const AS_JSON: &str = "Your final answer is one JSON object or array, without any other text.";

/// Performs the task with the standard tools. Writing requires approval at the terminal.
///
/// # Errors
/// Returns a one-line message if the run cannot start or its result cannot be written.
pub async fn run(options: &Options, stop: &CancellationToken) -> Result<ExitCode, String> {
    let workspace = options.open_workspace()?;
    let model = provider::model(&options.model)?;
    let bar = if options.json {
        Bar::on_stderr()
    } else {
        Bar::new()
    };
    let registry = registry(workspace, bar.clone())?;
    let task = options.task.as_deref().unwrap_or(TASK);
    bar.say(task);
    let system = if options.json {
        format!("{SYSTEM} {AS_JSON}")
    } else {
        SYSTEM.to_owned()
    };
    let agent = AgentLoop::new(registry, model)
        .system(system)
        .retry(ModelRetry::attempts(options.model.attempts));
    let (agent, saved) = record::recorded(agent, options)?;
    let outcome = drive(
        agent,
        |agent| record::start(agent, task, saved, options),
        options,
        bar,
        stop,
    )
    .await?;
    if let (Some(file), Some(answer)) = (&options.output, &outcome.reply) {
        output::keep(file, format!("{answer}\n").as_bytes())?;
    }
    Ok(exit_code(&outcome))
}

fn registry(workspace: Workspace, bar: Bar) -> Result<Registry, String> {
    let kit = Kit::new(workspace);
    let toolset = toolsets::standard(&kit)
        .and_then(|toolset| ToolGroup::Plan.add_to(toolset, &kit))
        .map_err(|error| error.to_string())?;
    // The plan is part of the conversation, not a file of the user.
    let plan = Rule::new("plan", "plan", Verdict::Allow);
    let policy = Policy::default()
        .with_verdict(RiskLevel::SafeWrite, Verdict::Ask)
        .with_rule(plan);
    let builder = Registry::builder()
        .policy(policy)
        .approver(approver(bar))
        .toolset(&toolset)
        .map_err(|error| error.to_string())?;
    Ok(builder.build())
}

/// Prompts where the progress is shown.
fn approver(bar: Bar) -> TerminalApprover {
    let approver = if bar.is_on_stderr() {
        TerminalApprover::new().on_stderr()
    } else {
        TerminalApprover::new()
    };
    approver.before_prompt(move || bar.hide())
}
