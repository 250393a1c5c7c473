//! The command filter of a workspace, and its results as errors and approval requests.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::iter;
use std::path::Path;

use serde_json::Value;
use shell_verdict::{
    CommandFilter, CommandRule, CommandVerdict, Finding, Grant, Judgement, MAX_FINDINGS,
    SimpleCommand,
};
use tool_core::approval::{CommandPart, Coverage, Finding as Explained};
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolError};

use super::environment::Environment;
use super::program::Invocation;
use super::sandbox::Effects;
use crate::workspace::{Root, WorkingDirectory, Workspace};

/// Filter of a tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guard {
    /// `None` if the host disabled it.
    filter: Option<CommandFilter>,
    /// Whether the host chose the filter. It may allow programs that write.
    is_of_host: bool,
}

impl Guard {
    pub(crate) fn of(workspace: &Workspace, environment: &Environment) -> Self {
        let guard = Self {
            filter: Some(workspace_filter(workspace)),
            is_of_host: false,
        };
        guard.at_home(environment)
    }

    pub(crate) fn with(filter: CommandFilter) -> Self {
        Self {
            filter: Some(filter),
            is_of_host: true,
        }
    }

    pub(crate) fn disabled() -> Self {
        Self {
            filter: None,
            is_of_host: true,
        }
    }

    fn map(self, change: impl FnOnce(CommandFilter) -> CommandFilter) -> Self {
        Self {
            filter: self.filter.map(change),
            ..self
        }
    }

    /// Forbids literal paths outside the workspace.
    #[cfg(feature = "document-sets")]
    pub(crate) fn within_workspace(self) -> Self {
        self.map(|filter| {
            filter
                // The documents of these sets reject such paths, so approval must not allow them either.
                .with_verdict(CommandRule::ReadOutside, CommandVerdict::Forbid)
                .with_verdict(CommandRule::WriteOutside, CommandVerdict::Forbid)
        })
    }

    /// Returns the same guard, for commands without a checkpoint that holds what they may lose.
    pub(crate) fn without_recovery(&self) -> Self {
        self.clone().map(|filter| filter.with_recovery(false))
    }

    /// Sets the home directory of the filter to `HOME` of `environment`.
    pub(crate) fn at_home(self, environment: &Environment) -> Self {
        let home = environment.value("HOME").map(|home| home.to_string_lossy());
        match home {
            Some(home) => self.map(|filter| filter.with_home(&home)),
            None => self,
        }
    }

    /// Evaluates a command that starts in `directory`, as passed by the model.
    ///
    /// # Errors
    /// Returns [`CommandForbidden`](tool_core::ErrorCode::CommandForbidden) with the reason, the offending part and an
    /// alternative, or an error if `directory` is outside the workspace.
    pub(crate) fn judge(
        &self,
        invocation: &Invocation,
        directory: &str,
    ) -> Result<Judged, ToolError> {
        let Some(filter) = &self.filter else {
            return Ok(Judged::default());
        };
        let judgement = judge(&*in_directory(filter, directory)?, invocation);
        // Fail in the plan: no rule, policy or approver can then let a forbidden command pass.
        check_verdict(&judgement)?;
        Ok(Judged {
            only_reads: !self.is_of_host && judgement.verdict() == CommandVerdict::Allow,
            judgement: Some(judgement),
        })
    }

    /// Evaluates a command again with the resolved path of `directory`, which the model requested as `written`. Through a
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
        let Some(filter) = self.filter.as_ref().filter(|_| written != ".") else {
            return Ok(());
        };
        let there = directory.real_path().and_then(Path::to_str);
        let there = there.map(|real| filter.clone().with_working_directory(real));
        match there.filter(CommandFilter::starts_inside) {
            Some(there) => check_verdict(&judge(&there, invocation)),
            None => Ok(()),
        }
    }
}

/// What the filter says about a command; nothing if the host disabled it. The plan, the prompt and the run of a call use
/// the same value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Judged {
    judgement: Option<Judgement>,
    /// Whether the filter of the workspace knows that the command changes nothing.
    only_reads: bool,
}

