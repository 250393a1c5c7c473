//! Collection of findings.

use std::ops::Range;

use super::super::limits::MOST_LISTED_COMMANDS;
use super::super::value;
use super::super::verdict::{CommandRule, CommandVerdict, Finding};
use super::Walk;

impl Walk<'_> {
    pub(in super::super) fn report(&mut self, rule: CommandRule, part: &str) {
        let span = self.span.clone();
        self.report_at(rule, part, span);
    }

    /// Reports a finding that applies on every machine, even if its rule does not.
    pub(in super::super) fn report_everywhere(&mut self, rule: CommandRule, part: &str) {
        let outer = std::mem::replace(&mut self.is_elsewhere, false);
        self.report(rule, part);
        self.is_elsewhere = outer;
    }

    pub(in super::super) fn report_at(
        &mut self,
        rule: CommandRule,
        part: &str,
        span: Range<usize>,
    ) {
        // Most directories exist, so a write outside the roots that requires a missing one only
        // requires approval.
        let is_far_off = self.lacks_folder && rule == CommandRule::WriteOutside;
        let rule = if is_far_off {
            CommandRule::Opaque
        } else {
            rule
        };
        let verdict = self.settings.verdict(rule);
        if verdict == CommandVerdict::Allow || (self.trusts_program && rule.is_about_programs()) {
            return;
        }
        if self.counts_harm_only && verdict < CommandVerdict::Forbid && !is_far_off {
            return;
        }
        if self.is_elsewhere && !rule.is_the_same_everywhere() {
            return;
        }
        self.reports += 1;
        let short: String = part.chars().take(80).collect();
        let span = self.frame.clone().unwrap_or(span);
        let finding = Finding::new(rule, verdict, value::shown(&short), span);
        self.judgement.add(finding);
    }

    /// Runs `inner`, and lists `command` if it reports something.
    pub(super) fn listing(&mut self, command: &[String], inner: impl FnOnce(&mut Self)) {
        let before = self.reports;
        inner(self);
        if self.reports > before {
            self.list(command);
        }
    }

    pub(in super::super) fn list(&mut self, arguments: &[String]) {
        if self.counts_harm_only {
            return;
        }
        let shown: Vec<String> = arguments
            .iter()
            .map(|argument| value::shown(argument))
            .collect();
        if self.listed.contains(&shown) {
            return;
        }
        if self.listed.len() >= MOST_LISTED_COMMANDS {
            self.report(CommandRule::Limit, "");
            return;
        }
        self.listed.insert(shown.clone());
        self.judgement.add_command(shown);
    }

    /// Arithmetic evaluates names, which run substitutions in their values.
    pub(in super::super) fn note_arithmetic(&mut self) {
        let span = self.frame.clone().unwrap_or(self.span.clone());
        self.arithmetic.get_or_insert(span);
    }

    pub(super) fn note_text(&mut self, text: &str) {
        self.hidden_substitution |= text.contains("$(") || text.contains('`');
    }
}
