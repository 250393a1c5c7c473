//! Command filter results as errors and approval requests.

use std::borrow::Cow;
use std::iter;
use std::path::Path;

use serde_json::{Value, json};
use shell_verdict::{
    CommandFilter, CommandRule, CommandVerdict, Finding, Grant, Judgement, MAX_FINDINGS, words,
};
use tool_core::approval::Assessment;
use tool_core::{ErrorCode, RiskLevel, ToolError};

use super::environment::Environment;
use super::program::Invocation;
use crate::workspace::{Root, WorkingDirectory, Workspace};

/// Maximum number of reasons shown to an approver.
const MOST_REASONS: usize = 3;

/// Returns the filter for commands in a workspace: they may write below its writable roots and
/// require approval to change its protected names.
///
/// # Examples
/// ```
/// use shell_verdict::CommandVerdict;
/// use tool_test::Scratch;
/// use tools_builtin::shell::{RunCommand, workspace_filter};
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new();
/// let workspace = Workspace::open(scratch.path())?;
/// let filter = workspace_filter(&workspace).with_allowed_program("terraform");
/// assert_eq!(filter.judge("touch ./a").verdict(), CommandVerdict::Confine);
/// assert_eq!(filter.judge("touch /opt/a").verdict(), CommandVerdict::Ask);
/// let run_command = RunCommand::new(workspace).with_filter(filter);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn workspace_filter(workspace: &Workspace) -> CommandFilter {
    let (read_only, writable): (Vec<_>, Vec<_>) =
        workspace.roots().partition(|root| root.is_read_only());
    let mut filter = CommandFilter::standard(paths(&writable));
    for path in paths(&read_only) {
        filter = filter.with_read_only_root(&path);
    }
    // Commands start in the first root, even if it is read-only.
    if let Some(first) = workspace.roots().next() {
        filter = filter.with_working_directory(&first.real_path().to_string_lossy());
    }
    let names = workspace.protected_names();
    names.fold(filter, CommandFilter::with_protected_name)
}

/// Returns the paths of `roots`, with links resolved and as configured.
fn paths(roots: &[&Root]) -> impl Iterator<Item = String> {
    let both = |root: &&Root| {
        [root.real_path(), root.path()].map(|path| path.to_string_lossy().into_owned())
    };
    roots.iter().flat_map(both)
}

/// Filter of a tool, or `None` if the host disabled it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guard(Option<CommandFilter>);

impl Guard {
    pub(crate) fn of(workspace: &Workspace, environment: &Environment) -> Self {
        Self(Some(workspace_filter(workspace))).at_home(environment)
    }

    pub(crate) fn with(filter: CommandFilter) -> Self {
        Self(Some(filter))
    }

    pub(crate) fn off() -> Self {
        Self(None)
    }

    /// Forbids literal paths outside the workspace.
    #[cfg(feature = "document-sets")]
    pub(crate) fn within_workspace(self) -> Self {
        let outside = [CommandRule::ReadOutside, CommandRule::WriteOutside];
        let forbidden = |filter| {
            outside
                .into_iter()
                .fold(filter, |filter: CommandFilter, rule| {
                    filter.with_verdict(rule, CommandVerdict::Forbid)
                })
        };
        Self(self.0.map(forbidden))
    }

    /// Sets the home directory of the filter to `HOME` of `environment`.
    pub(crate) fn at_home(self, environment: &Environment) -> Self {
        let home = environment.value("HOME").map(|home| home.to_string_lossy());
        Self(match (self.0, home) {
            (Some(filter), Some(home)) => Some(filter.with_home(&home)),
            (filter, _) => filter,
        })
    }

