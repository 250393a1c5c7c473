//! Validation of JSON in the final answer.

use serde_json::Value;
use tool_core::ValidationIssue;
use tool_core::schema::CompiledSchema;
use tool_core::trim::{TrimError, TrimmedJson, trim_to_accepted, trim_to_json};

const CORRECTIONS: u32 = 1;
/// Maximum number of errors sent to the model in one message.
const MAX_ISSUES: usize = 10;

/// Requirements for a final reply in JSON: its schema and check, and how often the model may
/// correct it.
///
/// Models like to explain their JSON, so text around it is removed and returned in
/// [`RunOutcome::trimmed`](crate::RunOutcome::trimmed); see [`tool_core::trim`] for how the JSON is
/// located. The JSON itself is never repaired or completed. If the reply contains no matching JSON,
/// the model receives the reason in a user message and may correct it, which counts as a turn.
///
/// The schema is sent to the provider, in its native form or as an additional tool whose arguments
/// are the reply. A check isn't sent, so describe what it requires in the task or the system message.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, JsonReply, ModelReply, ScriptedModel};
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
/// let agent = AgentLoop::new(Registry::new(), model).json_reply(JsonReply::new().check(total));
///
/// let outcome = agent.run("How many tulips? Answer as {\"total\": …}.").await;
///
/// assert_eq!(outcome.json, Some(json!({"total": 3})));
/// assert_eq!(outcome.reply.as_deref(), Some(r#"{"total": 3}"#));
/// assert_eq!(outcome.trimmed.map(|trimmed| trimmed.before).as_deref(), Some("Sorry! "));
/// # }
/// ```
#[must_use]
pub struct JsonReply {
    schema: Option<CompiledSchema>,
    check: Option<Box<Check>>,
    corrections: u32,
}

type Check = dyn Fn(&Value) -> Result<(), String> + Send + Sync;

impl Default for JsonReply {
    fn default() -> Self {
        Self::new()
    }
}

impl JsonReply {
    /// Accepts any object or array and allows one correction.
    pub fn new() -> Self {
        Self {
            schema: None,
            check: None,
            corrections: CORRECTIONS,
        }
    }

    /// Requires a value that deserializes to `T`, whose schema is sent to the provider and validates
    /// the answer. Deserialize [`RunOutcome::json`](crate::RunOutcome::json).
    ///
    /// # Errors
    /// Returns [`SchemaError`](tool_core::schema::SchemaError) if the schema of `T` is invalid.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, JsonReply, ModelReply, ScriptedModel};
    /// use tool_core::Registry;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Total {
    ///     /// Number of tulips.
    ///     total: u32,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([ModelReply::text(r#"{"total": 3}"#)]);
    /// let agent = AgentLoop::new(Registry::new(), model).json_reply(JsonReply::of::<Total>()?);
    /// let outcome = agent.run("How many tulips are there?").await;
    /// let answer: Total = serde_json::from_value(outcome.json.unwrap_or_default())?;
    /// assert_eq!(answer.total, 3);
    /// # Ok(()) }
    /// ```
    pub fn of<T>() -> Result<Self, tool_core::schema::SchemaError>
    where
        T: schemars::JsonSchema + serde::de::DeserializeOwned,
    {
        let schema = CompiledSchema::compile(tool_core::schema_of::<T>())?;
        // A schema cannot express every rule of `T`, so the value is read too.
        Ok(Self::new().matching(schema).check(|value| {
            let read = serde_json::from_value::<T>(value.clone());
            read.map(|_| ()).map_err(|error| format!("{error}."))
        }))
    }

