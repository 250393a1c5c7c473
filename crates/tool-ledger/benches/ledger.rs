//! What does a ledger add to a call, as a ratio to a commit of one row through the same kind of thread or pool?
//!
//! tests/postgres.sh cargo bench -p tool-ledger --all-features --bench ledger -- [DIRECTORY] [--quick]
//!
//! DIRECTORY holds the SQLite files and must be on a disk; the default is the directory for temporary files. PostgreSQL is measured
//! if `TOOL_LEDGER_POSTGRES_URL` is set, which `tests/postgres.sh` does for its command.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tool_core::approval::Policy;
use tool_core::ledger::Ledger;
use tool_core::{CallOptions, DynamicTool, Registry, RiskLevel, ToolCall, ToolDefinition};
use tool_ledger::deadpool_postgres::{Config, Pool, Runtime as PoolRuntime, tokio_postgres::NoTls};
use tool_ledger::{PostgresLedger, SqliteLedger};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Calls of each kind in a round.
const CALLS: u32 = 40;

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rounds = if words.iter().any(|word| word == "--quick") {
        1
    } else {
        15
    };
    let directory = words.into_iter().find(|word| !word.starts_with('-'));
    let directory = directory.map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = tempfile::tempdir_in(directory)?;
    let runtime = Runtime::new()?;
    print("| figure | measured | limit |\n|---|---:|---:|")?;
    // Callers are tasks of the runtime, as in servers. From the main thread, each operation needs two more switches of threads.
    runtime.block_on(runtime.spawn(sqlite(directory.path().to_owned(), rounds)))??;
    match std::env::var("TOOL_LEDGER_POSTGRES_URL") {
        Ok(url) => runtime.block_on(runtime.spawn(postgres(url, rounds)))?,
        Err(_) => print("PostgreSQL was skipped: set TOOL_LEDGER_POSTGRES_URL"),
    }
}

fn print(line: &str) -> Outcome {
    writeln!(std::io::stdout().lock(), "{line}")?;
    Ok(())
}

fn registry(ledger: Option<Arc<dyn Ledger>>) -> Outcome<Registry> {
    let definition =
        ToolDefinition::new("echo", "Returns its arguments.", json!({"type": "object"}))
            .with_risk(RiskLevel::SafeWrite);
    let echo = DynamicTool::new(definition, |_, arguments| async move {
        Ok(tool_core::ToolOutput::json(arguments))
    });
    let builder = Registry::builder().policy(Policy::allow_all());
    let builder = match ledger {
        Some(ledger) => builder.ledger(ledger),
        None => builder,
    };
    Ok(builder.tool(echo)?.build())
}

/// Executes a call with a new key.
async fn call(registry: Registry) -> Outcome {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let id = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
    let call = ToolCall::new("echo", json!({"text": "x".repeat(100)})).with_id(id);
    let options = CallOptions::default().with_scope("bench");
    let result = registry.execute_call(&call, &options).await;
    if result.success && result.warnings.is_empty() {
        Ok(())
    } else {
        Err(result.to_string().into())
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the time of one call in microseconds.
async fn time<F>(mut work: impl FnMut() -> F + Send) -> Outcome<f64>
where
    F: Future<Output = Outcome> + Send,
{
    let since = Instant::now();
    for _ in 0..CALLS {
        work().await?;
    }
    Ok(since.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS))
}

/// Overhead of ledgered calls of one caller over a commit, as the median of ratios.
async fn overhead<F>(
    ledger: Arc<dyn Ledger>,
    mut commit: impl FnMut() -> F + Send,
    rounds: usize,
) -> Outcome<(f64, f64)>
where
    F: Future<Output = Outcome> + Send,
{
    let plain = registry(None)?;
    let ledgered = registry(Some(ledger))?;
    let (mut ratios, mut commits) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let base = time(&mut commit).await?;
        let without = time(|| call(plain.clone())).await?;
        let with = time(|| call(ledgered.clone())).await?;
        ratios.push((with - without) / base);
        commits.push(base);
    }
    Ok((median(ratios), median(commits)))
}

async fn sqlite(directory: PathBuf, rounds: usize) -> Outcome {
    let ledger: Arc<dyn Ledger> = Arc::new(SqliteLedger::open(directory.join("ledger")).await?);
    let thread = Committer::start(&directory.join("base"))?;
    let (ratio, commit) = overhead(ledger, || thread.clone().commit(), rounds).await?;
    print(&format!(
        "| SQLite: overhead of a call / one commit of {commit:.0} µs | {ratio:.2} | 3 on disk |"
    ))
}

/// A thread that commits one row per request.
#[derive(Clone)]
struct Committer(mpsc::Sender<oneshot::Sender<()>>);

impl Committer {
    fn start(path: &Path) -> Outcome<Self> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO rows VALUES (1, '');",
        )?;
        let (sender, mut receiver) = mpsc::channel::<oneshot::Sender<()>>(64);
        thread::spawn(move || {
            let mut texts = 0..u64::MAX;
            while let Some(reply) = receiver.blocking_recv() {
                // SQLite does not write a row that stays the same.
                let text = format!("{:100}", texts.next().unwrap_or_default());
                if update(&mut connection, &text).is_ok() {
                    let _ = reply.send(());
                }
            }
        });
        Ok(Self(sender))
    }

    async fn commit(self) -> Outcome {
        let (reply, done) = oneshot::channel();
        self.0.send(reply).await?;
        Ok(done.await?)
    }
}

fn update(connection: &mut Connection, text: &str) -> Result<(), rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut update = transaction.prepare_cached("UPDATE rows SET text = ?1 WHERE id = 1")?;
    update.execute([text])?;
    drop(update);
    transaction.commit()
}

async fn postgres(url: String, rounds: usize) -> Outcome {
    let ledger = PostgresLedger::connect(&url).await?;
    let mut config = Config::new();
    config.url = Some(url);
    let pool: Pool = config.create_pool(Some(PoolRuntime::Tokio1), NoTls)?;
    let create = "CREATE TABLE IF NOT EXISTS base_rows (id BIGINT PRIMARY KEY, text TEXT);
        INSERT INTO base_rows VALUES (1, '') ON CONFLICT DO NOTHING";
    pool.get().await?.batch_execute(create).await?;
    let commit = || update_row(pool.clone());
    let (ratio, commit) = overhead(Arc::new(ledger), commit, rounds).await?;
    print(&format!(
        "| PostgreSQL: overhead of a call / one commit of {commit:.0} µs | {ratio:.2} | 3 |"
    ))
}

async fn update_row(pool: Pool) -> Outcome {
    let client = pool.get().await?;
    let update = client
        .prepare_cached("UPDATE base_rows SET text = $1 WHERE id = 1")
        .await?;
    client.execute(&update, &[&"x".repeat(100)]).await?;
    Ok(())
}