/// Subcommands of Git that change harmless settings, such as the branch that another one tracks.
const GIT_SUBCOMMANDS: [&str; 12] = [
    "branch",
    "checkout",
    "clone",
    "config",
    "fetch",
    "init",
    "pull",
    "push",
    "remote",
    "submodule",
    "switch",
    "worktree",
];

impl Judged {
    /// Adds the findings to the plan. `is_confined` is whether a sandbox is enforced; without it, confined commands require
    /// approval. `shown` returns the parameters for one simple command, or for the entire call.
    pub(crate) fn describe(
        &self,
        plan: CallPlan,
        is_confined: bool,
        shown: impl Fn(Option<&[String]>) -> Vec<(&'static str, Value)>,
    ) -> CallPlan {
        let Some(judgement) = &self.judgement else {
            return plan;
        };
        let mut plan = finding_names(judgement).fold(plan, CallPlan::finding);
        if let Some(worst) = judgement.worst()
            && requires_approval(worst.verdict(), is_confined)
        {
            plan = plan.asking(rule_name(worst.rule()), reasons(judgement));
        }
        for finding in judgement.findings() {
            let grants = finding.grants().iter().map(ToString::to_string);
            let explained = Explained::new(rule_name(finding.rule()), reason(finding), grants);
            plan = plan.explaining(explained);
        }
        let parts = judgement.commands().iter().map(|command| {
            let coverage = coverage(judgement, command, is_confined);
            CommandPart::new(command.words(), coverage)
        });
        plan = plan.with_commands(parts);
        for command in judgement.commands() {
            plan = plan.with_part(shown(Some(command.words())));
        }
        let mut findings = judgement.findings().iter();
        if findings.any(|finding| is_about_entire_command(finding, is_confined)) {
            plan = plan.with_part(shown(None));
        }
        plan
    }

    /// Returns the risk: reading if the filter allows the command, a safe write if a sandbox confines it.
    pub(crate) fn risk(&self, is_confined: bool) -> RiskLevel {
        match self.judgement.as_ref().map(Judgement::verdict) {
            Some(CommandVerdict::Allow) => RiskLevel::ReadOnly,
            Some(CommandVerdict::Confine) if is_confined => RiskLevel::SafeWrite,
            _ => RiskLevel::Dangerous,
        }
    }

    /// Returns whether the command may change files, as far as the filter knows.
    pub(crate) fn may_write(&self) -> bool {
        !self.only_reads
    }

    /// Returns the number of findings that require approval.
    pub(crate) fn asks(&self, is_confined: bool) -> usize {
        let findings = self.judgement.iter().flat_map(Judgement::findings);
        findings
            .filter(|finding| requires_approval(finding.verdict(), is_confined))
            .count()
    }

    /// Returns what the command may change.
    pub(crate) fn effects(&self) -> Effects {
        if self.only_reads {
            Effects::None
        } else if self.changes_git_settings() {
            Effects::GitSettings
        } else {
            Effects::Any
        }
    }

    /// Returns whether the command is literally Git with a subcommand that changes the settings of a repository.
    fn changes_git_settings(&self) -> bool {
        let mut commands = self.judgement.iter().flat_map(Judgement::commands);
        commands.any(|command| match command.words() {
            [program, subcommand, ..] => {
                program == "git" && GIT_SUBCOMMANDS.contains(&subcommand.as_str())
            }
            _ => false,
        })
    }

    /// Returns the grants that approval gives. A finding that the host confines runs without its grants.
    pub(crate) fn grants(&self) -> Vec<Grant> {
        let findings = self.judgement.iter().flat_map(Judgement::findings);
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

/// Returns what a rule that allows commands may decide about a command: one that a sandbox confines, if nothing but its
/// program and its writes in the workspace is to be decided about.
fn coverage(judgement: &Judgement, command: &SimpleCommand, is_confined: bool) -> Coverage {
    let is_plain = |rule: &CommandRule| {
        matches!(
            rule,
            CommandRule::Project
                | CommandRule::Interpreter
                | CommandRule::UnknownProgram
                | CommandRule::Write
                | CommandRule::Inspect
        )
    };
    match command.verdict() {
        CommandVerdict::Allow => Coverage::Harmless,
        CommandVerdict::Confine
            if is_confined
                && judgement.is_sum_of_commands()
                && command.rules().iter().all(is_plain) =>
        {
            Coverage::Allowable
        }
        _ => Coverage::Never,
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

/// Maximum number of reasons shown to an approver.
const MAX_REASONS: usize = 3;

/// Returns the names of all findings, for rules.
fn finding_names(judgement: &Judgement) -> impl Iterator<Item = String> {
    let rules = judgement.findings().iter().map(Finding::rule);
    // At its maximum, the filter may have omitted findings. The limit is a separate finding, so that a rule that
    // lists the others doesn't allow the omitted ones too.
    let omitted = judgement.findings().len() >= MAX_FINDINGS;
    rules
        .chain(omitted.then_some(CommandRule::Limit))
        .map(rule_name)
}

/// Returns the name of a finding in rules, results and logs.
fn rule_name(rule: CommandRule) -> String {
    format!("command_filter:{rule}")
}

/// Lists the reasons for approval without duplicates, the most severe first. Those of rules that forbid,
/// unless the host has changed them, are never omitted.
fn reasons(judgement: &Judgement) -> String {
    let is_forbidden = |finding: &&Finding| finding.rule().verdict() == CommandVerdict::Forbid;
    let findings = judgement.worst().into_iter().chain(judgement.findings());
    let (forbidden, others): (Vec<&Finding>, Vec<&Finding>) = findings.partition(is_forbidden);
    let shown = distinct(&forbidden).len().max(MAX_REASONS);
    let mut reasons = distinct(&[forbidden, others].concat());
    let more = reasons.len().saturating_sub(shown);
    reasons.truncate(shown);
    if more > 0 {
        reasons.push(format!("and {more} more"));
    }
    reasons.join("; ")
}

fn distinct(findings: &[&Finding]) -> Vec<String> {
    let mut reasons = Vec::new();
    for finding in findings {
        let reason = [reason(finding), needs(finding)].concat();
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

fn reason(finding: &Finding) -> String {
    match finding.part() {
        "" => finding.explanation().to_owned(),
        part => format!("`{part}`: {}", finding.explanation()),
    }
}

/// Names the grants that approval would give, such as " (needs `network`)".
fn needs(finding: &Finding) -> String {
    let grants = finding.grants().iter();
    let grants: Vec<String> = grants.map(|grant| format!("`{grant}`")).collect();
    if grants.is_empty() {
        return String::new();
    }
    format!(" (needs {})", grants.join(", "))
}

/// Returns the error of a forbidden command.
fn forbidden(finding: &Finding) -> ToolError {
    let message = format!("is not allowed to run: {}", reason(finding));
    ToolError::about(ErrorCode::CommandForbidden, "command", message)
        .suggest(alternative(finding.rule()))
}

/// Suggests an alternative to a forbidden command.
fn alternative(rule: CommandRule) -> &'static str {
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

/// Returns the filter for commands in a workspace: they may write below its writable roots and
/// require approval to change its protected names.
///
/// If the workspace has checkpoints, losses that one covers do not require approval, because
/// [`Bash`](super::Bash) makes one before the command. Add
/// `with_recovery(false)` if something else runs the commands.
///
/// # Examples
/// ```
/// use shell_verdict::CommandVerdict;
/// use tool_test::Scratch;
/// use tools_builtin::shell::{Bash, workspace_filter};
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new();
/// let workspace = Workspace::open(scratch.path())?;
/// let filter = workspace_filter(&workspace).with_allowed_program("terraform");
/// assert_eq!(filter.judge("touch ./a").verdict(), CommandVerdict::Confine);
/// assert_eq!(filter.judge("touch /opt/a").verdict(), CommandVerdict::Ask);
/// let bash = Bash::new(workspace).with_filter(filter);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn workspace_filter(workspace: &Workspace) -> CommandFilter {
    let (read_only, writable): (Vec<_>, Vec<_>) =
        workspace.roots().partition(|root| root.is_read_only());
    let mut filter = CommandFilter::standard(paths(&writable));
    #[cfg(target_os = "linux")]
    {
        filter = filter.with_recovery(workspace.has_checkpoints());
    }
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
    let combined = |root: &&Root| {
        // A command may name a root by the path that the host passed or by the resolved one.
        [root.real_path(), root.path()].map(|path| path.to_string_lossy().into_owned())
    };
    roots.iter().flat_map(combined)
}
