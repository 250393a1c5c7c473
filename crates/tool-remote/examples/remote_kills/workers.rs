//! Workers as child processes.

use std::collections::HashMap;
use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use tool_core::approval::Policy;
use tool_core::ledger::{Ledger, LedgerError};
use tool_core::{DynamicTool, Hints, OrFail, Registry, RiskLevel, ToolDefinition, ToolOutput};
use tool_ledger::{PostgresLedger, SqliteLedger};
use tool_remote::Worker;

/// Number of workers.
const WORKERS: usize = 3;
/// Run time of a tool.
const WORK: Duration = Duration::from_millis(20);

/// Runs a worker until it is killed. Each run of a tool appends a line to a file, the effect outside the ledger.
pub(crate) async fn serve(directory: &Path) -> Result<(), Box<dyn Error>> {
    let idempotent = Hints {
        idempotent: true,
        ..Hints::of(RiskLevel::SafeWrite)
    };
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .ledger(ledger(directory).await?)
        .ledger_lease(crate::ACK_WAIT)
        .tool(tool("pay", RiskLevel::SafeWrite, None, directory))?
        .tool(tool(
            "store",
            RiskLevel::SafeWrite,
            Some(idempotent),
            directory,
        ))?
        .tool(tool("look", RiskLevel::ReadOnly, None, directory))?
        .build();
    Worker::new(registry, crate::options()?)
        .heartbeat(Duration::from_secs(1))
        .serve()
        .await?;
    Ok(())
}

/// Returns the ledger that the workers share: PostgreSQL if a URL is set, otherwise a file.
async fn ledger(directory: &Path) -> Result<Arc<dyn Ledger>, LedgerError> {
    Ok(match std::env::var("TOOL_LEDGER_POSTGRES_URL") {
        Ok(url) => Arc::new(PostgresLedger::connect(&url).await?),
        Err(_) => Arc::new(SqliteLedger::open(directory.join("ledger.db")).await?),
    })
}

fn tool(name: &str, risk: RiskLevel, hints: Option<Hints>, directory: &Path) -> DynamicTool {
    let schema = json!({
        "type": "object",
        "properties": {"number": {"type": "integer"}},
        "required": ["number"],
    });
    let definition = ToolDefinition::new(name, "Records its run.", schema)
        .with_risk(risk)
        .with_hints(hints.unwrap_or(Hints::of(risk)))
        .with_max_parallel(64);
    let file = directory.join("runs");
    DynamicTool::new(definition, move |_, arguments: Value| {
        let file = file.clone();
        async move {
            let number = arguments.get("number").cloned().unwrap_or_default();
            let line = format!("{number}\n");
            // One write of a short line is atomic in a file that is opened for appending.
            let opened = OpenOptions::new().create(true).append(true).open(file);
            let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
            written.or_fail("The run could not be recorded")?;
            sleep(WORK).await;
            Ok(ToolOutput::json(number))
        }
    })
}

/// Returns the number of runs of each call.
pub(crate) fn runs(directory: &Path) -> Result<HashMap<u64, u64>, Box<dyn Error>> {
    let mut runs = HashMap::new();
    for line in std::fs::read_to_string(directory.join("runs"))?.lines() {
        *runs.entry(line.parse()?).or_default() += 1;
    }
    Ok(runs)
}

/// Running workers, killed on drop.
pub(crate) struct Workers {
    children: Vec<Child>,
    killed: usize,
}

impl Workers {
    pub(crate) fn start(directory: &Path) -> Result<Self, Box<dyn Error>> {
        let children: Result<_, _> = (0..WORKERS).map(|_| start(directory)).collect();
        Ok(Self {
            children: children?,
            killed: 0,
        })
    }

    /// Kills the next worker in turn, and starts another one.
    pub(crate) fn kill_next(&mut self, directory: &Path) -> Result<(), Box<dyn Error>> {
        let number = self.killed % WORKERS;
        if let Some(child) = self.children.get_mut(number) {
            child.kill()?;
            child.wait()?;
            *child = start(directory)?;
        }
        self.killed += 1;
        Ok(())
    }

    pub(crate) fn killed(&self) -> usize {
        self.killed
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for child in &mut self.children {
            // A child that has exited cannot be killed.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn start(directory: &Path) -> Result<Child, Box<dyn Error>> {
    let program: PathBuf = std::env::current_exe()?;
    let child = Command::new(program)
        .arg("worker")
        .arg(directory)
        .stdin(Stdio::null())
        .spawn()?;
    Ok(child)
}
