//! The runs of the server.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use agent_loop::{AgentLoop, Model};
use tool_core::approval::{Policy, Rule, Verdict};
use tool_core::{Registry, RiskLevel, Toolset};
use tools_builtin::toolsets::{self, ToolGroup};
use tools_builtin::{Kit, Workspace};

use crate::run_log::{Follower, RunLog};

/// Maximum number of runs that the server keeps. Finished runs are removed first.
const MAX_RUNS: usize = 50;
const SYSTEM: &str =
    "You help in one directory with the given tools. Paths are relative to it. Be brief.";

/// Runs of one workspace and model.
pub struct Runs {
    toolset: Toolset,
    model: Arc<dyn Model>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    started: u64,
    runs: VecDeque<(String, Arc<RunLog>)>,
}

impl Runs {
    /// Opens the workspace.
    ///
    /// # Errors
    /// Returns a one-line message if the directory cannot be used.
    pub fn new(workspace: &Path, model: Arc<dyn Model>) -> Result<Self, String> {
        let workspace = Workspace::open(workspace)
            .map_err(|error| format!("{error}; set --workspace to a readable directory"))?;
        let kit = Kit::new(workspace);
        let toolset = toolsets::standard(&kit)
            .and_then(|toolset| ToolGroup::Plan.add_to(toolset, &kit))
            .map_err(|error| error.to_string())?;
        Ok(Self {
            toolset,
            model,
            kept: Mutex::default(),
        })
    }

    /// Starts a run and returns its ID; `None` if too many runs are active.
    ///
    /// # Errors
    /// Returns a one-line message if the tools cannot be registered.
    pub fn start(&self, task: String) -> Result<Option<String>, String> {
        let log = Arc::new(RunLog::new());
        let agent = self.agent(&log)?;
        let Some(id) = self.keep(&log) else {
            return Ok(None);
        };
        let name = id.clone();
        tokio::spawn(async move {
            let run = agent.run(task).with_id(name);
            let outcome = run.cancellation(log.stop.clone()).await;
            log.end(&outcome);
        });
        Ok(Some(id))
    }

    /// Returns the run with this ID.
    pub fn get(&self, id: &str) -> Option<Arc<RunLog>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut runs = kept.runs.iter();
        runs.find(|(own, _)| own == id)
            .map(|(_, log)| Arc::clone(log))
    }

    fn keep(&self, log: &Arc<RunLog>) -> Option<String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.runs.len() >= MAX_RUNS {
            let finished = kept.runs.iter().position(|(_, run)| run.has_ended())?;
            kept.runs.remove(finished);
        }
        kept.started += 1;
        let id = format!("run_{}", kept.started);
        kept.runs.push_back((id.clone(), Arc::clone(log)));
        Some(id)
    }

    /// Returns an agent whose events and approval requests go to `log`.
    fn agent(&self, log: &Arc<RunLog>) -> Result<AgentLoop, String> {
        let follower = Follower(Arc::clone(log));
        // The plan is part of the conversation, not a file of the user.
        let policy = Policy::default()
            .with_verdict(RiskLevel::SafeWrite, Verdict::Ask)
            .with_rule(Rule::new("plan", "plan", Verdict::Allow));
        let registry = Registry::builder()
            .policy(policy)
            .approver(follower.clone())
            .toolset(&self.toolset)
            .map_err(|error| error.to_string())?
            .build();
        Ok(AgentLoop::new(registry, Arc::clone(&self.model))
            .system(SYSTEM)
            .on_event(follower))
    }
}