    /// Requires a value that matches `schema`. If several values match, the longest one is used.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::JsonReply;
    /// use serde_json::json;
    /// use tool_core::schema::CompiledSchema;
    ///
    /// let schema = json!({"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]});
    /// let answer = JsonReply::new().matching(CompiledSchema::compile(schema)?);
    /// # Ok::<_, tool_core::schema::SchemaError>(())
    /// ```
    pub fn matching(mut self, schema: CompiledSchema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Requires a value that passes `check`. The model receives its error, so say there what to
    /// change.
    pub fn check(
        mut self,
        check: impl Fn(&Value) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.check = Some(Box::new(check));
        self
    }

    /// Sets how often the model may correct its reply. The default is 1; with 0, an invalid reply
    /// fails the run.
    pub fn corrections(mut self, corrections: u32) -> Self {
        self.corrections = corrections;
        self
    }

    /// Returns the schema, if there is one.
    pub(crate) fn schema(&self) -> Option<&Value> {
        self.schema.as_ref().map(CompiledSchema::schema)
    }

    pub(crate) fn may_correct(&self, corrected: u32) -> bool {
        corrected < self.corrections
    }

    /// Returns the required JSON, or a message for the model.
    pub(crate) fn find<'t>(&self, answer: &'t str) -> Result<TrimmedJson<'t>, String> {
        let found = trim_to_accepted(answer, |value| self.refusal(value).is_none());
        found.map_err(|error| match error {
            // Only here is the JSON readable and wrong, so the model can be told what to correct.
            TrimError::NotAccepted => self.reason(answer, &error),
            other => other.to_string(),
        })
    }

    /// Explains why the most likely candidate was rejected.
    fn reason(&self, answer: &str, error: &TrimError) -> String {
        let meant = trim_to_json(answer).ok();
        let refusal = meant.and_then(|meant| self.refusal(meant.value()));
        match refusal {
            Some(refusal) => format!(
                "The JSON in the response does not match the requirements. {refusal} Return only the complete, corrected JSON."
            ),
            None => error.to_string(),
        }
    }

    /// Returns the reason for rejecting `value`, in complete sentences.
    fn refusal(&self, value: &Value) -> Option<String> {
        if let Some(refusal) = self.issues(value) {
            return Some(refusal);
        }
        self.check.as_ref()?(value).err()
    }

    fn issues(&self, value: &Value) -> Option<String> {
        let issues = self.schema.as_ref()?.issues(value);
        if issues.is_empty() {
            return None;
        }
        let shown = issues.iter().take(MAX_ISSUES).map(sentence);
        let mut shown: Vec<String> = shown.collect();
        match issues.len().saturating_sub(MAX_ISSUES) {
            0 => {}
            more => shown.push(format!("and {more} more")),
        }
        Some(format!("Errors: {}.", shown.join("; ")))
    }
}

/// Formats an error without calling the value a parameter.
fn sentence(issue: &ValidationIssue) -> String {
    match (issue.keyword.as_str(), issue.pointer.as_str()) {
        ("required" | "duplicate_key", _) => issue.to_string(),
        ("additionalProperties", _) => format!("`{}` is not allowed", issue.path()),
        (_, "") => format!("the value must be {}, not {}", issue.expected, issue.got),
        _ => issue.to_string(),
    }
}

tool_core::debug_fields!(JsonReply, this => corrections: this.corrections);

/// Text around the JSON of a final answer.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, JsonReply, ModelReply, ScriptedModel};
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let model = ScriptedModel::new([ModelReply::text("Here: [1, 2]. Anything else?")]);
/// let agent = AgentLoop::new(Registry::new(), model).json_reply(JsonReply::new());
/// let trimmed = agent.run("Two numbers, as JSON.").await.trimmed.unwrap_or_default();
/// assert_eq!((trimmed.before.as_str(), trimmed.after.as_str()), ("Here: ", ". Anything else?"));
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trimmed {
    /// Text before the JSON.
    pub before: String,
    /// Text after the JSON.
    pub after: String,
    /// Number of other objects and arrays in the removed text.
    pub others: usize,
}

impl Trimmed {
    /// Returns `None` if only whitespace was removed.
    pub(crate) fn of(found: &TrimmedJson<'_>) -> Option<Self> {
        found.was_trimmed().then(|| Self {
            before: found.before().to_owned(),
            after: found.after().to_owned(),
            others: found.others(),
        })
    }
}

#[cfg(test)]
mod tests;
