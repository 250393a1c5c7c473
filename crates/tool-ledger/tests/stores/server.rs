//! A PostgreSQL server for the tests, stopped when this process exits.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tool_ledger::deadpool_postgres::tokio_postgres;

/// A server. Its script stops it at the end of its input, even after a crash of this process.
struct Server {
    url: String,
    _script: Option<Child>,
}

static SERVER: OnceLock<Option<Server>> = OnceLock::new();

/// Starts a server, and passes its script a command that prints lines. Returns the script and the lines; `None` with a
/// message if PostgreSQL is not installed.
fn script<const LINES: usize>(command: &[&str]) -> Option<(Child, [String; LINES])> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/postgres.sh");
    let mut script = Command::new("bash")
        .arg(script)
        .args(command)
        .env("OPTIONS", "-c fsync=off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut output = BufReader::new(script.stdout.take()?).lines();
    let lines = [(); LINES].map(|()| output.next().and_then(Result::ok).unwrap_or_default());
    if lines.iter().any(String::is_empty) {
        eprintln!("skipped the tests of PostgreSQL: it is not installed");
        return None;
    }
    Some((script, lines))
}

fn start() -> Option<Server> {
    if let Ok(url) = std::env::var("TOOL_LEDGER_POSTGRES_URL") {
        return Some(Server { url, _script: None });
    }
    let (script, [url]) = script(&[])?;
    Some(Server {
        url,
        _script: Some(script),
    })
}

/// A server of one test, which the test may stop and start.
pub(crate) struct OwnServer {
    script: Child,
    url: String,
    control: String,
}

impl OwnServer {
    /// Starts a server; `None` if PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        let print = r#"printf '%s\n' "$TOOL_LEDGER_POSTGRES_URL" "$PGCTL"; cat"#;
        let (script, [url, control]) = script(&["sh", "-c", print])?;
        Some(Self {
            script,
            url,
            control,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Runs `pg_ctl` with further arguments.
    pub(crate) fn control(&self, arguments: &[&str]) {
        let mut control = self.control.split(' ');
        let status = Command::new(control.next().unwrap())
            .args(control)
            .args(arguments)
            .stdout(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{arguments:?}");
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        // The end of its input stops the server.
        drop(self.script.stdin.take());
        let _ = self.script.wait();
    }
}

/// Creates a schema on the server, executes statements in it, and returns its URL; `None` without a server.
pub(crate) async fn schema(statements: &str) -> Option<String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let url = &SERVER.get_or_init(start).as_ref()?.url;
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    let name = format!("tests_{}_{number}", std::process::id());
    let separator = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{separator}options=-c%20search_path%3D{name}");
    let create = format!("CREATE SCHEMA {name}; {statements}");
    connect(&url).await.batch_execute(&create).await.unwrap();
    Some(url)
}

/// Connects to a server.
pub(crate) async fn connect(url: &str) -> tokio_postgres::Client {
    let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
    let (client, connection) = connected.unwrap();
    tokio::spawn(connection);
    client
}
