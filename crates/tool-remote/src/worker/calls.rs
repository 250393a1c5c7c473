//! Execution of calls through the registry, and their keys in the ledger.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};
use tool_core::ledger::CallKey;
use tool_core::{
    Arguments, CallOptions, CancellationToken, ErrorCode, SideEffects, Tool, ToolCall, ToolContext,
    ToolError, ToolResult,
};

use super::cancelled::Cancelled;
use super::offers::Offers;
use crate::DecisionKey;
use crate::decision_key::Decided;
use crate::nats::{Body, Delivery, Link};
use crate::wire::{Finished, Outcome, REPORT, Report, Request, Sent};

/// Delay before a call whose key is in use is tried again.
const RETRY: Duration = Duration::from_millis(200);
/// Signs of life per `ack_wait`. At least three must arrive in time.
const TICKS: u32 = 4;

/// Registry, connection and settings of a worker.
pub(super) struct Calls {
    pub(super) offers: Offers,
    pub(super) name: String,
    pub(super) group: String,
    pub(super) decisions: Option<DecisionKey>,
    pub(super) cancelled: Cancelled,
    pub(super) link: Link,
}

/// The way on which a call arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Through the queue. The call has a key in the ledger.
    Queue,
    /// As a request. The tool must be read-only.
    Request,
}

impl Calls {
    /// Returns the tool of a request if the worker has the definition that the caller knows.
    pub(super) fn tool(&self, request: &Request) -> Option<Arc<dyn Tool>> {
        let offer = self.offers.current().ok()?;
        if !offer.has(&request.tool, &request.definition) {
            return None;
        }
        self.offers.registry().get(&request.tool)
    }

    /// Runs a call through the registry.
    pub(super) async fn execute(
        &self,
        request: &Request,
        way: Way,
        reply: Option<&str>,
    ) -> Outcome {
        let Some(tool) = self.tool(request) else {
            return Outcome::OtherDefinition;
        };
        let result = match self.permitted(request, tool.as_ref(), way) {
            Ok(decided) => self.run(request, tool.as_ref(), way, decided, reply).await,
            Err(error) => refused(request, error),
        };
        self.finished(result)
    }

    pub(super) fn finished(&self, result: ToolResult) -> Outcome {
        Outcome::Finished(Box::new(Finished {
            worker: self.name.clone(),
            result,
        }))
    }

    /// Returns the decision of the caller's side. A caller is not trusted: the worker compares everything that the decision
    /// binds with its own definition.
    fn permitted(
        &self,
        request: &Request,
        tool: &dyn Tool,
        way: Way,
    ) -> Result<Option<Decided>, ToolError> {
        let definition = tool.definition();
        let is_read_only = definition.hints().read_only;
        // A request has no ledger entry and callers repeat it, so an effect could happen twice.
        if way == Way::Request && !is_read_only {
            return Err(denied("Calls with effects must be queued"));
        }
        let Some(key) = &self.decisions else {
            return Ok(None);
        };
        let Sent::Sealed(sealed) = &request.arguments else {
            // A call that only reads needs no approval, and callers without the key may read too.
            if is_read_only {
                return Ok(None);
            }
            return Err(denied(
                "The worker requires a decision of the caller's side",
            ));
        };
        let decided = key.open(&request.key.to_string(), sealed.as_ref().clone());
        let arguments = request.arguments.value().clone();
        let own = ApprovalRequest::new("", definition, arguments, definition.risk());
        match decided.filter(|decided| decided.covers(&own)) {
            Some(decided) => Ok(Some(decided)),
            None => Err(denied(
                "The decision of the caller's side is invalid or has expired",
            )),
        }
    }

    fn options(
        &self,
        request: &Request,
        tool: &dyn Tool,
        way: Way,
        decided: Option<Decided>,
    ) -> CallOptions {
        let tenant = self.link.names().tenant();
        let mut options = CallOptions::default();
        options = match way {
            Way::Queue => {
                let key = ledger_key(tenant, request, tool);
                options.with_scope(key.scope).with_call_key(key.key)
            }
            // Without a key of the host, the registry uses the ledger only for arguments with effects.
            Way::Request => options.with_scope(scope(tenant, &request.key)),
        };
        if self.decisions.is_some() {
            options = options.with_approver(SealedApprover(decided));
        }
        match &request.parent {
            Some(parent) => options.with_parent_id(parent.clone()),
            None => options,
        }
    }

    async fn run(
        &self,
        request: &Request,
        tool: &dyn Tool,
        way: Way,
        decided: Option<Decided>,
        reply: Option<&str>,
    ) -> ToolResult {
        let registered = self.cancelled.register(reply.unwrap_or_default());
        let token = &registered.token;
        let options = self.options(request, tool, way, decided);
        let patience = Instant::now() + self.link.options().ack_wait;
        loop {
            let options = options.clone().with_cancellation(token.child());
            let result = self.run_once(request, options, reply).await;
            let is_retried = match code_of(&result) {
                // Another worker runs the call, or its lease has not ended yet.
                Some(ErrorCode::InProgress) => true,
                // A short failure of the database should not fail calls that only wait.
                Some(ErrorCode::LedgerUnavailable) => Instant::now() < patience,
                _ => false,
            };
            if !is_retried || way == Way::Request || cancelled_within(token, RETRY).await {
                return result;
            }
        }
    }

