//! Tools that call workers, and the results of workers as their outputs.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tool_core::ErrorReport;
use tool_core::ledger::Verified;
use tool_core::{
    Arguments, CallPlan, PreparedCall, SideEffects, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ToolResult,
};

use super::caller::Caller;
use super::calls::{queue, read};
use crate::wire::{Described, Finding};

/// Tool of a group of workers.
#[derive(Clone)]
pub(super) struct Proxy {
    definition: ToolDefinition,
    digest: String,
    group: String,
    caller: Arc<Caller>,
}

impl Proxy {
    pub(super) fn new(
        caller: &Arc<Caller>,
        described: Described,
        digest: &str,
        group: &str,
        timeout: Duration,
    ) -> Self {
        // The worker enforces the tool's timeout, which starts when it runs. This one also covers the queue.
        let timeout = described.timeout().unwrap_or_default().max(timeout);
        let definition = described
            .into_definition()
            .with_timeout(timeout)
            .with_source(format!("the workers `{group}`"))
            // The workers' own registry decides which calls may overlap; here they only wait for the queue.
            .with_max_parallel(usize::MAX);
        Self {
            definition,
            digest: digest.to_owned(),
            group: group.to_owned(),
            caller: Arc::clone(caller),
        }
    }

    /// Returns whether the group offers the tool with this definition.
    pub(super) fn is_of(&self, group: &str, digest: &str) -> bool {
        self.group == group && self.digest == digest
    }
}

#[async_trait]
impl Tool for Proxy {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition.risk());
        Ok(PreparedCall::new(plan, self.call(cx, arguments)))
    }

    /// Searches the ledger of the workers. A call that is not in it may still be in the queue, so it stays unknown.
    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        let request = self
            .caller
            .request(cx, &self.definition, &self.digest, arguments);
        let Ok(body) = self.caller.pack(&request).await else {
            return Verified::Unknown;
        };
        match self.caller.find(&self.group, body).await {
            Finding::Settled(result) => verified(*result),
            _ => Verified::Unknown,
        }
    }
}

impl Proxy {
    async fn call(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let (caller, group) = (&self.caller, &self.group);
        let request = caller.request(cx, &self.definition, &self.digest, arguments);
        let calling = async {
            if self.definition.hints().read_only {
                read(caller, cx, group, &request).await
            } else {
                queue(caller, cx, group, &request).await
            }
        };
        let finished = Box::pin(calling).await?;
        if !finished.worker.is_empty() {
            cx.note("worker", finished.worker);
        }
        let result = finished.result;
        if !result.success {
            // An error contains neither.
            result.warnings.iter().for_each(|warning| cx.warn(warning));
            result
                .files_affected
                .iter()
                .for_each(|file| cx.affected(file));
        }
        output_of(result)
    }
}

fn verified(result: ToolResult) -> Verified {
    let side_effects = result.metadata.side_effects;
    match output_of(result) {
        Ok(output) => Verified::Happened(output),
        Err(_) if side_effects == SideEffects::None => Verified::DidNotHappen,
        Err(_) => Verified::Unknown,
    }
}

tool_core::debug_fields!(Proxy, this => name: this.definition.name());

/// Converts the result of a worker.
pub(super) fn output_of(result: ToolResult) -> Result<ToolOutput, ToolError> {
    let side_effects = result.metadata.side_effects;
    let mut output = ToolOutput::default();
    output.content = result.content;
    output.data = result.data;
    output.files_affected = result.files_affected;
    output.warnings = result.warnings;
    output.metadata = result.metadata.extra;
    match result.error {
        None if result.success => Ok(output),
        None => Err(
            ToolError::failed("The worker returned a failure without an error")
                .with_side_effects(side_effects),
        ),
        Some(report) => Err(error_of(*report, output).with_side_effects(side_effects)),
    }
}

