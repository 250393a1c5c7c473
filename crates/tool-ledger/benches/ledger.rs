//! Cost of a call in a ledger, as ratios to commits of one row through the same kind of thread or pool.
//!
//! cargo bench -p tool-ledger --all-features --bench ledger [-- DIRECTORY]
//!
//! DIRECTORY holds the SQLite files; the default is the directory for temporary files. PostgreSQL is measured if
//! `TOOL_LEDGER_POSTGRES_URL` is set, which `tests/postgres.sh` does for its command.

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
use tokio::task::JoinSet;
use tool_core::approval::Policy;
use tool_core::ledger::{CallKey, Intent, Ledger};
use tool_core::{
    CallOptions, Concurrency, DynamicTool, Registry, RiskLevel, ToolCall, ToolDefinition,
};
use tool_ledger::deadpool_postgres::{Config, Pool, Runtime as PoolRuntime, tokio_postgres::NoTls};
use tool_ledger::{MemoryLedger, PostgresLedger, SqliteLedger};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Rounds of interleaved measurements, and calls of each.
const ROUNDS: usize = 15;
const CALLS: usize = 40;
/// Concurrent callers.
const CALLERS: usize = 32;
/// Open entries of the measurement of memory.
const OPEN: usize = 100_000;

fn main() -> Outcome {
    let argument = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let directory = argument.map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = tempfile::tempdir_in(directory)?;
    let runtime = Runtime::new()?;
    print("| figure | measured | limit |\n|---|---:|---:|")?;
    // Callers are tasks of the runtime, as in servers.
    runtime.block_on(runtime.spawn(read_only()))??;
    runtime.block_on(runtime.spawn(sqlite(directory.path().to_owned())))??;
    match std::env::var("TOOL_LEDGER_POSTGRES_URL") {
        Ok(url) => runtime.block_on(runtime.spawn(postgres(url)))?,
        Err(_) => print("PostgreSQL was skipped: set TOOL_LEDGER_POSTGRES_URL"),
    }
}

fn print(line: &str) -> Outcome {
    writeln!(std::io::stdout().lock(), "{line}")?;
    Ok(())
}

fn registry(risk: RiskLevel, ledger: Option<Arc<dyn Ledger>>) -> Outcome<Registry> {
    let definition =
        ToolDefinition::new("echo", "Returns its arguments.", json!({"type": "object"}))
            .with_risk(risk)
            .with_concurrency(Concurrency::Parallel);
    let echo = DynamicTool::new(definition, |_, arguments| async move {
        Ok(tool_core::ToolOutput::json(arguments))
    });
    let builder = Registry::builder()
        .policy(Policy::allow_all())
        .parallel_calls(CALLERS);
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
async fn time<F>(calls: usize, mut work: impl FnMut() -> F + Send) -> Outcome<f64>
where
    F: Future<Output = Outcome> + Send,
{
    let since = Instant::now();
    for _ in 0..calls {
        work().await?;
    }
    let calls = u32::try_from(calls)?;
    Ok(since.elapsed().as_secs_f64() * 1e6 / f64::from(calls))
}

async fn read_only() -> Outcome {
    let plain = registry(RiskLevel::ReadOnly, None)?;
    let ledgered = registry(RiskLevel::ReadOnly, Some(Arc::new(MemoryLedger::new())))?;
    let mut ratios = Vec::new();
    for _ in 0..10 * ROUNDS {
        let without = time(500, || call(plain.clone())).await?;
        let with = time(500, || call(ledgered.clone())).await?;
        ratios.push(with / without);
    }
    let ratio = median(ratios);
    print(&format!(
        "| read-only calls with a ledger / without | {ratio:.3} | 1.05 |"
    ))
}

/// Overhead of ledgered calls of one caller over a commit, as the median of ratios.
async fn overhead<F>(
    ledger: Arc<dyn Ledger>,
    mut commit: impl FnMut() -> F + Send,
) -> Outcome<(f64, f64)>
where
    F: Future<Output = Outcome> + Send,
{
    let plain = registry(RiskLevel::SafeWrite, None)?;
    let ledgered = registry(RiskLevel::SafeWrite, Some(ledger))?;
    let (mut ratios, mut commits) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let base = time(CALLS, &mut commit).await?;
        let without = time(CALLS, || call(plain.clone())).await?;
        let with = time(CALLS, || call(ledgered.clone())).await?;
        ratios.push((with - without) / base);
        commits.push(base);
    }
    Ok((median(ratios), median(commits)))
}