    /// Runs a call once, and forwards its progress.
    async fn run_once(
        &self,
        request: &Request,
        options: CallOptions,
        reply: Option<&str>,
    ) -> ToolResult {
        let arguments = request.arguments.value().clone();
        let call = ToolCall::new(&request.tool, arguments).with_id(&request.key.key);
        let mut handle = self.offers.registry().spawn(call, options);
        while let Some(event) = handle.next_report().await {
            if let Some(reply) = reply {
                self.report(reply, &Report::Event(event)).await;
            }
        }
        handle.await
    }

    /// Waits for the end of a call, and tells the queue and the caller in the meantime that it runs.
    pub(super) async fn kept_alive<T>(
        &self,
        work: impl Future<Output = T>,
        delivery: Option<&Delivery>,
        reply: Option<&str>,
    ) -> T {
        let mut work = pin!(work);
        let mut timer = interval(self.link.options().ack_wait / TICKS);
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        timer.tick().await;
        loop {
            tokio::select! {
                output = &mut work => return output,
                _ = timer.tick() => {
                    if let Some(delivery) = delivery {
                        delivery.extend().await;
                    }
                    if let Some(reply) = reply {
                        self.report(reply, &Report::Alive).await;
                    }
                }
            }
        }
    }

    /// Sends a message about a running call. Lost reports are not repeated.
    pub(super) async fn report(&self, reply: &str, report: &Report) {
        let Some(body) = self.packed(report).await else {
            return;
        };
        let subject = [reply, REPORT].concat();
        if let Err(error) = self.link.publish(subject, body, None).await {
            tracing::debug!(%error, "a report was not sent");
        }
    }

    /// Sends the outcome of a call. A caller that does not receive it searches the ledger.
    pub(super) async fn reply(&self, reply: Option<&str>, outcome: &impl Serialize) {
        let Some(reply) = reply else { return };
        let Some(body) = self.packed(outcome).await else {
            return;
        };
        if let Err(error) = self.link.publish(reply.to_owned(), body, None).await {
            tracing::warn!(%error, "an outcome was not sent");
        }
    }

    async fn packed(&self, message: &impl Serialize) -> Option<Body> {
        let packed = match serde_json::to_vec(message) {
            Ok(payload) => self.link.pack(payload).await,
            Err(error) => Err(error.into()),
        };
        packed
            .inspect_err(|error| tracing::warn!(%error, "a message could not be stored"))
            .ok()
    }
}

/// Returns `true` if the call is cancelled within `time`.
async fn cancelled_within(token: &CancellationToken, time: Duration) -> bool {
    token.run_until_cancelled(sleep(time)).await.is_none()
}

fn code_of(result: &ToolResult) -> Option<ErrorCode> {
    result.error.as_ref().map(|error| error.code.clone())
}

/// Returns the result of a call of which nobody knows whether it took effect.
pub(super) fn unknown(request: &Request, sentence: String) -> ToolResult {
    let error = ToolError::outcome_unknown(sentence).suggest("Check before you call it again.");
    let mut result = refused(request, error);
    result.metadata.side_effects = SideEffects::Possible;
    result
}

/// Returns the result of a call that did not run.
pub(super) fn refused(request: &Request, error: ToolError) -> ToolResult {
    ToolResult::refused(request.key.key.as_str(), request.tool.as_str(), error)
}

fn denied(sentence: &str) -> ToolError {
    ToolError::new(ErrorCode::ApprovalDenied, sentence)
        .suggest("Tell the user that the worker rejects the call.")
}

/// Returns the scope of a caller's calls. It differs from the caller's own scope, so that both sides may share a ledger.
fn scope(tenant: &str, key: &CallKey) -> String {
    ["remote/", tenant, "/", &key.scope].concat()
}

/// Returns the key of a call: the tool's own, or the caller's.
pub(super) fn ledger_key(tenant: &str, request: &Request, tool: &dyn Tool) -> CallKey {
    let scope = scope(tenant, &request.key);
    let arguments = Arguments::from_value(request.arguments.value().clone());
    let cx = ToolContext::new(&*request.key.key, tool.definition().name());
    let prepared = tool.prepare(&cx, &arguments);
    // A call that cannot be prepared fails in the registry, under any key.
    match prepared.ok().and_then(|prepared| prepared.plan.once) {
        Some(own) => CallKey::new(scope, [&request.tool, ":", &own].concat()),
        None => CallKey::new(scope, request.key.key.clone()),
    }
}

/// Approves the request that the decision covers, and no other.
struct SealedApprover(Option<Decided>);

#[async_trait]
impl Approver for SealedApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let is_covered = self
            .0
            .as_ref()
            .is_some_and(|decided| decided.covers(request));
        let answer = if is_covered {
            Answer::Approve
        } else {
            let reason = "the worker requires an approval that the caller did not send";
            Answer::Deny {
                reason: Some(reason.to_owned()),
            }
        };
        Decision::new(request, answer)
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}
