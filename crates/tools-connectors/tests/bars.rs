//! Requests, memory and CPU time of operations, against a server on loopback.
//!
//! `cargo test --release -p tools-connectors --all-features --test bars -- --nocapture` prints the figures.
//! `BAR_ROUNDS` sets the number of calls that are timed; the default is 20.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a failing helper fails the test, and figures are printed"
)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tempfile::TempDir;
use tool_core::approval::Policy;
use tool_core::{Registry, Secret, ToolContext};
use tools_builtin::repository::RepositorySource;
use tools_connectors::anthropic::AnthropicAdmin;
use tools_connectors::github::{GitHubConnection, GitHubSource};
use tools_connectors::google::{
    Google, GoogleClient, GoogleEndpoints, TokenFolder, TokenKey, TokenStore as _,
};
use tools_connectors::{Connectors, toolsets};

const MEGABYTE: usize = 1024 * 1024;
const MEASURE: &str = "TOOLWRIGHT_MEASURE";

/// Response: a head of JSON, a chunk that is repeated, and a tail.
type Reply = (String, Arc<Vec<u8>>, usize, String);

fn reply(body: &Value) -> Reply {
    (body.to_string(), Arc::default(), 0, String::new())
}

/// Server on its own thread that keeps connections open.
struct Server {
    address: String,
    requests: Arc<AtomicUsize>,
    thread: u64,
}

impl Server {
    fn start(serve: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let (count, serve) = (Arc::clone(&requests), Arc::new(serve));
        let (send, receive) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let link = fs::read_link("/proc/thread-self").unwrap();
            let id = link.file_name().unwrap().to_str().unwrap().parse();
            send.send(id.unwrap()).unwrap();
            // One connection after the other, so that one thread does all work of the server.
            for stream in listener.incoming() {
                let _ = answer(stream.unwrap(), &count, &*serve);
            }
        });
        Self {
            address,
            requests,
            thread: receive.recv().unwrap(),
        }
    }

    fn requests(&self) -> usize {
        self.requests.swap(0, Ordering::SeqCst)
    }
}

fn answer(
    mut stream: TcpStream,
    count: &AtomicUsize,
    serve: &dyn Fn(&str) -> Reply,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().unwrap())
    });
    let mut missing = length.unwrap_or(0).saturating_sub(bytes.len() - end);
    while missing > 0 {
        missing = missing.saturating_sub(stream.read(&mut buffer)?);
    }
    count.fetch_add(1, Ordering::SeqCst);
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (first, chunk, times, last) = serve(path);
    let length = first.len() + chunk.len() * times + last.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{first}"
    )?;
    for _ in 0..times {
        stream.write_all(&chunk)?;
    }
    stream.write_all(last.as_bytes())
}

/// Returns all tools, with tokens that are valid.
async fn registry(server: &Server, folder: &TempDir) -> Registry {
    let store = TokenFolder::new(folder.path());
    let text = json!({
        "version": 1, "client_id": "client-1", "access_token": "access-token-1", "refresh_token": "refresh-token-1",
        "expires_at": "2099-01-01T00:00:00Z", "scopes": [],
    });
    let text = Secret::new(text.to_string());
    for key in [TokenKey::gmail("client-1"), TokenKey::calendar("client-1")] {
        store.put(&key, &text).await.unwrap();
    }
    let endpoints = GoogleEndpoints::at(&server.address).unwrap();
    let google = Google::new(GoogleClient::new("client-1"), store).with_endpoints(endpoints);
    let admin = AnthropicAdmin::new(&Secret::new("sk-ant-admin01-1".to_owned())).unwrap();
    let connectors = Connectors::new()
        .with_google(google)
        .with_anthropic(admin.with_base_url(&server.address).unwrap());
    Registry::builder()
        .policy(Policy::allow_all())
        .toolset(&toolsets::standard(&connectors).unwrap())
        .unwrap()
        .build()
}

async fn call(registry: &Registry, tool: &str, arguments: Value) {
    let result = registry.execute(tool, arguments).await;
    assert!(result.success, "{tool}: {result}");
}