/// Converts an error. The first block repeats the error, and partial output follows. The proxy adds warnings and files.
fn error_of(report: ErrorReport, mut output: ToolOutput) -> ToolError {
    let text = report.to_model_text();
    let error = if report.issues.is_empty() {
        ToolError::new(report.code.clone(), "")
    } else {
        ToolError::from_issues(report.issues)
    };
    let mut error = error
        .reworded(report.code, report.message)
        .with_parameter(report.parameter.as_deref())
        .with_retryable(report.retryable);
    if let Some(suggestion) = report.suggestion {
        error = error.suggest(suggestion);
    }
    if let Some(wait) = report.retry_after {
        error = error.with_retry_after(wait);
    }
    if !output.content.is_empty() {
        let first = output.content.remove(0);
        let shown = first.as_text().filter(|shown| *shown != text);
        if let Some(shown) = shown {
            error = error.with_text(shown);
        }
    }
    if output.content.is_empty() && output.data.is_none() && output.metadata.is_empty() {
        return error;
    }
    output.warnings.clear();
    output.files_affected.clear();
    error.with_output(output)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use tool_core::{ContentBlock, DynamicTool, ErrorCode, Registry, ToolDefinition};

    use super::*;

    async fn result(outcome: fn() -> Result<ToolOutput, ToolError>) -> ToolResult {
        let definition = ToolDefinition::new("f", "F.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition, move |cx, _| async move {
            cx.note("exit_code", 1);
            outcome()
        });
        let result = Registry::of(tool).unwrap().execute("f", json!({})).await;
        let sent = serde_json::to_string(&result).unwrap();
        serde_json::from_str(&sent).unwrap()
    }

    /// Runs a tool here, and a proxy that returns its result.
    async fn compare(outcome: fn() -> Result<ToolOutput, ToolError>) -> (ToolResult, ToolResult) {
        let here = result(outcome).await;
        let sent = here.clone();
        let definition = ToolDefinition::new("f", "F.", json!({"type": "object"}));
        let proxy = DynamicTool::new(definition, move |_, _| {
            let sent = sent.clone();
            async move { output_of(sent) }
        });
        let there = Registry::of(proxy).unwrap().execute("f", json!({})).await;
        (here, there)
    }

    #[tokio::test]
    async fn proxies_and_tools_return_equal_results() {
        let outcomes: [fn() -> Result<ToolOutput, ToolError>; 9] = [
            || Ok(ToolOutput::text("done")),
            || Ok(ToolOutput::text("three items").with_data(json!({"n": 3}))),
            || {
                let foreign = "see https://example.com/docs";
                Err(ToolError::failed("").reworded(ErrorCode::Failed, foreign))
            },
            || {
                let mut output = ToolOutput::default().with_data(json!({"left": 1}));
                let (media_type, data) = ("image/png".to_owned(), "YQ==".to_owned());
                output.content = vec![ContentBlock::Image { media_type, data }];
                Err(ToolError::failed("It broke").with_output(output))
            },
            || Ok(ToolOutput::json(json!({"n": [1, 2]}))),
            || Err(ToolError::file_not_found("path", "does not exist").suggest("Use `a`.")),
            || {
                Err(ToolError::timeout(Duration::from_secs(1))
                    .with_retry_after(Duration::from_secs(3)))
            },
            || Err(ToolError::failed("It broke").with_output(ToolOutput::text("half"))),
            || Err(ToolError::outcome_unknown("The line broke").with_text("shown text")),
        ];
        for outcome in outcomes {
            let (here, there) = compare(outcome).await;

            assert_eq!(there.to_string(), here.to_string());
            assert_eq!(there.success, here.success);
            assert_eq!(there.data, here.data);
            assert_eq!(there.error, here.error);
            assert_eq!(there.metadata.side_effects, here.metadata.side_effects);
            assert_eq!(there.content, here.content);
            assert_eq!(there.metadata.extra, here.metadata.extra);
        }
    }

    #[tokio::test]
    async fn failure_without_error_is_error() {
        let mut result = result(|| Ok("x".into())).await;
        result.success = false;

        assert_eq!(*output_of(result).unwrap_err().code(), ErrorCode::Failed);
    }
}
