//! Engines over the directory of a [`RepositorySource`].

use std::sync::Arc;

use tool_core::{RiskLevel, ToolContext, ToolError, TypedTool};

use crate::repository::RepositorySource;
use crate::workspace::Workspace;

/// Tool of an engine that opens the repository for each call.
pub(super) struct FromSource<E: TypedTool> {
    source: Arc<dyn RepositorySource>,
    engine: fn(Workspace) -> E,
    texts: fn(&mut E::Output) -> Vec<&mut String>,
}

impl<E: TypedTool> FromSource<E> {
    /// Creates a tool. `texts` returns the texts of an output that are contents of files.
    pub(super) fn new(
        source: &Arc<dyn RepositorySource>,
        engine: fn(Workspace) -> E,
        texts: fn(&mut E::Output) -> Vec<&mut String>,
    ) -> Self {
        Self {
            source: Arc::clone(source),
            engine,
            texts,
        }
    }
}

impl<E: TypedTool> TypedTool for FromSource<E> {
    type Input = E::Input;
    type Output = E::Output;

    const RISK: RiskLevel = E::RISK;

    async fn run(&self, cx: &ToolContext, input: E::Input) -> Result<E::Output, ToolError> {
        let opened = self.source.open(cx).await?;
        let engine = (self.engine)(opened.workspace.clone());
        let mut output = engine.run(cx, input).await?;
        for text in (self.texts)(&mut output) {
            *text = opened.redactor.scrub(text).into_owned();
        }
        Ok(output)
    }
}
