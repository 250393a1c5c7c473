//! Tools that call workers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tool_core::ledger::Verified;
use tool_core::{
    Arguments, CallPlan, PreparedCall, SideEffects, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ToolResult,
};

use super::caller::Caller;
use super::output::output_of;
use super::{queued, read};
use crate::wire::{Described, Finding};

/// Tool of a group of workers.
pub(super) struct Proxy {
    definition: ToolDefinition,
    digest: String,
    group: String,
    caller: Arc<Caller>,
}

impl Proxy {
    pub(super) fn new(
        caller: &Arc<Caller>,
        described: &Described,
        digest: &str,
        group: &str,
        timeout: Duration,
    ) -> Self {
        let definition = described
            .to_definition()
            // The worker enforces the tool's timeout, which starts when it runs. This one also covers the queue.
            .with_timeout(described.timeout().unwrap_or_default().max(timeout))
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
                read::call(caller, cx, group, &request).await
            } else {
                queued::call(caller, cx, group, &request).await
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

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({:?})", self.definition.name())
    }
}
