//! Rendering of outcomes by a presentation, and its additions to the metadata.

use std::sync::Arc;

use serde_json::Value;

use crate::{Arguments, ContentBlock, ToolContext, ToolError, ToolOutput};

type OutputFn<O, R> = Arc<dyn Fn(&O, &Arguments<'_>) -> R + Send + Sync>;

/// Replacement of errors.
pub(super) type ErrorMap = Arc<dyn Fn(ToolError, &Arguments<'_>) -> ToolError + Send + Sync>;

/// Rendering of outputs.
#[derive(Clone)]
pub(super) struct Rendering<O> {
    pub(super) render: Option<OutputFn<O, String>>,
    pub(super) fail: Option<OutputFn<O, Option<ToolError>>>,
    pub(super) notes: Vec<(String, OutputFn<O, Value>)>,
    pub(super) warnings: Vec<OutputFn<O, Option<String>>>,
    pub(super) map_warning: Option<Arc<dyn Fn(String) -> String + Send + Sync>>,
}

impl<O> Rendering<O> {
    /// Applies the rendering. `arguments` are the tool's own.
    pub(super) fn apply(
        &self,
        output: &O,
        arguments: &Arguments<'_>,
        cx: &ToolContext,
        mut shown: ToolOutput,
    ) -> Result<ToolOutput, ToolError> {
        if let Some(render) = &self.render {
            let text = render(output, arguments);
            shown.content.retain(|block| block.as_text().is_none());
            shown.content.insert(0, ContentBlock::text(text));
        }
        for (key, note) in &self.notes {
            shown.metadata.insert(key.clone(), note(output, arguments));
        }
        let warnings = self.warnings.iter();
        for warning in warnings.filter_map(|warning| warning(output, arguments)) {
            cx.warn(warning);
        }
        if let Some(map) = &self.map_warning {
            cx.move_additions_to(&mut shown);
            shown.warnings = shown.warnings.into_iter().map(|one| map(one)).collect();
        }
        match self.fail.as_ref().and_then(|fail| fail(output, arguments)) {
            None => Ok(shown),
            Some(error) => Err(with_output_of(error, shown)),
        }
    }
}

/// Adds the output without its content to the error. The error's own output keeps its content.
fn with_output_of(error: ToolError, mut shown: ToolOutput) -> ToolError {
    shown.content = match error.output() {
        Some(own) => own.content.clone(),
        None => Vec::new(),
    };
    error.with_output(shown)
}

impl<O> Default for Rendering<O> {
    fn default() -> Self {
        Self {
            render: None,
            fail: None,
            notes: Vec::new(),
            warnings: Vec::new(),
            map_warning: None,
        }
    }
}
