//! Model requests of a run.

use std::sync::atomic::{AtomicBool, Ordering};

use provider_adapters::{Finish, Usage};
use tokio::time::Instant;
use tool_core::Registry;

use crate::budget::estimated_usage;
use crate::ending::End;
use crate::run::Run;
use crate::spans;
use crate::{
    EventKind, JsonReply, Model, ModelError, ModelReply, ModelRequest, ReplyPiece, TurnChanges,
};

impl Run<'_> {
    /// Sends the transcript to the model and appends its reply.
    pub(crate) async fn ask(
        &mut self,
        tools: &Registry,
        changes: &TurnChanges,
    ) -> Result<ModelReply, End> {
        let turn = self.spent.usage.turns.saturating_add(1);
        self.scope.emit(turn, EventKind::TurnStarted);
        let since = Instant::now();
        let mut reply = self.respond_or_compact(turn, tools, changes).await?;
        self.name_calls(&mut reply, tools);
        // Count the turn only when there is a reply, so that failed requests don't use up the budget of turns.
        self.spent.usage.turns = turn;
        // Some servers report zero tokens, which counts as no report.
        let reported = reply.usage.filter(|usage| *usage != Usage::default());
        self.spent.usage.estimated |= reported.is_none();
        let transcript = &self.conversation.transcript;
        let usage = reported.unwrap_or_else(|| estimated_usage(transcript, tools, &reply));
        let cost = self.cost_of(usage, changes);
        self.spent.usage.add(usage);
        self.spent.usage.add_cost(cost);
        self.spent.budget.spend(&usage, cost);
        self.emit(EventKind::ModelReplied {
            reply: &reply,
            usage,
            cost,
            elapsed: since.elapsed(),
        });
        for call in &mut reply.calls {
            call.record_repaired(tools);
        }
        if has_content(&reply) {
            self.push(reply.to_message()).await?;
        }
        Ok(reply)
    }

    /// Requests a reply. If the conversation is too long, shortens it and tries again once.
    async fn respond_or_compact(
        &mut self,
        turn: u32,
        tools: &Registry,
        changes: &TurnChanges,
    ) -> Result<ModelReply, End> {
        let mut may_compact = true;
        loop {
            let stop = self.cancellation.clone();
            let reply = stop.run_until_cancelled(self.respond(turn, tools, changes, may_compact));
            let error = match reply.await.ok_or(End::Cancelled)? {
                Ok(reply) => return Ok(reply),
                Err(ModelError::Cancelled) => return Err(End::Cancelled),
                Err(error) => error,
            };
            // Only once: a conversation that is still too long after shortening would be sent forever.
            let may_retry = error.is_too_long() && std::mem::take(&mut may_compact);
            if !may_retry || (!self.compact().await? && !self.has_next_model()) {
                return Err(End::Failed(error.into()));
            }
        }
    }

    /// Requests a reply from one model after the other. If `may_compact`, a conversation that is too
    /// long is an error of the run before it is an error of the model.
    async fn respond(
        &mut self,
        turn: u32,
        tools: &Registry,
        changes: &TurnChanges,
        may_compact: bool,
    ) -> Result<ModelReply, ModelError> {
        let shortened = changes.transcript(&self.conversation.transcript);
        let requirements = self.agent.json_reply.as_ref();
        let schema = requirements.and_then(JsonReply::schema);
        let mut is_noted = false;
        loop {
            let transcript = shortened.as_ref().unwrap_or(&self.conversation.transcript);
            let mut request = ModelRequest::new(transcript, tools);
            request.choice = changes.choice.as_ref();
            request.settings = changes.settings.as_ref();
            request.answer_schema = schema;
            // One entry per turn, even if several models are tried: a replay sends the request once.
            if !std::mem::replace(&mut is_noted, true)
                && let Some(journal) = &self.scope.journal
            {
                journal.request(&self.scope.run, turn, &request);
            }
            let error = match self.attempts(turn, changes.model.as_deref(), request).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let compacts = may_compact && error.is_too_long() && self.can_compact();
            // The host has chosen the model of this turn, so no other one may reply.
            let is_fixed = changes.model.is_some() || error == ModelError::Cancelled;
            if compacts || is_fixed || !self.has_next_model() {
                return Err(error);
            }
            self.model_turns.failed_models += 1;
            tracing::debug!(%error, "continuing with the next model");
            self.scope.emit(turn, EventKind::ModelReset);
            self.scope
                .emit(turn, EventKind::ModelChanged { error: &error });
        }
    }

    /// Returns the cost of a reply at the prices of the model that sent it.
    fn cost_of(&self, usage: Usage, changes: &TurnChanges) -> Option<f64> {
        let prices = self.agent.prices.as_ref()?;
        let model = changes.model.as_deref().unwrap_or(self.model());
        let name = model.identity().map(|identity| identity.model);
        Some(prices.of(name).cost_of_turn(&usage))
    }

    fn has_next_model(&self) -> bool {
        self.model_turns.failed_models < self.agent.fallbacks.len()
    }

    fn model(&self) -> &dyn Model {
        let next = self.model_turns.failed_models.checked_sub(1);
        let fallback = next.and_then(|at| self.agent.fallbacks.get(at));
        fallback.map_or(self.agent.model.as_ref(), AsRef::as_ref)
    }

    /// Requests a reply from one model and retries after transient errors.
    async fn attempts(
        &self,
        turn: u32,
        model: Option<&dyn Model>,
        request: ModelRequest<'_>,
    ) -> Result<ModelReply, ModelError> {
        let scope = &self.scope;
        let was_shown = AtomicBool::new(false);
        let show = |piece: ReplyPiece<'_>| {
            was_shown.store(true, Ordering::Relaxed);
            scope.emit(turn, EventKind::ModelPartial { piece });
        };
        let request = if scope.listener.has_listener() {
            request.on_piece(&show)
        } else {
            request
        };
        let model = model.unwrap_or(self.model());
        let model: &dyn Model = scope.replay().map_or(model, |replay| replay);
        let since = Instant::now();
        let mut attempts = 1;
        loop {
            let error = match spans::respond(self.agent, model, &request).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            // Per attempt: without new parts since the last reset, there is nothing to discard.
            let shown = was_shown.swap(false, Ordering::Relaxed);
            let retry = &self.agent.retry;
            let Some(wait) = retry.wait_after(attempts, since.elapsed(), &error) else {
                return Err(error);
            };
            tracing::debug!(attempts, %error, "retrying the model request");
            if shown {
                scope.emit(turn, EventKind::ModelReset);
            }
            let retried = EventKind::ModelRetried {
                attempts,
                error: &error,
                wait,
            };
            scope.emit(turn, retried);
            tokio::time::sleep(wait).await;
            attempts += 1;
        }
    }
}

/// Returns whether the reply belongs into the transcript. Providers reject empty messages, and a
/// resumed conversation must not complete with a truncated or blocked answer.
fn has_content(reply: &ModelReply) -> bool {
    let is_spoilt = matches!(
        reply.finish,
        Finish::Length | Finish::Filtered | Finish::Error | Finish::Other
    );
    if is_spoilt && reply.calls.is_empty() {
        return false;
    }
    let paused = reply.finish == Finish::Paused && !reply.reasoning.is_empty();
    !reply.text.trim().is_empty() || !reply.calls.is_empty() || paused
}
