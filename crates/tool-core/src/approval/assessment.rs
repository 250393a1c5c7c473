//! What a tool finds in the arguments of a call, for the policy.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::explanation::Explanation;
use super::policy::Ruling;
use super::rule::Verdict;

/// What a tool finds in the arguments of a call, for the policy: a reason to ask, and simpler calls that it is made of.
///
/// A reason makes a call ask where the verdict of its risk would let it run. A rule that allows the call goes above it.
///
/// Parts are for calls that do several things at once, such as a command line. A rule that asks or denies holds for the
/// whole call as soon as it matches one part. Rules that allow hold only where each part is matched by one of them, so that
/// what is allowed carries nothing else along; a rule that names exactly these arguments holds as well, and one that matches
/// the whole of a call with a single part.
///
/// The default finds nothing, which is what most tools do.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::approval::Assessment;
///
/// let assessment = Assessment::default()
///     .asking("network", "`curl` talks to other hosts")
///     .with_part([("command", json!("make"))])
///     .with_part([("command", json!("curl example.org"))]);
/// assert_eq!(assessment.reason(), Some("`curl` talks to other hosts"));
/// assert_eq!(assessment.parts().len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assessment(Option<Box<Found>>);

#[derive(Debug, Clone, Default, PartialEq)]
struct Found {
    question: Option<Question>,
    parts: Vec<Map<String, Value>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Question {
    rule: Cow<'static, str>,
    reason: String,
}

impl Assessment {
    /// Makes the call ask. `rule` is a stable name for results and logs, `reason` one line for the approver.
    #[must_use]
    pub fn asking(mut self, rule: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Self {
        self.found().question = Some(Question {
            rule: rule.into(),
            reason: reason.into(),
        });
        self
    }

    /// Adds a part: the call with these parameters in place of its own, under the names that the tool itself uses.
    #[must_use]
    pub fn with_part<Name: Into<String>>(
        mut self,
        parameters: impl IntoIterator<Item = (Name, Value)>,
    ) -> Self {
        let members = parameters
            .into_iter()
            .map(|(name, value)| (name.into(), value));
        self.found().parts.push(members.collect());
        self
    }

    /// Why somebody should be asked; nothing where there is no reason to.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.question().map(|question| question.reason.as_str())
    }

    /// The name of the tool's own rule that asks.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        self.question().map(|question| question.rule.as_ref())
    }

    /// The parameters of each part.
    #[must_use]
    pub fn parts(&self) -> &[Map<String, Value>] {
        self.0.as_deref().map_or(&[], |found| &found.parts)
    }

    fn found(&mut self) -> &mut Found {
        self.0.get_or_insert_default()
    }

    fn question(&self) -> Option<&Question> {
        self.0.as_deref()?.question.as_ref()
    }

    /// The same with other names of parameters; those without a name are left out.
    #[cfg(feature = "typed")]
    pub(crate) fn renamed(mut self, name: impl Fn(&str) -> Option<String>) -> Self {
        for part in self.0.iter_mut().flat_map(|found| &mut found.parts) {
            let members = std::mem::take(part).into_iter();
            *part = members
                .filter_map(|(own, value)| Some((name(&own)?, value)))
                .collect();
        }
        self
    }

    /// The arguments of each part of a call with these arguments.
    pub(crate) fn parts_of(&self, arguments: &Value) -> Vec<Value> {
        let replaced = |part: &Map<String, Value>| {
            let mut whole = arguments.as_object().cloned().unwrap_or_default();
            whole.extend(part.clone());
            Value::Object(whole)
        };
        self.parts().iter().map(replaced).collect()
    }

    /// The ruling where the reason to ask counts too.
    #[inline]
    pub(crate) fn raise(&self, ruling: Ruling) -> Ruling {
        match self.question() {
            Some(question) if ruling.verdict == Verdict::Allow && !ruling.is_by_rule => Ruling {
                verdict: Verdict::Ask,
                rule: question.rule.clone(),
                is_by_rule: false,
            },
            _ => ruling,
        }
    }

    /// The same for an explanation.
    pub(crate) fn raise_explained(&self, mut explanation: Explanation) -> Explanation {
        let is_by_rule = explanation.rules.iter().any(|finding| finding.decides);
        if let Some(question) = self.question()
            && explanation.verdict == Verdict::Allow
            && !is_by_rule
        {
            explanation.verdict = Verdict::Ask;
            explanation.rule.clone_from(&question.rule);
            explanation.reason = Some(question.reason.clone());
        }
        explanation
    }
}
