//! Texts of findings for approvers and the model.

use shell_verdict::{CommandRule, CommandVerdict, Finding, Judgement, MAX_FINDINGS};
use tool_core::approval::Assessment;
use tool_core::{ErrorCode, ToolError};

/// Maximum number of reasons shown to an approver.
const MAX_REASONS: usize = 3;

/// Returns an assessment with the names of all findings, for rules.
pub(super) fn finding_names(judgement: &Judgement) -> Assessment {
    let rules = judgement.findings().iter().map(Finding::rule);
    // At its maximum, the filter may have omitted findings. The limit is a finding of its own, so that a rule that
    // lists the others doesn't allow the omitted ones too.
    let omitted = judgement.findings().len() >= MAX_FINDINGS;
    rules
        .chain(omitted.then_some(CommandRule::Limit))
        .map(rule_name)
        .fold(Assessment::default(), Assessment::with_finding)
}

/// Returns the name of a finding in rules, results and logs.
pub(super) fn rule_name(rule: CommandRule) -> String {
    format!("command_filter:{rule}")
}

/// Lists the reasons for approval without duplicates, the most severe first. Those of rules that forbid,
/// unless the host has changed them, are never omitted.
pub(super) fn reasons(judgement: &Judgement) -> String {
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
pub(super) fn forbidden(finding: &Finding) -> ToolError {
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
