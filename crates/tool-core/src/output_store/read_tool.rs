//! The tool that reads on in an output which was too large to show.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutputHandle, OutputStore, StoreError, StoredPage};
use crate::{
    ErrorCode, OutputLimit, RiskLevel, ToolContext, ToolDefinition, ToolError, Typed, TypedTool,
    text,
};

/// Bytes of a page unless the model asks for another number.
const PAGE: u32 = 16 * 1024;
/// The most bytes of a page.
const MAX_PAGE: u32 = 64 * 1024;

/// Which stored output to read, and which part of it.
///
/// # Examples
/// ```
/// use tool_core::output_store::ReadStoredOutputInput;
///
/// let input: ReadStoredOutputInput = serde_json::from_str(r#"{"handle": "out_00112233445566778899aabbccddeeff"}"#)?;
/// assert_eq!((input.offset, input.limit), (0, 16_384));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadStoredOutputInput {
    /// Handle of the output, as the shortened output names it.
    pub handle: String,
    /// Byte at which to begin, counting from 0.
    #[serde(default)]
    pub offset: u64,
    /// The most bytes to return. The text ends at a line where it can.
    #[serde(default = "page")]
    #[schemars(range(min = 1, max = 65536))]
    pub limit: u32,
}

fn page() -> u32 {
    PAGE
}

/// A part of a stored output.
///
/// # Examples
/// See [`ReadStoredOutput`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadStoredOutputOutput {
    /// The text of this part.
    pub content: String,
    /// Bytes in the whole output.
    pub total: u64,
    #[serde(skip)]
    offset: u64,
    #[serde(skip)]
    next_offset: Option<u64>,
}

/// Reads on in an output which was too large to show: the tool `read_stored_output`.
///
/// It takes `handle`, `offset` in bytes (0) and `limit` in bytes (16,384; 65,536 at most) and gives `content` and
/// `total`. Both ends lie on borders of characters, the end on that of a line where one is near. What the model reads
/// says in its last line where to go on; the number is also `next_offset` in the result's metadata.
///
/// # Errors
/// `invalid_arguments` for a handle that is not known (any longer) and for an offset behind the end; `unavailable` when
/// the store cannot be read.
///
/// # Examples
/// ```
/// # #[cfg(feature = "store")]
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use serde_json::json;
/// use tool_core::output_store::{MemoryStore, OutputStore, ReadStoredOutput};
/// use tool_core::Registry;
///
/// let store = Arc::new(MemoryStore::default());
/// let handle = store.put("one\ntwo\n".into()).await?;
/// let registry = Registry::of(ReadStoredOutput::tool(store))?;
///
/// let result = registry.execute("read_stored_output", json!({"handle": handle, "offset": 4})).await;
/// assert_eq!(result.data, Some(json!({"content": "two\n", "total": 8})));
/// # Ok(()) }
/// # #[cfg(not(feature = "store"))] fn main() {}
/// ```
#[derive(Debug, Clone)]
pub struct ReadStoredOutput {
    store: Arc<dyn OutputStore>,
}

impl ReadStoredOutput {
    /// The name by which a shortened output speaks of the tool.
    pub const NAME: &str = "read_stored_output";

    /// Creates the tool over the store that the registry was given.
    #[must_use]
    pub fn new(store: Arc<dyn OutputStore>) -> Self {
        Self { store }
    }

    /// Creates the tool ready to be registered. A page is bounded by its own limit and not cut again.
    #[must_use]
    pub fn tool(store: Arc<dyn OutputStore>) -> Typed<Self> {
        let no_limit =
            |definition: ToolDefinition| definition.with_output_limit(OutputLimit::unlimited());
        Typed::new(Self::new(store)).define(no_limit)
    }
}

#[async_trait]
impl TypedTool for ReadStoredOutput {
    type Input = ReadStoredOutputInput;
    type Output = ReadStoredOutputOutput;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn description(&self) -> &'static str {
        "Reads a part of an output that was too large to show, by the handle that stands in its place."
    }

    fn risk(&self) -> RiskLevel {
        RiskLevel::ReadOnly
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadStoredOutputInput,
    ) -> Result<ReadStoredOutputOutput, ToolError> {
        let handle = OutputHandle::parse(input.handle.trim()).ok_or_else(not_a_handle)?;
        let limit = input.limit.min(MAX_PAGE) as usize;
        let page = self.store.read(&handle, input.offset, limit).await;
        let page = page.map_err(|error| refusal(error, input.offset))?;
        let next_offset = page.next_offset();
        cx.note("next_offset", next_offset);
        // It is stored already; nothing of it needs to be kept again.
        cx.note(crate::STORED_OUTPUT, handle.as_str());
        let StoredPage {
            content,
            offset,
            total,
        } = page;
        Ok(ReadStoredOutputOutput {
            content,
            total,
            offset,
            next_offset,
        })
    }

    fn render(output: &ReadStoredOutputOutput) -> Option<String> {
        let Some(next) = output.next_offset else {
            return Some(output.content.clone());
        };
        let line_end = if output.content.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        Some(format!(
            "{}{line_end}[… bytes {} to {} of {}; ask for offset {next} to read on]",
            output.content,
            number(output.offset),
            number(next),
            number(output.total),
        ))
    }
}

fn number(number: u64) -> String {
    text::with_commas(usize::try_from(number).unwrap_or(usize::MAX))
}

fn not_a_handle() -> ToolError {
    ToolError::invalid_arguments("handle", "is not a handle")
        .suggest("Copy it from the shortened output; it is `out_` and 32 letters and digits.")
}

fn refusal(error: StoreError, offset: u64) -> ToolError {
    match error {
        StoreError::Unknown => ToolError::invalid_arguments(
            "handle",
            "is not known; it may be mistyped, or the output is no longer kept",
        )
        .suggest("Copy it from the shortened output, or call the first tool again."),
        StoreError::PastEnd { total } => ToolError::invalid_arguments(
            "offset",
            format!(
                "is {}, but the output has {} bytes",
                number(offset),
                number(total)
            ),
        )
        .suggest(format!("Use an offset below {total}.")),
        error => ToolError::new(ErrorCode::Unavailable, "The stored output cannot be read")
            .suggest("Call the tool that gave the output again, for a smaller part.")
            .caused_by(error),
    }
}

#[cfg(test)]
#[cfg(all(feature = "store", feature = "validate"))]
mod tests;
