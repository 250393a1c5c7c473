//! Suggestions and warnings under the shown names.

use std::borrow::Cow;
use std::mem;

use super::mapping::Mapping;
use crate::{ToolContext, ToolError, ToolOutput, ValidationIssue};

impl Mapping {
    /// Returns a text of the tool with shown parameter names. Omits sentences with a hidden parameter in backticks. Questions
    /// stay unchanged, because they refer to existing things, such as a file with the name of a parameter.
    pub(super) fn renamed_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains('`') || (self.hidden.is_empty() && self.renamed.is_empty()) {
            return Cow::Borrowed(text);
        }
        let kept: Vec<String> = sentences(text)
            .into_iter()
            .filter_map(|sentence| self.sentence(sentence))
            .collect();
        Cow::Owned(kept.join(" "))
    }

    /// Moves the warnings of the context into the output, under the shown names. Empty warnings are omitted. The first
    /// `earlier` warnings are not from the tool and stay unchanged.
    pub(super) fn move_additions_to(
        &self,
        cx: &ToolContext,
        earlier: usize,
        output: &mut ToolOutput,
    ) {
        let own = output.warnings.len();
        cx.move_additions_to(output);
        let renamed = |(index, warning): (usize, String)| match self.renamed_text(&warning) {
            Cow::Owned(_) if (own..own + earlier).contains(&index) => Some(warning),
            Cow::Owned(renamed_text) => (!renamed_text.is_empty()).then_some(renamed_text),
            Cow::Borrowed(_) => Some(warning),
        };
        let warnings = mem::take(&mut output.warnings);
        output.warnings = warnings
            .into_iter()
            .enumerate()
            .filter_map(renamed)
            .collect();
    }

    /// Returns the error with its suggestion under the shown names.
    pub(super) fn suggestion(&self, error: ToolError) -> ToolError {
        let Some(suggestion) = error.suggestion() else {
            return error;
        };
        match self.renamed_text(suggestion) {
            Cow::Borrowed(_) => error,
            Cow::Owned(renamed_text) => {
                error.with_suggestion((!renamed_text.is_empty()).then_some(renamed_text))
            }
        }
    }

    /// Returns the error with its issues under the shown names.
    pub(super) fn issues(&self, error: ToolError) -> ToolError {
        if error.issues().is_empty() || self.renamed.is_empty() {
            return error;
        }
        let issues = error.issues().iter().cloned();
        let issues = issues.map(|issue| self.issue(issue)).collect();
        error.with_issues(issues)
    }

    fn issue(&self, mut issue: ValidationIssue) -> ValidationIssue {
        let shown = |own: &str| self.shown_name(own).unwrap_or(own).to_owned();
        if let Some(pointer) = issue.pointer.strip_prefix('/') {
            let (own, rest) = pointer.split_at(pointer.find('/').unwrap_or(pointer.len()));
            issue.pointer = format!("/{}{rest}", shown(own));
        } else {
            issue.property = issue.property.as_deref().map(shown);
            issue.nearest = issue.nearest.as_deref().map(shown);
        }
        issue
    }

    fn sentence(&self, sentence: &str) -> Option<String> {
        if sentence.ends_with('?') {
            return Some(sentence.to_owned());
        }
        let mut shown = String::with_capacity(sentence.len());
        for (index, part) in sentence.split('`').enumerate() {
            let is_quoted = index % 2 == 1;
            if index > 0 {
                shown.push('`');
            }
            shown.push_str(if is_quoted {
                self.shown_name(part)?
            } else {
                part
            });
        }
        Some(shown)
    }
}

/// Splits a text into sentences, except inside backticks.
fn sentences(text: &str) -> Vec<&str> {
    let (mut sentences, mut start, mut is_quoted, mut has_ended) = (Vec::new(), 0, false, false);
    for (at, letter) in text.char_indices() {
        if has_ended && letter == ' ' {
            sentences.extend(text.get(start..at));
            start = at + 1;
        }
        is_quoted ^= letter == '`';
        has_ended = !is_quoted && matches!(letter, '.' | '?' | '!');
    }
    sentences.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    sentences
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Presentation;
    use super::super::apply::apply;
    use super::*;
    use crate::ToolDefinition;

    fn mapping() -> Mapping {
        let schema = json!({"properties": {"path": {}, "limit": {}, "pattern": {}, "query": {}, "depth": {}}});
        let own = ToolDefinition::new("find", "Finds.", schema);
        let shown = Presentation::<()>::new("find", "Finds.")
            .hide("limit")
            .pin("depth", 1)
            .rename("query", "pattern")
            .rename("pattern", "glob");
        apply(&own, shown).unwrap().1
    }

    #[test]
    fn advice_has_shown_names() {
        for (text, expected) in [
            ("Nothing to say.", "Nothing to say."),
            ("Narrow `path`.", "Narrow `path`."),
            ("Too much. Raise `limit`.", "Too much."),
            ("Set `depth` to 2. Narrow `pattern`.", "Narrow `glob`."),
            (
                "`query` and `pattern` are one.",
                "`pattern` and `glob` are one.",
            ),
            ("Raise `limit`.", ""),
            ("Read `a. b`. Raise `limit` or not!", "Read `a. b`."),
            (
                "Did you mean `limit`? Raise `limit`.",
                "Did you mean `limit`?",
            ),
            (
                "Use 1.5 or `*.rs`. Go on with `limit` 3.",
                "Use 1.5 or `*.rs`.",
            ),
            ("a ` alone. Raise `limit`.", "a ` alone. Raise `limit`."),
        ] {
            assert_eq!(mapping().renamed_text(text), expected, "{text}");
        }
    }

    #[test]
    fn omits_empty_warnings_and_keeps_earlier_ones() {
        let cx = ToolContext::test();
        cx.warn("`limit` is from 1 to 3.");
        let earlier = cx.warning_count();
        cx.warn("Raise `limit`.");
        let mut output = ToolOutput::text("a");
        output.warnings = vec!["Cut. Raise `limit`.".to_owned()];

        mapping().move_additions_to(&cx, earlier, &mut output);

        assert_eq!(output.warnings, ["Cut.", "`limit` is from 1 to 3."]);
    }

    #[test]
    fn issues_have_shown_names() {
        let issue = |pointer: &str| ValidationIssue::new(pointer, "type", "a text", "null");
        let error = ToolError::from_issues(vec![issue("/query"), issue("/pattern/0/query")]);

        let shown = mapping().error(error);

        assert_eq!(
            shown.message(),
            "The arguments do not fit: `pattern` must be a text, not null; `glob[0].query` must be a text, not null."
        );
        assert_eq!(shown.parameter(), Some("pattern"));
    }

    #[test]
    fn omits_empty_suggestions() {
        let error = |text: &str| ToolError::failed("no").suggest(text);
        let reported = |text: &str| {
            mapping()
                .suggestion(error(text))
                .suggestion()
                .map(str::to_owned)
        };

        assert_eq!(reported("Raise `limit`."), None);
        assert_eq!(
            reported("Narrow `pattern`."),
            Some("Narrow `glob`.".to_owned())
        );
    }
}