fn message(kind: &str, body: &str) -> Value {
    json!({
        "id": "m1", "threadId": "t1", "labelIds": ["INBOX"], "snippet": "s", "internalDate": "1792000000000",
        "payload": {
            "mimeType": kind, "headers": [{"name": "Subject", "value": "Tea"}, {"name": "From", "value": "a@example.com"}],
            "body": {"size": body.len(), "data": BASE64_URL_SAFE_NO_PAD.encode(body)},
        },
    })
}

fn event(id: usize) -> Value {
    json!({
        "id": format!("e{id}"), "summary": "Tea", "status": "confirmed", "location": "Kitchen", "eventType": "default",
        "htmlLink": "https://calendar.example/e", "organizer": {"email": "ada@example.com"},
        "start": {"dateTime": "2026-11-02T16:00:00+01:00"}, "end": {"dateTime": "2026-11-02T17:00:00+01:00"},
        "attendees": [{"email": "me@example.com", "self": true, "responseStatus": "accepted"}],
    })
}

/// Serves every operation.
fn serve(path: &str) -> Reply {
    let route = path.split('?').next().unwrap_or_default();
    reply(&match route.rsplit('/').next().unwrap_or_default() {
        "messages" => {
            let ids: Vec<Value> = (0..10).map(|id| json!({"id": format!("m{id}")})).collect();
            json!({"messages": ids, "resultSizeEstimate": 10})
        }
        "send" => json!({"id": "s1", "threadId": "t1"}),
        "events" if path.contains("sendUpdates") => event(1),
        "events" => json!({"timeZone": "Europe/Berlin", "items": [event(1)]}),
        "hello" => json!({"default_branch": "main", "size": 1}),
        "main" => json!({"sha": "c0ffee", "commit": {"tree": {"sha": "abcd"}}}),
        "abcd" => json!({"tree": [{"path": "a", "mode": "100644", "sha": "ab", "size": 1}]}),
        id if id.starts_with('m') => message("text/plain", "Tea at four?"),
        _ => event(1),
    })
}

#[tokio::test]
async fn operations_send_few_requests() {
    let server = Server::start(serve);
    let folder = TempDir::new().unwrap();
    let registry = registry(&server, &folder).await;
    for (name, tool, arguments, most) in [
        ("search of 10", "gmail_search", json!({"query": "a"}), 11),
        ("read", "gmail_read", json!({"id": "m1"}), 1),
        ("read again", "gmail_read", json!({"id": "m1"}), 0),
        (
            "send",
            "gmail_send",
            json!({"to": "a@example.com", "subject": "s", "body": "b"}),
            1,
        ),
        (
            "today's events, first",
            "calendar_list_events",
            json!({}),
            2,
        ),
        ("today's events", "calendar_list_events", json!({}), 1),
        ("get", "calendar_get_event", json!({"event_id": "e1"}), 1),
        (
            "create",
            "calendar_create_event",
            json!({"summary": "s", "start": "2026-11-02", "time_zone": "UTC"}),
            1,
        ),
    ] {
        call(&registry, tool, arguments).await;

        let requests = server.requests();
        println!("requests, {name}: {requests} (target {most})");
        assert_eq!(requests, most, "{name}");
    }
    let connection = GitHubConnection::new("octo", "hello").with_base_url(&server.address);
    let source = GitHubSource::new(connection);
    for (name, most) in [("first directory", 3), ("known directory", 0)] {
        source
            .list_folder(&ToolContext::test(), ".", 10)
            .await
            .unwrap();
        let requests = server.requests();
        println!("requests, {name} on GitHub: {requests} (target {most})");
        assert_eq!(requests, most, "{name}");
    }
}

