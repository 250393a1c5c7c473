//! `judge`: verdicts of the command filter and the address guard, without running anything.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shell_verdict::{CommandFilter, Finding};
use tools_builtin::Workspace;
use tools_builtin::shell::{Environment, workspace_filter};

use crate::failure::Failure;
#[cfg(feature = "full")]
use crate::judge_url::JudgeUrl;
use crate::lines::{self, FromLine};
use crate::output;

/// Reports whether input would be allowed, confined, require approval or be forbidden, and why.
#[derive(Debug, Args)]
pub(crate) struct Judge {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Command(JudgeCommand),
    #[cfg(feature = "full")]
    Url(JudgeUrl),
}

/// Checks each command on standard input like a command for a shell tool.
#[derive(Debug, Args)]
#[command(after_help = r#"Each line: {"id", "text"}

Example:
  echo '{"id": 1, "text": "ls | xargs sudo rm"}' | toolbox judge command --workspace ."#)]
struct JudgeCommand {
    /// Directory in which the commands would run.
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
}

impl Judge {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.what {
            What::Command(command) => command.run(),
            #[cfg(feature = "full")]
            What::Url(url) => url.run(),
        }
    }
}

impl JudgeCommand {
    fn run(self) -> Result<ExitCode, Failure> {
        let workspace = Workspace::open(&self.workspace)
            .map_err(|error| Failure::input("the workspace cannot be opened", error))?;
        let mut filter = workspace_filter(&workspace);
        if let Some(home) = Environment::of_host().value("HOME") {
            filter = filter.with_home(&home.to_string_lossy());
        }
        for line in lines::cases(io::stdin().lock()) {
            match line? {
                Ok(case) => output::line(&CommandAnswer::new(case, &filter))?,
                Err(unreadable) => output::line(&unreadable)?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Command or URL to check.
#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(default)]
    pub(crate) id: Value,
    pub(crate) text: String,
}

impl FromLine for Case {
    const FORM: &'static str = "Write one JSON object per line, with `id` and `text`.";

    fn from_members(_id: Value, members: Value) -> Result<Self, String> {
        Self::deserialize(members).map_err(|error| error.to_string())
    }
}

/// Verdict on one URL.
#[cfg(feature = "full")]
#[derive(Serialize)]
pub(crate) struct Answer {
    pub(crate) id: Value,
    pub(crate) verdict: &'static str,
    pub(crate) rule: Option<&'static str>,
    pub(crate) reason: Option<String>,
    pub(crate) span: Option<[usize; 2]>,
}

/// Verdict on one command, with the grants it needs.
#[derive(Serialize)]
struct CommandAnswer {
    id: Value,
    verdict: &'static str,
    grants: Vec<String>,
    findings: Vec<FindingAnswer>,
}

#[derive(Serialize)]
struct FindingAnswer {
    rule: &'static str,
    verdict: &'static str,
    part: String,
    reason: String,
    grants: Vec<String>,
    span: [usize; 2],
}

impl CommandAnswer {
    fn new(case: Case, filter: &CommandFilter) -> Self {
        let judgement = filter.judge(&case.text);
        Self {
            id: case.id,
            verdict: judgement.verdict().as_str(),
            grants: judgement.grants().iter().map(ToString::to_string).collect(),
            findings: judgement
                .findings()
                .iter()
                .map(FindingAnswer::new)
                .collect(),
        }
    }
}

impl FindingAnswer {
    fn new(finding: &Finding) -> Self {
        Self {
            rule: finding.rule().id(),
            verdict: finding.verdict().as_str(),
            part: finding.part().to_owned(),
            reason: finding.explanation().to_owned(),
            grants: finding.grants().iter().map(ToString::to_string).collect(),
            span: [finding.span().start, finding.span().end],
        }
    }
}
