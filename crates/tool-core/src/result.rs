//! Results of calls.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::approval::ApprovalRecord;
use crate::{
    ArgumentChange, ContentBlock, ErrorReport, ExecutedArguments, SideEffects, SmolStr, Timestamp,
    ToolError, ToolOutput,
};

/// Metadata of a call.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, tool_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input { text: String }
///
/// let echo = tool_fn("echo", "Says it again.", |_, input: Input| async move { Ok(input.text) });
/// let result = Registry::of(echo)?.execute("echo", json!({"text": "hi"})).await;
/// assert_eq!(result.metadata.parameters.to_value(), json!({"text": "hi"}));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallMetadata {
    /// The tool's name.
    pub tool_name: SmolStr,
    /// The arguments as executed.
    pub parameters: ExecutedArguments,
    /// Changes to the arguments before execution.
    #[serde(default)]
    pub changes: Vec<ArgumentChange>,
    /// Time at which the registry received the call.
    pub start_time: Timestamp,
    /// Time at which the result was ready.
    pub end_time: Timestamp,
    /// Time in the queue. Milliseconds in JSON.
    #[serde(rename = "queue_time_ms", with = "milliseconds")]
    pub queue_time: Duration,
    /// Run time of the tool. Milliseconds in JSON.
    #[serde(rename = "execution_time_ms", with = "milliseconds")]
    pub execution_time: Duration,
    /// Total time without the wait for an approval. Milliseconds in JSON.
    #[serde(rename = "total_time_ms", with = "milliseconds")]
    pub total_time: Duration,
    /// Number of runs of the tool.
    pub attempts: u32,
    /// Number of output bytes omitted.
    pub bytes_dropped: u64,
    /// The decision of the policy or approver, with its rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRecord>,
    /// Whether the call changed anything.
    pub side_effects: SideEffects,
    /// The tool's own metadata, such as `total_lines` or `exit_code`.
    #[serde(flatten)]
    pub extra: BTreeMap<String, Value>,
}

impl CallMetadata {
    /// Reserved metadata keys, which [`extra`](CallMetadata::extra) must not contain.
    const KEYS: &str = "\
        tool_name parameters changes start_time end_time queue_time_ms execution_time_ms total_time_ms \
        attempts bytes_dropped approval side_effects";

    /// Adds time spent after the result was ready.
    pub(crate) fn took_longer(&mut self, time: Duration) {
        self.end_time = self.end_time.after(time);
        self.total_time += time;
    }
}

/// The result of a call. Every call has exactly one.
///
/// `Display` writes the text that the model reads: the [blocks](Self::model_blocks) as
/// [text](ContentBlock::to_text), joined by newlines. Images and audio become placeholders.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let result = Registry::new().execute("nope", json!({})).await;
/// assert!(!result.success);
/// assert_eq!(result.to_string(), "Error: No tool is named `nope`. There are no tools.");
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call.
    pub id: SmolStr,
    /// Name of the tool as called.
    pub name: SmolStr,
    /// Whether the tool succeeded.
    pub success: bool,
    /// Content for the model.
    pub content: Vec<ContentBlock>,
    /// The output as data, for programs.
    pub data: Option<Value>,
    /// The error, if the call failed.
    pub error: Option<Box<ErrorReport>>,
    /// Warnings for the reader of a successful call.
    pub warnings: Vec<String>,
    /// Written paths, relative to the workspace.
    pub files_affected: Vec<String>,
    /// Metadata of the call.
    pub metadata: CallMetadata,
}

impl ToolResult {
    /// Creates the result of a call that never reached a registry, such as a call with truncated
    /// arguments.
    pub fn refused(id: impl Into<SmolStr>, name: impl Into<SmolStr>, error: ToolError) -> Self {
        let (name, now) = (name.into(), Timestamp::now());
        let text = error.to_model_text();
        let report = error.with_tool_name(&name).into_report();
        let mut result = Self::blank();
        result.id = id.into();
        result.metadata.tool_name.clone_from(&name);
        result.name = name;
        (result.metadata.start_time, result.metadata.end_time) = (now, now);
        result.success = false;
        result.content.push(ContentBlock::text(text));
        result.error = Some(Box::new(report));
        result
    }

    /// Creates the result of a new call.
    #[inline]
    pub(crate) fn blank() -> Self {
        Self {
            id: SmolStr::default(),
            name: SmolStr::default(),
            success: true,
            content: Vec::new(),
            data: None,
            error: None,
            warnings: Vec::new(),
            files_affected: Vec::new(),
            metadata: CallMetadata::default(),
        }
    }

    /// Sets the output. Keys that the metadata itself uses are removed.
    #[inline]
    pub(crate) fn add(&mut self, mut output: ToolOutput) {
        self.content = output.content;
        self.data = output.data;
        self.files_affected = output.files_affected;
        self.metadata.extra = without_reserved(output.metadata);
        self.warnings.append(&mut output.warnings);
    }

    /// Appends to the output.
    #[cold]
    pub(crate) fn append(&mut self, more: ToolOutput) {
        self.content.extend(more.content);
        self.files_affected.extend(more.files_affected);
        self.metadata.extra.extend(without_reserved(more.metadata));
        self.warnings.extend(more.warnings);
    }

    /// Returns the blocks that the model receives: the content without blank text, and one text block per warning.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, ToolDefinition};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
    /// let definition = ToolDefinition::new("count", "Counts.", json!({"type": "object"}));
    /// let count = DynamicTool::new(definition, |cx, _| async move {
    ///     cx.warn("The index is a day old.");
    ///     Ok("3 files".into())
    /// });
    /// let result = Registry::of(count)?.execute("count", json!({})).await;
    /// assert_eq!(result.model_blocks().count(), 2);
    /// assert_eq!(result.to_string(), "3 files\nWarning: The index is a day old.");
    /// # Ok(()) }
    /// ```
    pub fn model_blocks(&self) -> impl Iterator<Item = Cow<'_, ContentBlock>> {
        let is_blank =
            |block: &&ContentBlock| block.as_text().is_some_and(|text| text.trim().is_empty());
        let content = self.content.iter().filter(move |block| !is_blank(block));
        let warnings = self.warnings.iter().map(|warning| warning_text(warning));
        content
            .map(Cow::Borrowed)
            .chain(warnings.map(|text| Cow::Owned(ContentBlock::text(text))))
    }

    /// Returns the text blocks, joined by newlines, without warnings.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect();
        texts.join("\n")
    }
}

impl fmt::Display for ToolResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, block) in self.model_blocks().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}", block.to_text())?;
        }
        Ok(())
    }
}

#[inline]
fn without_reserved(mut metadata: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    if !metadata.is_empty() {
        // The metadata are flat JSON, in which a tool could overwrite our members.
        for key in CallMetadata::KEYS.split(' ') {
            metadata.remove(key);
        }
    }
    metadata
}

/// Returns a warning with one prefix.
fn warning_text(warning: &str) -> Cow<'_, str> {
    if warning.starts_with("Warning: ") {
        Cow::Borrowed(warning)
    } else {
        Cow::Owned(format!("Warning: {warning}"))
    }
}

mod milliseconds {
    use super::{Deserialize, Deserializer, Duration, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        time: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        // The clocks are not more precise than microseconds.
        let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
        (f64::from(micros) / 1000.0).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        let milliseconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(milliseconds / 1000.0).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