    /// Checks a command before it starts in `directory`, which the model requested as `written`. The
    /// filter uses the resolved path of `directory` if it is in the workspace. Returns the grants
    /// that the findings about the command need, and none if the filter is disabled.
    ///
    /// # Errors
    /// Returns an error if the filter forbids the command, or if `written` is outside the
    /// workspace.
    pub(crate) fn check(
        &self,
        invocation: &Invocation,
        directory: &WorkingDirectory,
        written: &str,
    ) -> Result<Vec<Grant>, ToolError> {
        let Some(filter) = &self.0 else {
            return Ok(Vec::new());
        };
        let real = directory.real_path();
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
        allowed(&judgement)?;
        Ok(grants(&judgement))
    }

    /// Checks the `command` parameter of a bash call in `directory`. `is_confined` is whether a
    /// sandbox is enforced; without it, confined commands require approval.
    ///
    /// # Errors
    /// Returns [`ErrorCode::CommandForbidden`] with the reason, the offending part and an
    /// alternative.
    pub(crate) fn assess_text(
        &self,
        text: &str,
        directory: &str,
        is_confined: bool,
    ) -> Result<Assessment, ToolError> {
        self.assess(
            directory,
            is_confined,
            |filter| filter.judge(text),
            |command| {
                let line = command.map_or_else(|| text.to_owned(), words::join_part);
                vec![("command", json!(line))]
            },
        )
    }