/// Calls per second of concurrent callers.
async fn throughput(registry: &Registry, calls: usize) -> Outcome<f64> {
    let since = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let registry = registry.clone();
        callers.spawn(async move {
            for _ in 0..calls / CALLERS {
                call(registry.clone()).await?;
            }
            Outcome::Ok(())
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    Ok(f64::from(u32::try_from(calls)?) / since.elapsed().as_secs_f64())
}

async fn sqlite(directory: PathBuf) -> Outcome {
    let ledger: Arc<dyn Ledger> = Arc::new(SqliteLedger::open(directory.join("ledger")).await?);
    let thread = Committer::start(&directory.join("base"))?;
    let (ratio, commit) = overhead(Arc::clone(&ledger), || thread.clone().commit()).await?;
    print(&format!(
        "| SQLite: overhead of a call / one commit of {commit:.0} µs | {ratio:.2} | 3.0 on disk, 5.0 on tmpfs |"
    ))?;

    memory(&ledger).await?;
    let registry = registry(RiskLevel::SafeWrite, Some(ledger))?;
    let mut ratios = Vec::new();
    for _ in 0..5 {
        // A claim and a settlement with one commit each.
        let single = 1e6 / (2.0 * time(5 * CALLS, || thread.clone().commit()).await?);
        ratios.push(throughput(&registry, 100 * CALLERS).await? / single);
    }
    let ratio = median(ratios);
    print(&format!(
        "| SQLite, {CALLERS} callers: grouped commits / one commit per operation | {ratio:.1} | 8 on disk |"
    ))
}

/// Measures the memory of the process for open entries. SQLite has its usual cache of pages.
async fn memory(ledger: &Arc<dyn Ledger>) -> Outcome {
    let before = resident_kilobytes();
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let ledger = Arc::clone(ledger);
        callers.spawn(async move {
            for number in 0..OPEN / CALLERS {
                let intent = Intent::new("echo", &json!({"text": number}), RiskLevel::SafeWrite);
                let intent = intent.ok_or("a build without digests")?;
                let key = CallKey::new("memory", format!("{caller}-{number}"));
                ledger.claim(&key, &intent, Duration::from_hours(1)).await?;
            }
            Outcome::Ok(())
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    let more = resident_kilobytes().saturating_sub(before);
    print(&format!(
        "| SQLite, {OPEN} open entries: kilobytes of memory over the start | {more} | - |"
    ))
}

/// Returns the memory of this process in kilobytes, or 0 if unknown.
fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok())
        .unwrap_or_default()
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

async fn postgres(url: String) -> Outcome {
    let ledger = PostgresLedger::connect(&url).await?;
    let mut config = Config::new();
    config.url = Some(url);
    let pool: Pool = config.create_pool(Some(PoolRuntime::Tokio1), NoTls)?;
    let create = "CREATE TABLE IF NOT EXISTS base_rows (id BIGINT PRIMARY KEY, text TEXT);
        INSERT INTO base_rows VALUES (1, '') ON CONFLICT DO NOTHING";
    pool.get().await?.batch_execute(create).await?;
    let commit = || update_row(pool.clone());
    let (ratio, commit) = overhead(Arc::new(ledger), commit).await?;
    print(&format!(
        "| PostgreSQL: overhead of a call / one commit of {commit:.0} µs | {ratio:.2} | 3.0 |"
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
