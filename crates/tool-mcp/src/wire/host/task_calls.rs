//! Calls that become tasks.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CreateTaskResult, ErrorData, TaskPayload,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};
use tool_core::CancellationToken;
use tracing::Instrument;

use super::Host;
use super::client::identity_of;
use super::task::{TTL, payload};
use super::tasks::NewTask;

/// Outcome of a call.
type Outcome = Result<CallToolResponse, ErrorData>;

/// Running call, which is aborted on drop.
struct Work(JoinHandle<Outcome>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Work {
    async fn outcome(&mut self) -> Outcome {
        let outcome = (&mut self.0).await;
        outcome.unwrap_or_else(|_| Err(ErrorData::internal_error("the call was aborted", None)))
    }
}

impl Host {
    /// Runs a call, which becomes a task after `after`.
    pub(super) async fn call_or_task(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        after: Duration,
    ) -> Outcome {
        let stop = self.0.ended.child();
        let mut work = self.start(request.clone(), context.clone(), &stop);
        tokio::select! {
            biased;
            outcome = work.outcome() => return outcome,
            () = context.ct.cancelled() => {
                stop.cancel();
                return work.outcome().await;
            }
            () = sleep(after) => {}
        }
        let subject = identity_of(&context).subject;
        let Some((new, task)) = self.0.tasks.create(subject, &stop).await else {
            return tokio::select! {
                outcome = work.outcome() => outcome,
                () = context.ct.cancelled() => {
                    stop.cancel();
                    work.outcome().await
                }
            };
        };
        let host = self.clone();
        tokio::spawn(async move { host.run_task(new, work, request, context, &stop).await });
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    /// Runs a task until its final state is stored.
    async fn run_task(
        &self,
        new: NewTask,
        work: Work,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        stop: &CancellationToken,
    ) {
        let end = self.finish_task(&new, work, request, context, stop);
        self.0.tasks.share(&new, end).await;
    }

    fn start(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        stop: &CancellationToken,
    ) -> Work {
        let (host, stop) = (self.clone(), stop.clone());
        let work = async move { host.run(request, context, Some(stop)).await };
        Work(tokio::spawn(work.in_current_span()))
    }

    /// Waits for the outcome of a task, and runs it again with the input that it requires.
    async fn finish_task(
        &self,
        new: &NewTask,
        mut work: Work,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        stop: &CancellationToken,
    ) {
        let (tasks, id) = (&self.0.tasks, new.id.as_str());
        let expires = Instant::now() + TTL;
        loop {
            let Ok(outcome) = timeout_at(expires, work.outcome()).await else {
                stop.cancel();
                return tasks.set(id, TaskPayload::Cancelled);
            };
            let required = match outcome {
                Ok(CallToolResponse::InputRequired(required)) => required,
                outcome => return tasks.set(id, payload(outcome)),
            };
            let answers = tasks.answers(id, new.run.as_ref(), &required).await;
            let Some(responses) = answers else {
                return tasks.set(id, TaskPayload::Cancelled);
            };
            request.input_responses = Some(responses);
            request.request_state = required.request_state;
            work = self.start(request.clone(), context.clone(), stop);
        }
    }
}
