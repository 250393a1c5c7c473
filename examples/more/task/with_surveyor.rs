//! Run without network access.

use std::process::ExitCode;

use agent_loop::{AgentLoop, Status, TerminalApprover};
use examples::surveyor::{self, REPORT, Surveyor};
use examples::terminal::{Bar, say};
use tempfile::TempDir;
use tool_core::CancellationToken;
use tools_builtin::Workspace;

use crate::options::Options;
use crate::{drive, exit_code, output};

/// Surveys the directory and leaves the report in a new directory.
///
/// # Errors
/// Returns a one-line message if the run cannot start or its result cannot be written.
pub async fn run(options: &Options, stop: &CancellationToken) -> Result<ExitCode, String> {
    let workspace = options.open_workspace()?;
    let folder = workspace.display_name();
    // Removed with its content, unless the survey is complete.
    let scratch = scratch()?;
    let place = Workspace::open(scratch.path()).map_err(|error| error.to_string())?;
    let bar = Bar::new();
    let registry = surveyor::tools(workspace, place)
        .map_err(|error| error.to_string())?
        .approver(TerminalApprover::new().before_prompt({
            let bar = bar.clone();
            move || bar.hide()
        }))
        .build();
    if options.task.is_some() {
        eprintln!("note: the surveyor ignores --task; set --provider to use a model");
    }
    let task = format!("Survey the directory `{folder}`.");
    say(&task);
    let agent = AgentLoop::new(registry, Surveyor::new(folder));
    let outcome = drive(agent, |agent| agent.run(&*task), options, bar, stop).await?;
    if outcome.status == Status::Completed {
        keep(options, scratch)?;
    }
    Ok(exit_code(&outcome))
}

fn scratch() -> Result<TempDir, String> {
    tempfile::Builder::new()
        .prefix("survey-")
        .tempdir()
        .map_err(|error| {
            format!(
                "cannot create a temporary directory: {error}; set TMPDIR to a writable directory"
            )
        })
}

fn keep(options: &Options, scratch: TempDir) -> Result<(), String> {
    let survey = scratch.keep().join(REPORT);
    say(&format!("Survey: {}", survey.display()));
    if let Some(file) = &options.output {
        let content = std::fs::read(&survey)
            .map_err(|error| format!("the survey cannot be read: {error}"))?;
        output::keep(file, &content)?;
        say(&format!("Copy: {}", file.display()));
    }
    Ok(())
}
