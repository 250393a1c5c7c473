//! Rules to offer to a person who decides about a call.

use super::command::{CommandPart, Coverage};
use super::plan::CallPlan;
use super::policy::Policy;
use super::rule::Rule;
use crate::RiskLevel;

/// Suggests a rule that allows a call and its like: its only command that asks, the directory of the only file that it
/// writes, or its only host. `None` if no such rule would allow it.
pub(super) fn suggested_rule(plan: &CallPlan) -> Option<Rule> {
    let findings = &plan.findings;
    let policy = Policy::default();
    let (commands, written) = (findings.commands(), plan.touches.files_written());
    let suggested = if !commands.is_empty() {
        let is_open = |part: &&CommandPart| part.coverage != Coverage::Harmless;
        let mut open = commands.iter().filter(is_open).map(CommandPart::suggested);
        let words = open.next()??;
        let is_alone =
            findings.is_about_commands() && open.all(|other| other.as_ref() == Some(&words));
        is_alone.then(|| policy.allow_command(&words))
    } else if let [host] = findings.hosts() {
        findings
            .findings()
            .is_empty()
            .then(|| policy.allow_host(host))
    } else if let ([file], true) = (written, plan.touches.files_read().is_empty()) {
        let is_plain = plan.risk == RiskLevel::SafeWrite && findings.findings().is_empty();
        let place = file
            .rsplit_once('/')
            .map(|(directory, _)| format!("{directory}/**"));
        is_plain.then(|| policy.allow_write(place.as_deref().unwrap_or(file)))
    } else {
        None
    };
    suggested?.rules.pop()
}
