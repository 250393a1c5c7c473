//! The example `task` with a server for each wire format, and with invalid input.

mod fault_server;
mod faults;
mod streamed;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use provider_adapters::Provider;
use serde_json::{Value, json};
use tool_test::Scratch;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::program::program;

/// Final answer of the model.
const ANSWER: &str = "There is one file.";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(program("task"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("OPENAI_API_KEY")
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("GEMINI_API_KEY");
    command
}

fn run(arguments: &[&str]) -> Run {
    Run::of(command(arguments).output().unwrap())
}

#[derive(Debug)]
struct Run {
    code: Option<i32>,
    stdout: String,
    complained: String,
}

impl Run {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            complained: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Creates a response with a call or the final answer.
fn response(provider: &str, call: Option<(&str, &Value)>) -> Value {
    match provider {
        "anthropic" => anthropic(call),
        "gemini" | "gemini_openapi" => gemini(call),
        "ollama" => ollama(call),
        "openai_responses" => responses(call),
        "cohere" => cohere(call),
        "bedrock" => bedrock(call),
        _ => open_ai(call),
    }
}

fn open_ai(call: Option<(&str, &Value)>) -> Value {
    let (message, finish) = match call {
        Some((name, arguments)) => {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            let calls = json!([{"id": "c1", "type": "function", "function": function}]);
            (json!({"content": null, "tool_calls": calls}), "tool_calls")
        }
        None => (json!({"content": ANSWER}), "stop"),
    };
    json!({"choices": [{"message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 5}})
}

fn anthropic(call: Option<(&str, &Value)>) -> Value {
    let (block, stop) = match call {
        Some((name, arguments)) => (
            json!({"type": "tool_use", "id": "c1", "name": name, "input": arguments}),
            "tool_use",
        ),
        None => (json!({"type": "text", "text": ANSWER}), "end_turn"),
    };
    json!({"content": [block], "stop_reason": stop, "usage": {"input_tokens": 50, "output_tokens": 5}})
}

fn gemini(call: Option<(&str, &Value)>) -> Value {
    let part = match call {
        Some((name, arguments)) => json!({"functionCall": {"name": name, "args": arguments}}),
        None => json!({"text": ANSWER}),
    };
    json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 50, "candidatesTokenCount": 5}})
}

fn ollama(call: Option<(&str, &Value)>) -> Value {
    let message = match call {
        Some((name, arguments)) => {
            json!({"content": "", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]})
        }
        None => json!({"content": ANSWER}),
    };
    json!({"message": message, "done": true, "done_reason": "stop", "prompt_eval_count": 50, "eval_count": 5})
}

fn responses(call: Option<(&str, &Value)>) -> Value {
    let item = match call {
        Some((name, arguments)) => {
            json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": name,
                "arguments": arguments.to_string(), "status": "completed"})
        }
        None => json!({"type": "message", "id": "m_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": ANSWER, "annotations": []}]}),
    };
    json!({"status": "completed", "output": [item], "usage": {"input_tokens": 50, "output_tokens": 5}})
}

fn cohere(call: Option<(&str, &Value)>) -> Value {
    let (message, finish) = if let Some((name, arguments)) = call {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let calls = json!([{"id": "c1", "type": "function", "function": function}]);
        (
            json!({"role": "assistant", "tool_calls": calls}),
            "TOOL_CALL",
        )
    } else {
        let content = json!([{"type": "text", "text": ANSWER}]);
        (json!({"role": "assistant", "content": content}), "COMPLETE")
    };
    json!({"message": message, "finish_reason": finish,
        "usage": {"tokens": {"input_tokens": 50, "output_tokens": 5}}})
}

fn bedrock(call: Option<(&str, &Value)>) -> Value {
    let (block, stop) = match call {
        Some((name, arguments)) => (
            json!({"toolUse": {"toolUseId": "c1", "name": name, "input": arguments}}),
            "tool_use",
        ),
        None => (json!({"text": ANSWER}), "end_turn"),
    };
    json!({"output": {"message": {"role": "assistant", "content": [block]}}, "stopReason": stop,
        "usage": {"inputTokens": 50, "outputTokens": 5, "totalTokens": 55}})
}

/// Starts a server that requests one call and sends the final answer when the request contains
/// `marker`.
async fn server(
    provider: &'static str,
    call: (&'static str, Value),
    marker: &'static str,
) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(move |request: &Request| {
            let answered = String::from_utf8_lossy(&request.body).contains(marker);
            let call = (!answered).then_some((call.0, &call.1));
            ResponseTemplate::new(200).set_body_json(response(provider, call))
        })
        .mount(&server)
        .await;
    server
}

