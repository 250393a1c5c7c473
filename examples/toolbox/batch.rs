//! `batch`: many concurrent calls in one registry.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;
use std::{io, thread};

use clap::Args;
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;
use tool_core::{CallOptions, CancellationToken, Registry, ToolCall, ToolResult};

use crate::approval::Approval;
use crate::failure::Failure;
use crate::lines::{self, Case, Line};
use crate::options::{SandboxOptions, ToolsetOptions};
use crate::{output, runtime};

/// Finished results per job that may wait for an earlier one.
const WAITING_PER_JOB: usize = 4;

/// Calls the tools specified on standard input and prints one result per line, in input order.
#[derive(Debug, Args)]
#[command(
    after_help = r#"Each line: {"id", "tool", "arguments" (a value) or "text" (raw model output), "timeout_ms"?}

Example:
  echo '{"id": 1, "tool": "read", "arguments": {"path": "README.md"}}' | toolbox batch"#
)]
pub(crate) struct Batch {
    #[command(flatten)]
    toolset: ToolsetOptions,
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// Handling of calls that require approval; prompts are not possible.
    #[arg(long, value_name = "WHO", value_enum, default_value_t)]
    approve: Approval,
    /// Maximum number of concurrent calls.
    #[arg(long, value_name = "N", default_value = "16")]
    jobs: NonZeroUsize,
}

impl Batch {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let jobs = self.jobs.get();
        let builder = Registry::builder().parallel_calls(jobs);
        let builder = self.toolset.add_to(builder, &self.sandbox)?;
        let contract = self.toolset.contract;
        let registry = self.approve.configure(builder, false, contract).build();
        runtime::run(async |interrupt| {
            let mut queue = Queue::new(registry.clone(), interrupt.clone(), jobs);
            let work = async || {
                let worked = queue.work(read_ahead()).await;
                // Before the stop, which cancels the same token.
                let was_interrupted = interrupt.is_cancelled();
                queue.stop().await;
                worked.map(|()| was_interrupted)
            };
            let worked = self.toolset.with_servers(&registry, &interrupt, work);
            match worked.await?.transpose()? {
                Some(false) => Ok(ExitCode::SUCCESS),
                _ => Ok(ExitCode::from(runtime::INTERRUPTED)),
            }
        })?
    }
}

/// Reads lines on a separate thread, one line ahead, so that waiting for input does not block
/// calls.
fn read_ahead() -> Receiver<Result<Line, Failure>> {
    let (sender, receiver) = mpsc::channel(1);
    thread::spawn(move || {
        for line in lines::cases(io::stdin().lock()) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Running calls, and results that wait for earlier ones.
struct Queue {
    registry: Registry,
    interrupt: CancellationToken,
    jobs: usize,
    running: JoinSet<(usize, Value)>,
    waiting: BTreeMap<usize, Value>,
    taken: usize,
    printed: usize,
}

impl Queue {
    fn new(registry: Registry, interrupt: CancellationToken, jobs: usize) -> Self {
        Self {
            registry,
            interrupt,
            jobs,
            running: JoinSet::new(),
            waiting: BTreeMap::new(),
            taken: 0,
            printed: 0,
        }
    }

    async fn work(&mut self, mut lines: Receiver<Result<Line, Failure>>) -> Result<(), Failure> {
        let (mut is_open, mut unreadable) = (true, Ok(()));
        loop {
            tokio::select! {
                line = lines.recv(), if is_open && self.has_room() => match line {
                    Some(Ok(line)) => self.take(line),
                    Some(Err(failure)) => (is_open, unreadable) = (false, Err(failure)),
                    None => is_open = false,
                },
                Some(answered) = self.running.join_next(), if !self.running.is_empty() => {
                    // Registry calls return a result even if they panic, so the task itself does
                    // not fail.
                    self.waiting.extend(answered.ok());
                }
                () = self.interrupt.cancelled(), if is_open => is_open = false,
                else => return unreadable,
            }
            self.print()?;
        }
    }

    /// Cancels the remaining calls.
    async fn stop(&mut self) {
        self.interrupt.cancel();
        while self.running.join_next().await.is_some() {}
    }

    fn has_room(&self) -> bool {
        let ahead = self.taken - self.printed;
        self.running.len() < self.jobs && ahead < self.jobs.saturating_mul(WAITING_PER_JOB)
    }

    fn take(&mut self, line: Line) {
        let place = self.taken;
        self.taken += 1;
        match line {
            Ok(case) => {
                let call = answer(self.registry.clone(), case, self.interrupt.child());
                self.running.spawn(async move { (place, call.await) });
            }
            Err(unreadable) => {
                self.waiting.insert(place, json!(unreadable));
            }
        }
    }

    fn print(&mut self) -> Result<(), Failure> {
        while let Some(answer) = self.waiting.remove(&self.printed) {
            output::line(&answer)?;
            self.printed += 1;
        }
        Ok(())
    }
}

async fn answer(registry: Registry, case: Case, cancellation: CancellationToken) -> Value {
    let id = match &case.id {
        Value::String(id) => id.clone(),
        other => other.to_string(),
    };
    let call = ToolCall::new(case.tool, case.arguments).with_id(id);
    let mut options = CallOptions::default().with_cancellation(cancellation);
    options.timeout = case.timeout_ms.map(Duration::from_millis);
    let result = registry.spawn(call, options).await;
    with_id(&result, case.id)
}

/// Replaces the result's id with the original one, which may be a number.
fn with_id(result: &ToolResult, id: Value) -> Value {
    let mut answer = json!(result);
    if let Some(members) = answer.as_object_mut() {
        members.insert("id".to_owned(), id);
    }
    answer
}
