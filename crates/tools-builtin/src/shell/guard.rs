//! What the command filter says, told to model, approver and policy.

use std::borrow::Cow;
use std::iter;
use std::path::Path;

use serde_json::{Value, json};
use tool_core::approval::Assessment;
use tool_core::{ErrorCode, ToolError};

use super::environment::Environment;
use super::filter::{CommandFilter, Finding, Judgement, Rule, Verdict};
use super::program::Invocation;
use super::words;
use crate::workspace::{WorkingDirectory, Workspace};

/// How many reasons an approver is told.
const MOST_REASONS: usize = 3;

/// The filter of an engine, or none where the host switched it off.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guard(Option<CommandFilter>);

impl Guard {
    /// The standard filter for commands in a workspace.
    pub(crate) fn of(workspace: &Workspace, environment: &Environment) -> Self {
        Self(Some(CommandFilter::of_workspace(workspace))).at_home(environment)
    }

    pub(crate) fn with(filter: CommandFilter) -> Self {
        Self(Some(filter))
    }

    pub(crate) fn off() -> Self {
        Self(None)
    }

    /// The same for commands that see `environment`.
    pub(crate) fn at_home(self, environment: &Environment) -> Self {
        let home = environment.value("HOME").map(|home| home.to_string_lossy());
        Self(match (self.0, home) {
            (Some(filter), Some(home)) => Some(filter.with_home(&home)),
            (filter, _) => filter,
        })
    }

    /// Judges what is about to start in `folder`, which was asked for as `written`: where its links lead, if the filter
    /// knows that place.
    ///
    /// # Errors
    /// As those of [`assess_text`](Self::assess_text).
    pub(crate) fn check(
        &self,
        invocation: &Invocation,
        folder: &WorkingDirectory,
        written: &str,
    ) -> Result<(), ToolError> {
        let Some(filter) = &self.0 else {
            return Ok(());
        };
        let real = folder.real_path();
        let there = real.as_deref().and_then(Path::to_str);
        let there = there.map(|real| filter.clone().with_working_directory(real));
        let filter = match there.filter(CommandFilter::starts_inside) {
            Some(there) => Cow::Owned(there),
            None => in_directory(filter, written)?,
        };
        let judgement = match invocation {
            Invocation::Line(line) => filter.judge(line),
            Invocation::Program { name, arguments } => {
                let words: Vec<String> = iter::once(name).chain(arguments).cloned().collect();
                filter.judge_argv(&words)
            }
        };
        allowed(&judgement)
    }

    /// Judges a text for bash, which stands in the parameter `command`, as it would run in `directory`.
    ///
    /// # Errors
    /// [`ErrorCode::CommandForbidden`] with the reason, the offending part and what to do instead.
    pub(crate) fn assess_text(&self, text: &str, directory: &str) -> Result<Assessment, ToolError> {
        self.assess(
            directory,
            |filter| filter.judge(text),
            |command| {
                let line = command.map_or_else(|| text.to_owned(), words::join_part);
                vec![("command", json!(line))]
            },
        )
    }

    /// Judges a program with its arguments. `shown` gives the parameters that stand for one simple command.
    ///
    /// # Errors
    /// As those of [`assess_text`](Self::assess_text).
    pub(crate) fn assess_arguments(
        &self,
        arguments: &[String],
        directory: &str,
        shown: impl Fn(&[String]) -> Vec<(&'static str, Value)>,
    ) -> Result<Assessment, ToolError> {
        self.assess(
            directory,
            |filter| filter.judge_argv(arguments),
            |command| shown(command.unwrap_or(arguments)),
        )
    }

    fn assess(
        &self,
        directory: &str,
        judge: impl FnOnce(&CommandFilter) -> Judgement,
        shown: impl Fn(Option<&[String]>) -> Vec<(&'static str, Value)>,
    ) -> Result<Assessment, ToolError> {
        let Some(filter) = &self.0 else {
            return Ok(Assessment::default());
        };
        let judgement = judge(&*in_directory(filter, directory)?);
        allowed(&judgement)?;
        let mut assessment = Assessment::default();
        if let Some(worst) = judgement.worst() {
            let rule = format!("command_filter:{}", worst.rule());
            assessment = assessment.asking(rule, reasons(&judgement));
        }
        for command in judgement.commands() {
            assessment = assessment.with_part(shown(Some(command)));
        }
        if judgement.findings().iter().any(is_about_all) {
            assessment = assessment.with_part(shown(None));
        }
        Ok(assessment)
    }
}

/// The filter for commands that start in `directory`, as the model wrote it.
fn in_directory<'f>(
    filter: &'f CommandFilter,
    directory: &str,
) -> Result<Cow<'f, CommandFilter>, ToolError> {
    if directory == "." {
        return Ok(Cow::Borrowed(filter));
    }
    let there = filter.clone().with_working_directory(directory);
    if !there.starts_inside() {
        return Err(ToolError::path_outside_workspace("working_directory"));
    }
    Ok(Cow::Owned(there))
}

/// An error where something may not run.
fn allowed(judgement: &Judgement) -> Result<(), ToolError> {
    match judgement.worst() {
        Some(worst) if worst.verdict() == Verdict::Forbid => Err(forbidden(worst)),
        _ => Ok(()),
    }
}

/// Whether no single command shows what is asked about, so that only a rule that knows the whole text covers it.
fn is_about_all(finding: &Finding) -> bool {
    let rule = finding.rule();
    finding.part().is_empty()
        || matches!(rule, Rule::Syntax | Rule::ControlCharacter | Rule::Endless)
}

/// Why somebody should look, the worst first and each reason once.
fn reasons(judgement: &Judgement) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for finding in judgement.worst().into_iter().chain(judgement.findings()) {
        let reason = reason(finding);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let more = reasons.len().saturating_sub(MOST_REASONS);
    reasons.truncate(MOST_REASONS);
    if more > 0 {
        reasons.push(format!("and {more} more"));
    }
    reasons.join("; ")
}

fn reason(finding: &Finding) -> String {
    match finding.part() {
        "" => finding.rule().reason().to_owned(),
        part => format!("`{part}`: {}", finding.rule().reason()),
    }
}

fn forbidden(finding: &Finding) -> ToolError {
    let message = format!("is not allowed to run: {}", reason(finding));
    ToolError::about(ErrorCode::CommandForbidden, "command", message)
        .suggest(instead(finding.rule()))
}

/// What to do in place of what a rule forbids.
fn instead(rule: Rule) -> &'static str {
    match rule {
        Rule::Privilege => "Run it without other rights, or tell the user what is needed.",
        Rule::Delete => {
            "Name the files inside the workspace one by one, with paths that are written out."
        }
        Rule::WriteOutside => "Write below the workspace root, with a path that is written out.",
        Rule::DownloadRun => {
            "Save the download to a file, look at it, and ask the user before it is run."
        }
        Rule::Secret => "Do without the credentials, or ask the user for what is needed.",
        Rule::Permission => "Change rights of files in the workspace only.",
        Rule::Limit => "Split it into smaller commands, or write it to a script file first.",
        Rule::ForkBomb => "Start a known number of processes, and wait for them.",
        Rule::Unwanted => "Use another program.",
        _ => "Find another way inside the workspace, or tell the user what is needed.",
    }
}

#[cfg(test)]
mod tests;
