//! Memory of large responses.

use std::fs;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::json;
use tempfile::TempDir;
use tool_core::ToolContext;
use tools_builtin::repository::{RepositoryQuery, RepositorySource as _};
use tools_connectors::github::{GitHubConnection, GitHubSource};

use crate::server::{Reply, Server, reply};
use crate::{MEGABYTE, message, registry};

const MEASURE: &str = "TOOLWRIGHT_MEASURE";

/// Returns a number of `/proc/self/status` in bytes.
fn status(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

/// Serves a mail of 25 MB, whose content is in attachments or in its text, or one that exceeds the limit.
fn serve_large(kind: &str) -> Reply {
    if kind == "attachments" {
        let part = json!({
            "mimeType": "application/pdf", "filename": "a.pdf", "body": {"attachmentId": "x".repeat(400), "size": 2_500_000},
        });
        let mut mail = message("multipart/mixed", "");
        mail["payload"]["parts"] = json!(vec![part; 10]);
        return reply(&mail);
    }
    let text = message("text/plain", "@").to_string();
    let (first, last) = text.split_once("\"QA\"").unwrap();
    // 3 bytes of text are 4 characters of base64.
    let chunk = BASE64_URL_SAFE_NO_PAD.encode("Tea at four?\r\n....".repeat(4096));
    let size = if kind == "over 48 MB" { 48 } else { 25 };
    let times = (size * MEGABYTE).div_ceil(18 * 4096);
    (
        format!("{first}\""),
        Arc::new(chunk.into_bytes()),
        times,
        format!("\"{last}"),
    )
}

/// Runs a test in its own process with `MEASURE` set, and returns its output from the word `measured` on.
fn measured(test: &str, kind: &str) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &format!("memory::{test}"), "--nocapture"])
        .env(MEASURE, kind);
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let line = output.lines().find_map(|line| line.split_once("measured "));
    line.unwrap_or_else(|| unreachable!("no figures: {output}"))
        .1
        .to_owned()
}

/// Each measurement has its own process.
#[tokio::test]
async fn mail_of_25_megabytes_needs_little_memory() {
    if let Ok(kind) = std::env::var(MEASURE) {
        let measured = kind.clone();
        let server = Server::start(move |_| serve_large(&measured));
        let folder = TempDir::new().unwrap();
        let registry = registry(&server, &folder).await;
        let result = registry.execute("gmail_read", json!({"id": "m2x"})).await;
        drop(result);
        let (idle, begin) = (status("VmRSS:"), Instant::now());
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let result = registry.execute("gmail_read", json!({"id": "m1"})).await;
        println!(
            "measured {} {} {}",
            status("VmHWM:").saturating_sub(idle),
            result.success,
            begin.elapsed().as_millis()
        );
        return;
    }
    let response = 25 * MEGABYTE * 4 / 3;
    for (kind, most, is_read) in [
        ("attachments", 4 * MEGABYTE, true),
        ("text", response * 5 / 2, true),
        ("over 48 MB", 48 * MEGABYTE * 5 / 2, false),
    ] {
        let line = measured("mail_of_25_megabytes_needs_little_memory", kind);
        let mut words = line.split(' ');
        let growth: usize = words.next().unwrap().parse().unwrap();
        assert_eq!(words.next(), Some(is_read.to_string().as_str()), "{line}");
        println!(
            "memory, mail of 25 MB as {kind}: {:.1} MB (target {:.1} MB), {} ms",
            growth as f64 / MEGABYTE as f64,
            most as f64 / MEGABYTE as f64,
            words.next().unwrap()
        );
        assert!(growth <= most, "{kind}: {growth} bytes");
    }
}

/// Returns an archive with 61 small files and one of 80 MB, which cannot be packed.
fn archive() -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    let small = (0..61).map(|number| (format!("repo-1/{number}.txt"), b"a line\n".to_vec()));
    let large = ("repo-1/large.bin".to_owned(), vec![7; 80 * MEGABYTE]);
    for (path, content) in small.chain([large]) {
        let mut header = [0; 512];
        header[..path.len()].copy_from_slice(path.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = b'0';
        packed.write_all(&header).unwrap();
        packed.write_all(&content).unwrap();
        let padding = content.len().next_multiple_of(512) - content.len();
        packed.write_all(&vec![0; padding]).unwrap();
    }
    packed.write_all(&[0; 1024]).unwrap();
    packed.finish().unwrap()
}

/// Serves a repository with the files of [`archive`].
fn serve_repository(path: &str, archive: &Arc<Vec<u8>>) -> Reply {
    let entry = |number: usize, path: String, size: usize| json!({"path": path, "mode": "100644", "sha": format!("a{number:x}"), "size": size});
    match path.trim_start_matches("/repos/octo/hello") {
        "" => reply(&json!({"default_branch": "main", "size": 1})),
        "/commits/main" => reply(&json!({"sha": "c0ffee", "commit": {"tree": {"sha": "abcd"}}})),
        path if path.starts_with("/git/trees/") => {
            let small = (0..61).map(|number| entry(number, format!("{number}.txt"), 7));
            let large = entry(61, "large.bin".to_owned(), 80 * MEGABYTE);
            reply(&json!({"tree": small.chain([large]).collect::<Vec<_>>()}))
        }
        _ => (String::new(), Arc::clone(archive), 1, String::new()),
    }
}

/// The server holds the archive before the measurement begins.
#[tokio::test]
async fn archive_of_80_megabytes_needs_little_memory() {
    if std::env::var(MEASURE).is_ok() {
        let archive = Arc::new(archive());
        let server = Server::start(move |path| serve_repository(path, &archive));
        let connection = GitHubConnection::new("octo", "hello").with_base_url(&server.address);
        let source = GitHubSource::new(connection);
        let cx = ToolContext::test();
        source.list_folder(&cx, ".", 10).await.unwrap();
        let (idle, begin) = (status("VmRSS:"), Instant::now());
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let hits = source
            .search(&cx, &RepositoryQuery::new("line"))
            .await
            .unwrap();
        let growth = status("VmHWM:").saturating_sub(idle);
        println!(
            "measured {growth} {} {}",
            hits.len(),
            begin.elapsed().as_millis()
        );
        return;
    }
    let line = measured("archive_of_80_megabytes_needs_little_memory", "archive");
    let figures: Vec<usize> = line
        .split(' ')
        .map(|figure| figure.parse().unwrap())
        .collect();
    println!(
        "memory, archive of 80 MB: {:.1} MB (target 16.0 MB), {} ms",
        figures[0] as f64 / MEGABYTE as f64,
        figures[2]
    );
    assert_eq!(figures[1], 61);
    assert!(figures[0] <= 16 * MEGABYTE, "{line}");
}