    /// Checks a program with its arguments. `shown` returns the parameters for one simple command.
    ///
    /// # Errors
    /// Like [`assess_text`](Self::assess_text).
    pub(crate) fn assess_arguments(
        &self,
        arguments: &[String],
        directory: &str,
        is_confined: bool,
        shown: impl Fn(&[String]) -> Vec<(&'static str, Value)>,
    ) -> Result<Assessment, ToolError> {
        self.assess(
            directory,
            is_confined,
            |filter| filter.judge_argv(arguments),
            |command| shown(command.unwrap_or(arguments)),
        )
    }

    /// Returns the risk of a bash call: reading if the filter allows it, a safe write if a sandbox
    /// confines it.
    pub(crate) fn risk_of_text(&self, text: &str, directory: &str, is_confined: bool) -> RiskLevel {
        self.risk(directory, is_confined, |filter| filter.judge(text))
    }

    /// Like [`risk_of_text`](Self::risk_of_text), but for a program with its arguments.
    pub(crate) fn risk_of_arguments(
        &self,
        arguments: &[String],
        directory: &str,
        is_confined: bool,
    ) -> RiskLevel {
        self.risk(directory, is_confined, |filter| {
            filter.judge_argv(arguments)
        })
    }

    fn risk(
        &self,
        directory: &str,
        is_confined: bool,
        judge: impl FnOnce(&CommandFilter) -> Judgement,
    ) -> RiskLevel {
        let Some(filter) = &self.0 else {
            return RiskLevel::Dangerous;
        };
        let verdict = in_directory(filter, directory).map(|filter| judge(&filter).verdict());
        match verdict {
            Ok(CommandVerdict::Allow) => RiskLevel::ReadOnly,
            Ok(CommandVerdict::Confine) if is_confined => RiskLevel::SafeWrite,
            _ => RiskLevel::Dangerous,
        }
    }

    fn assess(
        &self,
        directory: &str,
        is_confined: bool,
        judge: impl FnOnce(&CommandFilter) -> Judgement,
        shown: impl Fn(Option<&[String]>) -> Vec<(&'static str, Value)>,
    ) -> Result<Assessment, ToolError> {
        let Some(filter) = &self.0 else {
            return Ok(Assessment::default());
        };
        let judgement = judge(&*in_directory(filter, directory)?);
        allowed(&judgement)?;
        let mut assessment = named(&judgement);
        if let Some(worst) = judgement.worst()
            && asks(worst.verdict(), is_confined)
        {
            assessment = assessment.asking(name(worst.rule()), reasons(&judgement));
        }
        for command in judgement.commands() {
            assessment = assessment.with_part(shown(Some(command)));
        }
        if judgement
            .findings()
            .iter()
            .any(|finding| is_about_all(finding, is_confined))
        {
            assessment = assessment.with_part(shown(None));
        }
        Ok(assessment)
    }
}

/// Returns the filter for commands that start in `directory`, as passed by the model.
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

/// Returns the grants that approval gives. A finding that the host confines runs without its grants.
fn grants(judgement: &Judgement) -> Vec<Grant> {
    let findings = judgement.findings().iter();
    findings
        .filter(|finding| finding.verdict() != CommandVerdict::Confine)
        .flat_map(Finding::grants)
        .cloned()
        .collect()
}

/// Returns an assessment with the names of all findings, for rules.
fn named(judgement: &Judgement) -> Assessment {
    let rules = judgement.findings().iter().map(Finding::rule);
    // The filter may have omitted further findings.
    let omitted = judgement.findings().len() >= MAX_FINDINGS;
    rules
        .chain(omitted.then_some(CommandRule::Limit))
        .map(name)
        .fold(Assessment::default(), Assessment::with_finding)
}

/// Returns the name of a finding in rules, results and logs.
fn name(rule: CommandRule) -> String {
    format!("command_filter:{rule}")
}

/// Returns `true` if a command with `verdict` requires approval.
fn asks(verdict: CommandVerdict, is_confined: bool) -> bool {
    match verdict {
        CommandVerdict::Allow => false,
        CommandVerdict::Confine => !is_confined,
        CommandVerdict::Ask | CommandVerdict::Forbid => true,
    }
}

fn allowed(judgement: &Judgement) -> Result<(), ToolError> {
    match judgement.worst() {
        Some(worst) if worst.verdict() == CommandVerdict::Forbid => Err(forbidden(worst)),
        _ => Ok(()),
    }
}

/// Returns `true` if no single command shows the finding, so that only a rule for the entire text
/// covers it.
fn is_about_all(finding: &Finding, is_confined: bool) -> bool {
    let rule = finding.rule();
    asks(finding.verdict(), is_confined) && finding.part().is_empty()
        || matches!(
            rule,
            CommandRule::Syntax | CommandRule::ControlCharacter | CommandRule::Endless
        )
}

/// Lists the reasons for approval, the most severe first, without duplicates.
fn reasons(judgement: &Judgement) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for finding in judgement.worst().into_iter().chain(judgement.findings()) {
        let reason = [reason(finding), needs(finding)].concat();
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
        "" => finding.explanation().to_owned(),
        part => format!("`{part}`: {}", finding.explanation()),
    }
}

/// Names the grants that approval would give, such as " (needs `network`)".
fn needs(finding: &Finding) -> String {
    let grants: Vec<String> = finding
        .grants()
        .iter()
        .map(|grant| format!("`{grant}`"))
        .collect();
    if grants.is_empty() {
        return String::new();
    }
    format!(" (needs {})", grants.join(", "))
}

fn forbidden(finding: &Finding) -> ToolError {
    let message = format!("is not allowed to run: {}", reason(finding));
    ToolError::about(ErrorCode::CommandForbidden, "command", message)
        .suggest(instead(finding.rule()))
}

/// Suggests an alternative to a forbidden command.
fn instead(rule: CommandRule) -> &'static str {
    match rule {
        CommandRule::Privilege => {
            "Run it without elevated rights, or tell the user which rights are needed."
        }
        CommandRule::DeleteSystem => {
            "Name the files inside the workspace one by one, with literal paths."
        }
        CommandRule::DownloadRun => {
            "Save the download to a file, read it, and ask the user before you run it."
        }
        CommandRule::Secret => "Avoid the credentials, or ask the user to provide the data.",
        CommandRule::Permission => "Change permissions only of files in the workspace.",
        CommandRule::ForkBomb => "Start a fixed number of processes, and wait for them.",
        CommandRule::Unwanted => "Use another program.",
        _ => "Find another way inside the workspace, or tell the user why it is needed.",
    }
}

#[cfg(test)]
mod tests;
