//! Parameter names of a set in the messages of an engine.

use tool_core::{CallPlan, ToolContext, ToolError, ToolOutput};

use crate::blocking::add;

/// Parameters of an engine that a tool of a set names otherwise or does not have.
///
/// Engines name their own parameters in errors, suggestions and warnings. The model knows only the
/// names of its set, so they are replaced, and sentences about other parameters are omitted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    /// Own name and shown name.
    renamed: &'static [(&'static str, &'static str)],
    hidden: &'static [&'static str],
}

impl Names {
    /// Replaces each own name by a shown name.
    pub(super) const fn of(renamed: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            renamed,
            hidden: &[],
        }
    }

    /// Omits sentences with these parameters.
    pub(super) const fn hiding(self, hidden: &'static [&'static str]) -> Self {
        Self { hidden, ..self }
    }

    /// Returns the plan or the error of an engine with the shown names.
    pub(super) fn plan(self, planned: Result<CallPlan, ToolError>) -> Result<CallPlan, ToolError> {
        let mut plan = planned.map_err(|error| self.error(error))?;
        plan.findings = plan
            .findings
            .renamed(|own| self.shown(own).map(str::to_owned));
        Ok(plan)
    }

    /// Runs an engine and returns its output or error; its warnings have the shown names.
    pub(super) async fn run<O>(
        self,
        cx: &ToolContext,
        run: impl Future<Output = Result<O, ToolError>>,
    ) -> Result<O, ToolError> {
        // Warnings of middleware are not about the engine's parameters.
        let earlier = map_warnings(cx, 0, Some);
        let output = run.await.map_err(|error| self.error(error))?;
        map_warnings(cx, earlier, |warning| self.text(&warning));
        Ok(output)
    }

    /// Returns an error of an engine with the shown names.
    pub(super) fn error(self, error: ToolError) -> ToolError {
        let error = match error.suggestion().map(|text| self.text(text)) {
            Some(shown) => error.with_suggestion(shown),
            None => error,
        };
        let Some(own) = error.parameter().map(str::to_owned) else {
            return error;
        };
        match self.shown(&own) {
            Some(shown) if shown == own => error,
            shown => error.with_parameter(shown),
        }
    }

    /// Returns the shown name of a parameter; `None` if it is hidden.
    fn shown(self, own: &str) -> Option<&str> {
        if let Some((_, shown)) = self.renamed.iter().find(|(name, _)| *name == own) {
            return Some(shown);
        }
        (!self.hidden.contains(&own)).then_some(own)
    }

    /// Returns a string with the shown names, or `None` if nothing of it is left.
    fn text(self, text: &str) -> Option<String> {
        if !text.contains('`') {
            return Some(text.to_owned());
        }
        let shown = sentences(text)
            .into_iter()
            .filter_map(|sentence| self.sentence(sentence));
        let shown: Vec<String> = shown.collect();
        (!shown.is_empty()).then(|| shown.join(" "))
    }

    fn sentence(self, sentence: &str) -> Option<String> {
        // Questions refer to existing things, such as a file with the name of a parameter.
        if sentence.ends_with('?') {
            return Some(sentence.to_owned());
        }
        let parts = sentence.split('`').enumerate();
        let shown: Option<Vec<&str>> = parts
            .map(|(index, part)| match index % 2 {
                1 => self.shown(part),
                _ => Some(part),
            })
            .collect();
        Some(shown?.join("`"))
    }
}

/// Replaces the warnings of the call after the first `earlier` ones; `None` omits a warning. Returns
/// the number of warnings.
pub(super) fn map_warnings(
    cx: &ToolContext,
    earlier: usize,
    map: impl Fn(String) -> Option<String>,
) -> usize {
    let mut reported = ToolOutput::default();
    cx.move_additions_to(&mut reported);
    let own = reported
        .warnings
        .split_off(earlier.min(reported.warnings.len()));
    reported.warnings.extend(own.into_iter().filter_map(map));
    let count = reported.warnings.len();
    add(cx, reported);
    count
}

/// Splits a string into sentences, except inside backticks.
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
    use tool_core::RiskLevel;

    use super::*;

    fn names() -> Names {
        Names::of(&[("query", "pattern"), ("pattern", "glob")]).hiding(&["limit", "depth"])
    }

    #[test]
    fn texts_have_shown_names() {
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
            assert_eq!(names().text(text).unwrap_or_default(), expected, "{text}");
        }
    }

    #[tokio::test]
    async fn omits_empty_warnings_and_keeps_earlier_ones() {
        let cx = ToolContext::test();
        cx.warn("`limit` is from 1 to 3.");

        let run = async {
            cx.warn("Raise `limit`.");
            cx.warn("Cut. Raise `limit`.");
            cx.note("lines", 3);
            Ok(())
        };
        names().run(&cx, run).await.unwrap();

        let mut output = ToolOutput::default();
        cx.move_additions_to(&mut output);
        assert_eq!(output.warnings, ["`limit` is from 1 to 3.", "Cut."]);
        assert_eq!(json!(output.metadata), json!({"lines": 3}));
    }

    #[test]
    fn errors_have_shown_names() {
        let error = |parameter| {
            let error = ToolError::invalid_arguments(parameter, "is too long");
            names().error(error.suggest("Raise `limit`."))
        };

        let (renamed, hidden) = (error("query"), error("depth"));

        assert_eq!(renamed.to_string(), "`pattern` is too long.");
        assert_eq!(renamed.parameter(), Some("pattern"));
        assert_eq!(hidden.to_string(), "is too long.");
        assert_eq!(hidden.parameter(), None);
    }

    #[test]
    fn findings_have_shown_names() {
        let plan = CallPlan::of(RiskLevel::ReadOnly);
        let plan = |name| plan.clone().matching(name, json!("a"));

        let shown = |own| names().plan(Ok(plan(own))).unwrap();

        assert_eq!(shown("query"), plan("pattern"));
        assert_ne!(shown("limit"), plan("limit"));
    }
}