/// Returns a number of `/proc/self/status` in bytes.
fn status(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

/// Serves a mail of 25 MB, whose content is in attachments, in one text, or exceeds the limit.
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

/// Each measurement has its own process.
#[tokio::test]
#[cfg(target_os = "linux")]
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
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "mail_of_25_megabytes_needs_little_memory"]);
        let output = command.arg("--nocapture").env(MEASURE, kind).output();
        let output = String::from_utf8(output.unwrap().stdout).unwrap();
        let line = output.lines().find_map(|line| line.split_once("measured "));
        let (_, line) = line.unwrap_or_else(|| unreachable!("no figures: {output}"));
        let mut words = line.split(' ');
        let growth: usize = words.next().unwrap().parse().unwrap();
        assert_eq!(words.next(), Some(is_read.to_string().as_str()), "{output}");
        println!(
            "memory, mail of 25 MB as {kind}: {:.1} MB (target {:.1} MB), {} ms",
            growth as f64 / MEGABYTE as f64,
            most as f64 / MEGABYTE as f64,
            words.next().unwrap()
        );
        assert!(growth <= most, "{kind}: {growth} bytes");
    }
}

/// Returns the CPU time of all threads except one.
fn cpu_time(except: u64) -> Duration {
    let mut total = 0;
    for task in fs::read_dir("/proc/self/task").unwrap() {
        let path = task.unwrap().path();
        let is_server = path.file_name().unwrap().to_str() == Some(except.to_string().as_str());
        if !is_server && let Ok(text) = fs::read_to_string(path.join("schedstat")) {
            let first = text.split(' ').next().unwrap_or_default();
            total += first.parse::<u64>().unwrap_or_default();
        }
    }
    Duration::from_nanos(total)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Prints the CPU time of a call, and of the same request with `reqwest` and `serde_json`. It asserts
/// nothing, because other programs may use the CPU.
async fn compare(name: &str, body: Value, tool: &str, arguments: Value, engine: Duration) {
    let rounds: usize = std::env::var("BAR_ROUNDS").map_or(20, |rounds| rounds.parse().unwrap());
    let text = body.to_string();
    let server = Server::start(move |_| (text.clone(), Arc::default(), 0, String::new()));
    let folder = TempDir::new().unwrap();
    let registry = registry(&server, &folder).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let mut arguments = arguments.clone();
        if tool == "gmail_read" {
            // Messages that were read are kept.
            arguments["id"] = json!(format!("m{round}"));
        }
        let begin = cpu_time(server.thread);
        let result = registry.execute(tool, arguments).await;
        ours.push(cpu_time(server.thread).saturating_sub(begin));
        assert!(result.success, "{result}");
        let begin = cpu_time(server.thread);
        let response = client.get(&server.address).send().await.unwrap();
        let parsed: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        plain.push(cpu_time(server.thread).saturating_sub(begin));
        drop(parsed);
    }
    let (ours, plain) = (median(ours), median(plain));
    println!(
        "CPU time, {name}: {ours:?}, plain {plain:?}, difference {:?} beyond {engine:?} of the HTML engine",
        ours.saturating_sub(plain).saturating_sub(engine)
    );
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn calls_cost_little_over_plain_requests() {
    let mail = message("text/plain", &"Tea at four?\n".repeat(800));
    let read = json!({"id": "m"});
    compare(
        "mail of 10 KB",
        mail,
        "gmail_read",
        read.clone(),
        Duration::ZERO,
    )
    .await;
    let events: Vec<Value> = (0..250).map(event).collect();
    let list =
        json!({"limit": 250, "time_zone": "UTC", "start": "2026-11-02", "end": "2026-11-02"});
    compare(
        "250 events",
        json!({"timeZone": "UTC", "items": events}),
        "calendar_list_events",
        list,
        Duration::ZERO,
    )
    .await;
    let html =
        "<p>Tea at <b>four</b>, or <a href='https://example.com/x'>later</a>?</p>\n".repeat(1400);
    let times = (0..20).map(|_| {
        let begin = Instant::now();
        assert!(!html_text::to_text(&html).text.is_empty());
        begin.elapsed()
    });
    let engine = median(times.collect());
    let mail = message("text/html", &html);
    compare("mail with 100 KB of HTML", mail, "gmail_read", read, engine).await;
}
