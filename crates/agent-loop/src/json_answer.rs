//! Final answers that must be JSON.

use std::fmt;

use serde_json::Value;
use tool_core::answer::{JsonKind, JsonTrim, TrimError, TrimmedJson};
#[cfg(feature = "validate")]
use tool_core::{CompiledSchema, Fault};

/// How often a model may correct its answer, unless said otherwise.
const CORRECTIONS: u32 = 1;
/// Faults of an answer that the model is told at once.
#[cfg(feature = "validate")]
const MAX_FAULTS: usize = 10;

/// Says that a final answer must be JSON, which JSON, and how often the model may correct it.
///
/// What the model writes around the value is cut off and told in [`Outcome::trimmed`](crate::Outcome::trimmed); see
/// [`tool_core::answer`] for how the value is found. Nothing is mended or completed. An answer without such a value is
/// given back to the model with the reason, as a message of the user, and that turn counts like any other.
///
/// The model hears of all this only when it got it wrong, so the task or the system's text should say what is wanted.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, JsonAnswer, ModelReply, ScriptedModel};
/// use serde_json::json;
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let model = ScriptedModel::new([
///     ModelReply::text("There are three."),
///     ModelReply::text("Sorry! {\"total\": 3}"),
/// ]);
/// let total = |value: &serde_json::Value| {
///     let count = value["total"].as_u64();
///     count.map(|_| ()).ok_or_else(|| "`total` must be a count.".to_owned())
/// };
/// let agent = AgentLoop::new(Registry::new(), model).json_answer(JsonAnswer::new().check(total));
///
/// let outcome = agent.run("How many tulips? Answer as {\"total\": …}.").await;
///
/// assert_eq!(outcome.json, Some(json!({"total": 3})));
/// assert_eq!(outcome.answer.as_deref(), Some(r#"{"total": 3}"#));
/// assert_eq!(outcome.trimmed.map(|trimmed| trimmed.before).as_deref(), Some("Sorry! "));
/// # }
/// ```
pub struct JsonAnswer {
    kind: JsonKind,
    #[cfg(feature = "validate")]
    schema: Option<CompiledSchema>,
    check: Option<Box<Check>>,
    corrections: u32,
}

type Check = dyn Fn(&Value) -> Result<(), String> + Send + Sync;

impl Default for JsonAnswer {
    fn default() -> Self {
        Self::new()
    }
}

impl JsonAnswer {
    /// Wants any object or array, and lets the model correct its answer once.
    #[must_use]
    pub fn new() -> Self {
        Self {
            kind: JsonKind::default(),
            #[cfg(feature = "validate")]
            schema: None,
            check: None,
            corrections: CORRECTIONS,
        }
    }

    /// Wants this kind of value.
    #[must_use]
    pub fn kind(mut self, kind: JsonKind) -> Self {
        self.kind = kind;
        self
    }

    /// Wants a value that the schema takes. Of several values in one answer, the longest such one is taken.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::JsonAnswer;
    /// use serde_json::json;
    /// use tool_core::CompiledSchema;
    ///
    /// let schema = json!({"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]});
    /// let answer = JsonAnswer::new().matching(CompiledSchema::compile(schema)?);
    /// # Ok::<_, tool_core::SchemaError>(())
    /// ```
    #[cfg(feature = "validate")]
    #[must_use]
    pub fn matching(mut self, schema: CompiledSchema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Wants a value that passes a check. What the check says goes to the model, which should read there what to change.
    #[must_use]
    pub fn check(
        mut self,
        check: impl Fn(&Value) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.check = Some(Box::new(check));
        self
    }

    /// Sets how often the model may correct its answer; once without this. With 0 a wrong answer fails the run.
    #[must_use]
    pub fn corrections(mut self, corrections: u32) -> Self {
        self.corrections = corrections;
        self
    }

    /// Whether an answer may still be corrected after so many corrections.
    pub(crate) fn may_correct(&self, corrected: u32) -> bool {
        corrected < self.corrections
    }

    /// The value that is wanted, or why the answer does not hold it, in words for the model.
    pub(crate) fn find<'t>(&self, answer: &'t str) -> Result<TrimmedJson<'t>, String> {
        let trim = JsonTrim::new().kind(self.kind);
        let found = trim.accept(|value| self.refusal(value).is_none());
        found.trim(answer).map_err(|error| match error {
            TrimError::NotAccepted => self.reason(answer, &error),
            other => other.to_string(),
        })
    }

    /// What is wrong with the value that was most likely meant.
    fn reason(&self, answer: &str, error: &TrimError) -> String {
        let meant = JsonTrim::new().kind(self.kind).trim(answer).ok();
        let refusal = meant.and_then(|meant| self.refusal(meant.value()));
        match refusal {
            Some(refusal) => format!(
                "The JSON in the answer is not what was asked for. {refusal} Send all of it again, with nothing around it."
            ),
            None => error.to_string(),
        }
    }

    /// Why a value is not taken, in whole sentences.
    fn refusal(&self, value: &Value) -> Option<String> {
        #[cfg(feature = "validate")]
        if let Some(refusal) = self.faults(value) {
            return Some(refusal);
        }
        self.check.as_ref()?(value).err()
    }

    #[cfg(feature = "validate")]
    fn faults(&self, value: &Value) -> Option<String> {
        let faults = self.schema.as_ref()?.faults(value);
        if faults.is_empty() {
            return None;
        }
        let told = faults.iter().take(MAX_FAULTS).map(sentence);
        let mut told: Vec<String> = told.collect();
        match faults.len().saturating_sub(MAX_FAULTS) {
            0 => {}
            more => told.push(format!("and {more} more")),
        }
        Some(format!("What is wrong: {}.", told.join("; ")))
    }
}

/// A fault of an answer, which has no parameters.
#[cfg(feature = "validate")]
fn sentence(fault: &Fault) -> String {
    match (fault.keyword.as_str(), fault.pointer.as_str()) {
        ("required" | "duplicate_key", _) => fault.to_string(),
        ("additionalProperties", _) => format!("`{}` does not belong there", fault.path()),
        (_, "") => format!("the value must be {}, not {}", fault.expected, fault.got),
        _ => fault.to_string(),
    }
}

impl fmt::Debug for JsonAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonAnswer")
            .field("kind", &self.kind)
            .field("corrections", &self.corrections)
            .finish_non_exhaustive()
    }
}

/// What a model wrote around the JSON of its final answer, and was cut off.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, JsonAnswer, ModelReply, ScriptedModel};
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let model = ScriptedModel::new([ModelReply::text("Here: [1, 2]. Anything else?")]);
/// let agent = AgentLoop::new(Registry::new(), model).json_answer(JsonAnswer::new());
/// let trimmed = agent.run("Two numbers, as JSON.").await.trimmed.unwrap_or_default();
/// assert_eq!((trimmed.before.as_str(), trimmed.after.as_str()), ("Here: ", ". Anything else?"));
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trimmed {
    /// What stood before it.
    pub before: String,
    /// What stood after it.
    pub after: String,
    /// How many other objects and arrays are in what was cut off.
    pub others: usize,
}

impl Trimmed {
    /// What was cut off; `None` where that is nothing but blanks.
    pub(crate) fn of(found: &TrimmedJson<'_>) -> Option<Self> {
        found.was_trimmed().then(|| Self {
            before: found.before().to_owned(),
            after: found.after().to_owned(),
            others: found.others(),
        })
    }
}

#[cfg(feature = "validate")]
#[cfg(test)]
mod tests;
