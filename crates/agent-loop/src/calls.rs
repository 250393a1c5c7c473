//! Calls of a run.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde::Deserialize;
use tool_core::{ErrorCode, Registry, RiskLevel, StartSink, ToolCall, ToolError, ToolResult};

use crate::ending::End;
use crate::locked::locked;
use crate::run::{ModelTurns, Run};
use crate::run_file::Replay;
use crate::{
    Checkpoint, CheckpointError, CheckpointSink, EventKind, ModelCall, TotalUsage, agent_tool,
};

impl Run<'_> {
    /// Appends one result for each call: the output, or an error for a call that may not run.
    pub(crate) async fn execute_calls(
        &mut self,
        calls: Vec<ModelCall>,
        tools: &Registry,
    ) -> Result<(), End> {
        if calls.is_empty() {
            return Ok(());
        }
        let mut to_run = Vec::new();
        // One slot per call: results have to be in the order of the calls, including those that don't run.
        let mut refusals = Vec::with_capacity(calls.len());
        let keys: Vec<_> = calls.iter().map(repetition_key).collect();
        for ModelCall { call, refusal, .. } in calls {
            let refusal = refusal.or_else(|| self.refusal(&call, to_run.len()).map(Box::new));
            if refusal.is_none() {
                to_run.push(call);
            }
            refusals.push(refusal);
        }
        let executed = self.execute(to_run, tools).await;
        let mut ran = executed.results.into_iter();
        let results: Vec<ToolResult> = refusals
            .into_iter()
            .filter_map(|refusal| refusal.map(|boxed| *boxed).or_else(|| ran.next()))
            .collect();
        self.model_turns.cycles.add(&keys, &results);
        for (key, result) in keys.into_iter().zip(&results) {
            self.model_turns.repeated.count(key, result);
            self.add_usage_of_agent(result);
            self.emit(EventKind::CallFinished { result });
        }
        self.finish_calls(results, tools).await?;
        if let Some(error) = executed.failure {
            return Err(End::Failed(error.into()));
        }
        let ModelTurns {
            repeated, cycles, ..
        } = &self.model_turns;
        let error = repeated.error(self.agent.stuck_after);
        match error.or_else(|| cycles.error(self.agent.repeating_after)) {
            Some(error) => Err(End::Failed(error)),
            None => Ok(()),
        }
    }

    /// Counts the tokens of a run that was a tool.
    pub(crate) fn add_usage_of_agent(&mut self, result: &ToolResult) {
        // The cost of a child without prices follows from the prices of this run.
        let usage = result.metadata.extra.get(agent_tool::USAGE);
        let usage = usage.and_then(|usage| TotalUsage::deserialize(usage).ok());
        if let Some(mut usage) = usage {
            let prices = self.agent.prices.as_ref();
            let default = || Some(prices?.of(None).cost(&usage));
            usage.cost = usage.cost.or_else(default);
            self.spent.usage.add_child(&usage);
        }
    }

    /// Returns the error of a call that exceeds a limit of the run.
    fn refusal(&self, call: &ToolCall, running: usize) -> Option<ToolResult> {
        let most = self.agent.max_calls_per_turn;
        let replay = self.scope.replay();
        let was_cancelled = replay.is_some_and(Replay::cancels_calls);
        let error = if was_cancelled || self.cancellation.is_cancelled() {
            ToolError::cancelled()
        // No turn is left in which the model could read the result, so an effect would be for nothing.
        } else if !self.has_budget() {
            not_run("The call was not run because the budget of the run is used up")
        } else if running >= most {
            not_run(format!(
                "The call was not run because at most {most} calls are allowed per turn"
            ))
            .suggest("Repeat the call in the next turn.")
        } else {
            return None;
        };
        Some(ToolResult::refused(&call.id, &call.name, error))
    }

    async fn execute(&mut self, calls: Vec<ToolCall>, tools: &Registry) -> Executed {
        for call in &calls {
            let call = &tools.inner_call(call);
            let tool = tools.get(&call.name);
            let risk = tool.map(|tool| tool.definition().risk());
            self.emit(EventKind::CallStarted { call, risk });
        }
        self.spent.usage.calls += calls.len() as u64;
        if let Some(replay) = self.scope.replay() {
            return Executed {
                results: replay.results(calls),
                failure: None,
            };
        }
        let mut options = self.call_options();
        let starts = self.agent.checkpoint.as_ref().map(|sink| {
            Arc::new(Starts {
                sink: Arc::clone(sink),
                run: Arc::clone(&self.scope.run),
                failure: Mutex::default(),
            })
        });
        if let Some(starts) = &starts {
            options = options.with_start_sink(Arc::clone(starts) as Arc<dyn StartSink>);
        }
        let results = tools.execute_many_with(calls, &options).await;
        let failure = starts.and_then(|starts| locked(&starts.failure).take());
        Executed { results, failure }
    }
}

/// Results of the calls of a turn.
struct Executed {
    results: Vec<ToolResult>,
    /// Why a start could not be recorded. The run must not continue without its record.
    failure: Option<CheckpointError>,
}

/// Records the calls of a turn that must not run again after a crash.
struct Starts {
    sink: Arc<dyn CheckpointSink>,
    run: Arc<str>,
    failure: Mutex<Option<CheckpointError>>,
}

#[async_trait]
impl StartSink for Starts {
    async fn starts(&self, call_id: &str, risk: RiskLevel) -> Result<(), ToolError> {
        if risk == RiskLevel::ReadOnly {
            return Ok(());
        }
        let ids = [call_id.to_owned()];
        let entry = Checkpoint::Started(&ids);
        self.sink.record(&self.run, &entry).await.map_err(|error| {
            *locked(&self.failure) = Some(error.clone());
            not_recorded()
        })
    }
}

fn not_recorded() -> ToolError {
    let message = "The call was not run because its start could not be recorded";
    ToolError::new(ErrorCode::Other("checkpoint".into()), message)
}

fn not_run(message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorCode::Other("budget_exceeded".into()), message)
}

/// Returns the parts of a call that identify a repetition.
fn repetition_key(call: &ModelCall) -> (String, String) {
    (call.call.name.clone(), call.call.arguments.to_text())
}
