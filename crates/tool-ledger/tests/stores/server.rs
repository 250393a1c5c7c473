//! A PostgreSQL server for the tests, stopped when this process exits.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A server. Its script stops it at the end of its input, also after a crash of this process.
struct Server {
    url: String,
    _script: Option<Child>,
}

static SERVER: OnceLock<Option<Server>> = OnceLock::new();

fn start() -> Option<Server> {
    if let Ok(url) = std::env::var("TOOL_LEDGER_POSTGRES_URL") {
        return Some(Server { url, _script: None });
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/postgres.sh");
    let mut script = Command::new("bash")
        .arg(script)
        .env("OPTIONS", "-c fsync=off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut url = String::new();
    BufReader::new(script.stdout.take()?)
        .read_line(&mut url)
        .ok()?;
    if url.trim().is_empty() {
        eprintln!("skipped the tests of PostgreSQL: it is not installed");
        return None;
    }
    Some(Server {
        url: url.trim().to_owned(),
        _script: Some(script),
    })
}

/// Returns the URL of a new schema on the server; `None` without a server.
pub(crate) fn schema_url() -> Option<String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let url = &SERVER.get_or_init(start).as_ref()?.url;
    let schema = format!(
        "tests_{}_{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::SeqCst)
    );
    let separator = if url.contains('?') { '&' } else { '?' };
    Some(format!(
        "{url}{separator}options=-c%20search_path%3D{schema}"
    ))
}