/// Returns the providers with an HTTP API.
fn over_http() -> impl Iterator<Item = &'static str> {
    let providers = Provider::ALL.iter().copied();
    let without = [Provider::OpenAiFlat, Provider::Mcp];
    providers
        .filter(move |provider| !without.contains(provider))
        .map(Provider::as_str)
}

fn base_url(provider: &str, server: &MockServer) -> String {
    let version = if provider == "openai" { "/v1" } else { "" };
    format!("{}{version}", server.uri())
}

#[tokio::test(flavor = "multi_thread")]
async fn completes_call_and_final_answer_with_every_wire() {
    let scratch = Scratch::new().file("only.txt", "one\n");
    let workspace = scratch.path().to_str().unwrap();
    for provider in over_http() {
        let server = server(provider, ("list", json!({"path": "."})), "only.txt").await;
        let url = base_url(provider, &server);

        let run = run(&[
            "--provider",
            provider,
            "--base-url",
            &url,
            "--model",
            "some-model",
            "--workspace",
            workspace,
        ]);

        assert_eq!(
            (run.code, run.complained.as_str()),
            (Some(0), ""),
            "{provider}"
        );
        for part in [
            "→ list [read_only] {\"path\":\".\"}",
            "1 name",
            ANSWER,
            "completed: 2 of 20 turns, 1 call, 110 tokens (100 read, 10 written)",
        ] {
            assert!(
                run.stdout.contains(part),
                "{provider}: {part}\n{}",
                run.stdout
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn write_is_denied_without_terminal() {
    let scratch = Scratch::new();
    let call = ("write", json!({"path": "a.txt", "content": "hello"}));
    let server = server("openai", call, "did not approve").await;
    let url = base_url("openai", &server);

    let run = run(&[
        "--provider",
        "openai",
        "--base-url",
        &url,
        "--workspace",
        scratch.path().to_str().unwrap(),
    ]);

    assert_eq!(run.code, Some(0), "{run:?}");
    let block = "Tool: write\nParameters:\n  path: a.txt\n  content: hello\n\
                 Files affected: a.txt\nRisk level: safe_write\n\nApprove? y, n or n REASON, ";
    assert!(run.stdout.contains(block), "{}", run.stdout);
    assert!(!scratch.has("a.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_needs_no_approval() {
    let steps = json!({"items": [{"content": "Water tulips", "activeForm": "Watering tulips", "status": "pending"}]});
    let server = server("openai", ("plan", steps), "Water tulips").await;
    let url = base_url("openai", &server);

    let run = run(&["--provider", "openai", "--base-url", &url]);

    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!run.stdout.contains("Approve?"), "{}", run.stdout);
    assert!(run.stdout.contains("✓ plan"), "{}", run.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_key_prints_one_line_without_key() {
    let server = MockServer::start().await;
    let body = json!({"error": {"message": "Incorrect API key provided: s3cret"}});
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(401).set_body_json(body))
        .mount(&server)
        .await;

    let output = command(&["--provider", "openai", "--base-url", &server.uri()])
        .env("OPENAI_API_KEY", "s3cret")
        .output()
        .unwrap();

    let run = Run::of(output);
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.complained,
        "error: the provider rejected the API key (status 401); check the key, and that the base URL belongs to its provider\n"
    );
    assert!(!run.stdout.contains("s3cret"), "{}", run.stdout);
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests[0].headers["authorization"], "Bearer s3cret");
}

#[test]
fn unusable_paths_print_one_line() {
    let scratch = Scratch::new().file("file.txt", "one\n");
    let file = scratch.path().join("file.txt");
    let (place, file) = (scratch.path().to_str().unwrap(), file.to_str().unwrap());
    let nowhere = format!("{place}/nowhere/report.md");
    for (arguments, line) in [
        (
            &["--workspace", "/no/such/folder"][..],
            "directory `/no/such/folder` does not exist",
        ),
        (&["--workspace", file], "is not a directory"),
        (
            &["--workspace", place, "--output", place],
            "is a directory; set --output to a file",
        ),
        (
            &["--workspace", place, "--output", &nowhere],
            "the directory of",
        ),
    ] {
        fails(arguments, 2, line);
    }
}

#[test]
fn unusable_provider_prints_one_line() {
    for (arguments, code, line) in [
        (&["--provider", "openai"][..], 2, "set OPENAI_API_KEY"),
        (&["--provider", "anthropic"], 2, "set ANTHROPIC_API_KEY"),
        (&["--provider", "gemini"], 2, "set GEMINI_API_KEY"),
        (&["--provider", "groq"], 2, "set --model"),
        (
            &["--provider", "azure", "--model", "m"],
            2,
            "set --base-url",
        ),
        (&["--provider", "mcp", "--model", "m"], 2, "has no HTTP API"),
        (
            &["--provider", "openai", "--base-url", "here"],
            2,
            "invalid base URL",
        ),
        (
            &["--provider", "ollama", "--base-url", "http://127.0.0.1:9"],
            1,
            "cannot connect to http://127.0.0.1:9: the connection was refused",
        ),
    ] {
        fails(arguments, code, line);
    }
}

#[test]
fn exceeded_budget_prints_one_line() {
    let scratch = Scratch::new();

    fails(
        &[
            "--workspace",
            scratch.path().to_str().unwrap(),
            "--max-turns",
            "1",
        ],
        3,
        "the budget is exceeded",
    );
}

/// Runs the program and asserts its exit status and a one-line error that contains `part`.
fn fails(arguments: &[&str], code: i32, part: &str) {
    let run = run(arguments);

    assert_eq!(run.code, Some(code), "{arguments:?} {run:?}");
    assert!(
        run.complained.starts_with("error: ") && run.complained.contains(part),
        "{run:?}"
    );
    assert_eq!(run.complained.lines().count(), 1, "{run:?}");
}

#[test]
fn copies_survey_and_leaves_directory_unchanged() {
    let surveyed = Scratch::new().file("src/a.rs", "// FIXME: now\n");
    let place = Scratch::new();
    let report = place.path().join("report.md");
    let temporary = Scratch::new();

    let output = command(&[
        "--workspace",
        surveyed.path().to_str().unwrap(),
        "--output",
        report.to_str().unwrap(),
    ])
    .env("TMPDIR", temporary.path())
    .output()
    .unwrap();

    let run = Run::of(output);
    assert_eq!((run.code, run.complained.as_str()), (Some(0), ""));
    assert!(
        place
            .read("report.md")
            .contains("src/a.rs:1: // FIXME: now")
    );
    assert!(
        run.stdout.contains("Found: 1 file, 1 line with FIXME"),
        "{}",
        run.stdout
    );
    let left: Vec<_> = std::fs::read_dir(surveyed.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["src"]);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn interrupt_stops_run_and_cleans_up() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_delay(Duration::from_mins(1)))
        .mount(&server)
        .await;
    let since = Instant::now();
    let child = command(&["--provider", "openai", "--base-url", &server.uri()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while server.received_requests().await.unwrap().is_empty() {
        assert!(
            since.elapsed() < Duration::from_secs(30),
            "the program sends a request"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();

    assert!(interrupt.success());
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(130), "{run:?}");
    assert!(
        run.stdout.contains("cancelled: 0 of 20 turns"),
        "{}",
        run.stdout
    );
    assert!(since.elapsed() < Duration::from_secs(40));
}

#[tokio::test(flavor = "multi_thread")]
async fn transcript_resumes_without_repeating_calls() {
    let scratch = Scratch::new();
    let file = scratch.path().join("run.jsonl");
    let server = server(
        "openai",
        ("list", json!({"path": "."})),
        "budget of the run",
    )
    .await;
    let url = base_url("openai", &server);
    let arguments = |more: &[&'static str]| {
        let mut arguments: Vec<String> = [
            "--provider",
            "openai",
            "--base-url",
            url.as_str(),
            "--workspace",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.push(scratch.path().to_str().unwrap().to_owned());
        arguments.extend(["--transcript".to_owned(), file.to_str().unwrap().to_owned()]);
        arguments.extend(more.iter().map(|more| (*more).to_owned()));
        arguments
    };
    let start = |more: &[&'static str]| {
        let arguments = arguments(more);
        run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };

    let first = start(&["--max-turns", "1"]);
    let second = start(&["--resume"]);
    let third = start(&[]);

    assert_eq!((first.code, second.code), (Some(3), Some(0)), "{second:?}");
    assert!(second.stdout.contains(ANSWER), "{}", second.stdout);
    assert!(!second.stdout.contains("→ list"), "{}", second.stdout);
    assert_eq!(third.code, Some(2));
    assert!(third.complained.contains("add --resume"), "{third:?}");
    let recorded = std::fs::read_to_string(&file).unwrap();
    assert_eq!(recorded.lines().count(), 5, "{recorded}");
}
