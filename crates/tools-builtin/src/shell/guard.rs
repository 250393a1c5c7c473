//! Command filter results as errors and approval requests.

mod report;

use std::borrow::Cow;
use std::iter;
use std::path::Path;

use serde_json::Value;
use shell_verdict::{CommandFilter, CommandRule, CommandVerdict, Finding, Grant, Judgement};
use tool_core::approval::Assessment;
use tool_core::{RiskLevel, ToolError};

use self::report::{finding_names, forbidden, reasons, rule_name};
use super::environment::Environment;
use super::program::Invocation;
use super::workspace_filter::workspace_filter;
use crate::workspace::{WorkingDirectory, Workspace};

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

    pub(crate) fn disabled() -> Self {
        Self(None)
    }

    /// Forbids literal paths outside the workspace.
    #[cfg(feature = "document-sets")]
    pub(crate) fn within_workspace(self) -> Self {
        Self(self.0.map(|filter| {
            filter
                // The documents of these sets reject such paths, so approval must not allow them either.
                .with_verdict(CommandRule::ReadOutside, CommandVerdict::Forbid)
                .with_verdict(CommandRule::WriteOutside, CommandVerdict::Forbid)
        }))
    }

    /// Sets the home directory of the filter to `HOME` of `environment`.
    pub(crate) fn at_home(self, environment: &Environment) -> Self {
        let home = environment.value("HOME").map(|home| home.to_string_lossy());
        Self(match (self.0, home) {
            (Some(filter), Some(home)) => Some(filter.with_home(&home)),
            (filter, _) => filter,
        })
    }

    /// Judges a command that starts in `directory`, as passed by the model.
    ///
    /// # Errors
    /// Returns [`CommandForbidden`](tool_core::ErrorCode::CommandForbidden) with the reason, the offending part and an
    /// alternative, or an error if `directory` is outside the workspace.
    pub(crate) fn judge(
        &self,
        invocation: &Invocation,
        directory: &str,
    ) -> Result<Judged, ToolError> {
        let Some(filter) = &self.0 else {
            return Ok(Judged(None));
        };
        let judgement = judge(&*in_directory(filter, directory)?, invocation);
        // Fail in the plan: no rule, policy or approver can then let a forbidden command pass.
        check_verdict(&judgement)?;
        Ok(Judged(Some(judgement)))
    }

    /// Judges a command again with the resolved path of `directory`, which the model requested as `written`. Through a
    /// symlink, the same words can mean other files.
    ///
    /// # Errors
    /// Like [`judge`](Self::judge).
    pub(crate) fn check_resolved(
        &self,
        invocation: &Invocation,
        directory: &WorkingDirectory,
        written: &str,
    ) -> Result<(), ToolError> {
        // The first root has no other path than its own.
        let Some(filter) = self.0.as_ref().filter(|_| written != ".") else {
            return Ok(());
        };
        let real = directory.real_path();
        let there = real.as_deref().and_then(Path::to_str);
        let there = there.map(|real| filter.clone().with_working_directory(real));
        match there.filter(CommandFilter::starts_inside) {
            Some(there) => check_verdict(&judge(&there, invocation)),
            None => Ok(()),
        }
    }
}

/// What the filter says about a command; nothing if the host disabled it. The plan, the prompt and the run of a call use
/// the same value.
#[derive(Debug, Clone)]
pub(crate) struct Judged(Option<Judgement>);

impl Judged {
    /// Returns the findings. `is_confined` is whether a sandbox is enforced; without it, confined commands require
    /// approval. `shown` returns the parameters for one simple command, or for the entire call.
    pub(crate) fn findings(
        &self,
        is_confined: bool,
        shown: impl Fn(Option<&[String]>) -> Vec<(&'static str, Value)>,
    ) -> Assessment {
        let Some(judgement) = &self.0 else {
            return Assessment::default();
        };
        let mut assessment = finding_names(judgement);
        if let Some(worst) = judgement.worst()
            && requires_approval(worst.verdict(), is_confined)
        {
            assessment = assessment.asking(rule_name(worst.rule()), reasons(judgement));
        }
        for command in judgement.commands() {
            assessment = assessment.with_part(shown(Some(command)));
        }
        let mut findings = judgement.findings().iter();
        if findings.any(|finding| is_about_entire_command(finding, is_confined)) {
            assessment = assessment.with_part(shown(None));
        }
        assessment
    }

    /// Returns the risk: reading if the filter allows the command, a safe write if a sandbox confines it.
    pub(crate) fn risk(&self, is_confined: bool) -> RiskLevel {
        match self.0.as_ref().map(Judgement::verdict) {
            Some(CommandVerdict::Allow) => RiskLevel::ReadOnly,
            Some(CommandVerdict::Confine) if is_confined => RiskLevel::SafeWrite,
            _ => RiskLevel::Dangerous,
        }
    }

    /// Returns the grants that approval gives. A finding that the host confines runs without its grants.
    pub(crate) fn grants(&self) -> Vec<Grant> {
        let findings = self.0.iter().flat_map(Judgement::findings);
        findings
            .filter(|finding| finding.verdict() != CommandVerdict::Confine)
            .flat_map(Finding::grants)
            .cloned()
            .collect()
    }
}

fn judge(filter: &CommandFilter, invocation: &Invocation) -> Judgement {
    match invocation {
        Invocation::Line(line) => filter.judge(line),
        Invocation::Program { name, arguments } => {
            let words: Vec<String> = iter::once(name).chain(arguments).cloned().collect();
            filter.judge_argv(&words)
        }
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

/// Returns `true` if a command with `verdict` requires approval.
fn requires_approval(verdict: CommandVerdict, is_confined: bool) -> bool {
    match verdict {
        CommandVerdict::Allow => false,
        // Without a sandbox, nothing would confine the command, so a person has to decide.
        CommandVerdict::Confine => !is_confined,
        CommandVerdict::Ask | CommandVerdict::Forbid => true,
    }
}

fn check_verdict(judgement: &Judgement) -> Result<(), ToolError> {
    match judgement.worst() {
        Some(worst) if worst.verdict() == CommandVerdict::Forbid => Err(forbidden(worst)),
        _ => Ok(()),
    }
}

/// Returns `true` if no single command shows the finding, so that only a rule for the entire text
/// covers it.
fn is_about_entire_command(finding: &Finding, is_confined: bool) -> bool {
    requires_approval(finding.verdict(), is_confined) && finding.part().is_empty()
        || matches!(
            finding.rule(),
            CommandRule::Syntax | CommandRule::ControlCharacter | CommandRule::Endless
        )
}

#[cfg(test)]
mod tests;
