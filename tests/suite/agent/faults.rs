//! Faults of a model API: each run ends with an exit status and one line, and its transcript resumes.

use serde_json::{Value, json};
use tool_test::Scratch;

use super::fault_server::{FaultServer, Response, Then, call, text};
use super::{ANSWER, Run};

/// Fault and the end of a run whose requests all have it.
struct Fault {
    name: &'static str,
    response: Response,
    /// Number of turns with the fault until the run ends.
    turns: usize,
    /// Maximum time without data in seconds. Only a silent server reaches it.
    timeout: &'static str,
    /// Part of the error message.
    line: &'static str,
    /// Whether the request is repeated.
    is_transient: bool,
}

impl Fault {
    fn transient(name: &'static str, response: Response, line: &'static str) -> Self {
        Self {
            name,
            response,
            turns: 1,
            timeout: "60",
            line,
            is_transient: true,
        }
    }

    fn lasting(name: &'static str, response: Response, line: &'static str) -> Self {
        Self {
            is_transient: false,
            ..Self::transient(name, response, line)
        }
    }
}

fn error(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message}})
}

/// Returns an incomplete stream.
fn begun() -> Response {
    Response::stream(&text("There is", "stop")[..1])
}

fn transient() -> Vec<Fault> {
    let incomplete = "the response is incomplete; try again";
    let invalid = "invalid response: ";
    let cut_call = call("write", r#"{"path":"a.txt","conte"#);
    let html = "<html><body>It works!</body></html>".to_owned();
    vec![
        Fault::transient(
            "rate limit",
            Response::of(
                "429 Too Many Requests\r\nretry-after: 1",
                &error("rate_limit_exceeded", "Slow down"),
            ),
            "the provider's rate limit is exceeded; try again in 1 seconds",
        ),
        Fault::transient(
            "server error",
            Response::of("500 Internal Server Error", &error("server_error", "Oops")),
            "the provider is unavailable (status 500): Oops; try again later",
        ),
        Fault::transient("reset", begun().then(Then::Reset), incomplete),
        Fault::transient("truncated stream", begun(), incomplete),
        Fault::transient(
            "truncated arguments",
            Response::stream(&[cut_call]),
            incomplete,
        ),
        Fault::transient(
            "malformed event",
            Response {
                body: "data: {\"choices\": [{\n\n".to_owned(),
                ..begun()
            },
            invalid,
        ),
        Fault::transient(
            "error event",
            Response::stream(&[error("server_error", "Oops")]),
            "the provider is unavailable (status 200): Oops; try again later",
        ),
        Fault::transient(
            "wrong content type",
            Response {
                head: "200 OK\r\ncontent-type: text/html",
                body: html,
                then: Then::Close,
            },
            "an HTML page instead of events; check that the base URL belongs to this provider",
        ),
        Fault {
            timeout: "3",
            ..Fault::transient(
                "slow first byte",
                begun().then(Then::Hold),
                "the provider sent no data for 3 seconds; raise the idle timeout or try again",
            )
        },
    ]
}

fn lasting() -> Vec<Fault> {
    let word = "more ".repeat(200);
    vec![
        Fault {
            turns: 2,
            ..Fault::lasting(
                "empty answer",
                Response::stream(&text("", "stop")),
                "the model returned an empty answer twice; change the task or the model",
            )
        },
        Fault::lasting(
            "endless stream",
            Response::stream(&text(&word, "stop")[..1]).then(Then::Repeat),
            "the response is larger than 8388608 bytes; raise the response limit",
        ),
        Fault::lasting(
            "invalid key",
            Response::of("401 Unauthorized", &error("invalid_api_key", "No")),
            "the provider rejected the API key (status 401); check the key",
        ),
        Fault::lasting(
            "context overflow",
            Response::of(
                "400 Bad Request",
                &error(
                    "context_length_exceeded",
                    "This model's maximum context length is 8192 tokens, however you requested 9000 tokens",
                ),
            ),
            "9000 of at most 8192 tokens; shorten it or use a model with a larger context",
        ),
        Fault::lasting(
            "rejected request",
            Response::of(
                "400 Bad Request",
                &error("invalid_request_error", "Bad value"),
            ),
            "Bad value; check the name and the settings of the model",
        ),
        Fault::lasting(
            "refusal",
            Response::stream(&text("I cannot", "content_filter")),
            "the final answer was blocked or declined; change the task",
        ),
        Fault::lasting(
            "length stop",
            Response::stream(&text("There are many", "length")),
            "the final answer was truncated by a token limit; raise the output token limit",
        ),
    ]
}

/// Runs the example with a transcript in `records`.
async fn run(server: &FaultServer, garden: &Scratch, records: &Scratch, more: &[&str]) -> Run {
    let record = records.path().join("run.jsonl");
    let mut command = super::command(&["--provider", "openai", "--base-url", &server.origin]);
    command
        .env("OPENAI_API_KEY", "secret")
        .args(["--stream", "--transcript"])
        .arg(record)
        .arg("--workspace")
        .arg(garden.path())
        .args(more);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    Run::of(output.await.unwrap())
}

/// Asserts that a run with the fault fails with one line, and that its transcript resumes.
async fn fails_and_resumes(fault: Fault) {
    let (garden, records) = (Scratch::new().file("only.txt", "one\n"), Scratch::new());
    let server = FaultServer::start(vec![fault.response; fault.turns]).await;

    let failed = run(
        &server,
        &garden,
        &records,
        &["--attempts", "1", "--timeout", fault.timeout],
    )
    .await;
    let before = server.requests();
    let resumed = run(&server, &garden, &records, &["--resume"]).await;

    let name = fault.name;
    assert_eq!(failed.code, Some(1), "{name}: {failed:?}");
    let line = failed.complained.trim_end();
    assert!(
        line.starts_with("error: ") && line.contains(fault.line) && !line.contains('\n'),
        "{name}: {line}"
    );
    assert!(failed.stdout.contains("failed: "), "{name}: {failed:?}");
    assert_eq!(before, 1 + fault.turns, "{name}");
    assert_eq!(
        (resumed.code, &*resumed.complained),
        (Some(0), ""),
        "{name}"
    );
    assert!(resumed.stdout.contains(ANSWER), "{name}: {resumed:?}");
    assert!(!resumed.stdout.contains("list "), "{name}: {resumed:?}");
    assert_eq!(server.requests(), before + 1, "{name}");
    assert!(!garden.has("a.txt"), "{name}: a truncated call ran");
}

#[tokio::test(flavor = "multi_thread")]
async fn lasting_fault_ends_run_with_one_line_and_resumes() {
    for fault in transient().into_iter().chain(lasting()) {
        fails_and_resumes(fault).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transient_fault_is_repeated_and_lasting_fault_is_not() {
    for fault in transient().into_iter().chain(lasting()) {
        let (garden, records) = (Scratch::new().file("only.txt", "one\n"), Scratch::new());
        let server = FaultServer::start(vec![fault.response; fault.turns]).await;

        let run = run(
            &server,
            &garden,
            &records,
            &["--attempts", "2", "--timeout", fault.timeout],
        )
        .await;

        let name = fault.name;
        let code = i32::from(!fault.is_transient);
        assert_eq!(run.code, Some(code), "{name}: {run:?}");
        let requests = 1 + fault.turns + usize::from(fault.is_transient);
        assert_eq!(server.requests(), requests, "{name}");
        assert_eq!(run.stdout.contains(ANSWER), fault.is_transient, "{name}");
        assert!(!garden.has("a.txt"), "{name}: a truncated call ran");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_finish_reason_is_no_answer() {
    let (garden, records) = (Scratch::new().file("only.txt", "one\n"), Scratch::new());
    let server = FaultServer::start(vec![Response::stream(&text(ANSWER, "teapot"))]).await;

    let run = run(&server, &garden, &records, &[]).await;

    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.complained.contains("without a final answer"), "{run:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn call_at_token_limit_does_not_run() {
    let (garden, records) = (Scratch::new().file("only.txt", "one\n"), Scratch::new());
    let finish = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]});
    let cut = call("write", r#"{"path":"a.txt","content":"on"#);
    let server = FaultServer::start(vec![Response::stream(&[cut, finish])]).await;

    let run = run(&server, &garden, &records, &[]).await;

    assert_eq!((run.code, &*run.complained), (Some(0), ""), "{run:?}");
    assert!(run.stdout.contains("✗ write"), "{run:?}");
    assert!(!garden.has("a.txt"));
}
