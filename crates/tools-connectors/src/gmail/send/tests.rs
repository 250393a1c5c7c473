use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;
use tool_core::SideEffects;
use tool_core::ledger::CallKey;

use super::*;
use crate::door::testing::{Received, Reply, Server};
use crate::gmail::testing::{account, message};

mod verify;

fn tool(server: &Server) -> GmailSend {
    GmailSend::of(account(server))
}

/// Like [`tool`], but with the usual timeout of requests, so that only the server loses responses.
fn patient(server: &Server) -> GmailSend {
    let mut account = account(server);
    account.door = account.door.with_attempt(Duration::from_secs(30));
    GmailSend::of(account)
}

fn input() -> Value {
    json!({"to": "ada@example.com", "subject": "Tea", "body": "At four?"})
}

async fn send(tool: &GmailSend, value: Value) -> (Result<SendMailOutput, ToolError>, Value) {
    let cx = ToolContext::test();
    let input: SendMailInput = serde_json::from_value(value).unwrap();
    let sent = match tool.plan(&cx, &input) {
        Ok(_) => tool.run(&cx, input).await,
        Err(error) => Err(error),
    };
    let mut output = tool_core::ToolOutput::text("");
    cx.move_additions_to(&mut output);
    (
        sent,
        output.metadata.get("outcome").cloned().unwrap_or_default(),
    )
}

fn raw(request: &Received) -> String {
    let raw = request.json()["raw"].as_str().unwrap().to_owned();
    String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(raw).unwrap()).unwrap()
}

fn header(raw: &str, name: &str) -> String {
    let start = format!("{name}: ");
    let line = raw.lines().find(|line| line.starts_with(&start)).unwrap();
    line[start.len()..].to_owned()
}

fn is_send(request: &Received) -> bool {
    request.path == "/messages/send"
}

fn sends(server: &Server) -> usize {
    server
        .received()
        .iter()
        .filter(|request| is_send(request))
        .count()
}

#[tokio::test]
async fn sends_message_with_one_request() {
    let server = Server::replies([Reply::json(&json!({"id": "s1", "threadId": "t1"}))]).await;

    let (sent, outcome) = send(&tool(&server), input()).await;

    let sent = sent.unwrap();
    assert_eq!(
        GmailSend::render(&sent),
        "Sent \"Tea\" to ada@example.com.\nID: s1\nThread: t1"
    );
    assert_eq!(outcome, "done");
    let requests = server.received();
    assert_eq!((requests.len(), requests[0].method.as_str()), (1, "POST"));
    let raw = raw(&requests[0]);
    assert!(
        raw.starts_with("To: <ada@example.com>\r\n") || raw.starts_with("To: ada@example.com\r\n"),
        "{raw}"
    );
    assert!(
        raw.ends_with("\r\n\r\nAt four?") || raw.ends_with("\r\n\r\nAt four?\r\n"),
        "{raw}"
    );
}

#[tokio::test]
async fn repeats_only_if_rejected() {
    for status in [401, 429] {
        let server = Server::start(move |_, count| match count {
            0 => Reply::error(status, &json!({})),
            _ => Reply::json(&json!({"id": "s1"})),
        })
        .await;

        let (sent, outcome) = send(&tool(&server), input()).await;

        assert!(sent.is_ok(), "{status}");
        assert_eq!((outcome, sends(&server)), (json!("done"), 2));
    }
    for (status, code) in [
        (400, "failed"),
        (403, "permission_denied"),
        (429, "rate_limited"),
    ] {
        let server = Server::replies([Reply::error(status, &json!({}))]).await;

        let (sent, outcome) = send(&tool(&server), input()).await;

        let error = sent.unwrap_err();
        assert_eq!(
            (error.code().as_str(), outcome),
            (code, json!("not_done")),
            "{status}"
        );
        assert_eq!(error.side_effects(), Some(SideEffects::None));
    }
}

/// Accepts messages, loses each response, and lists sent messages with these changes.
async fn forgetful(lost: Reply, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Server {
    let known: Mutex<Option<String>> = Mutex::default();
    Server::start(move |request, _| {
        if is_send(request) {
            *known.lock().unwrap() = Some(raw(request));
            return lost.clone();
        }
        let raw = known.lock().unwrap().clone().unwrap();
        match request.route() {
            "/messages" => Reply::json(&json!({"messages": [{"id": "other"}, {"id": "s9"}]})),
            "/messages/s9" => {
                let fields = ["Message-ID", "To", "Subject"].map(|name| (name, header(&raw, name)));
                let fields: Vec<(&str, &str)> = fields
                    .iter()
                    .map(|(name, value)| (*name, value.as_str()))
                    .collect();
                let mut found = message("s9", &fields, "");
                change(&mut found);
                Reply::json(&found)
            }
            _ => Reply::json(&message("other", &[("To", "x@example.com")], "")),
        }
    })
    .await
}

#[tokio::test]
async fn lost_response_is_found_in_sent() {
    let cut = Reply::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{".to_vec());
    for lost in [
        Reply::Close,
        cut,
        Reply::error(500, &json!({})),
        Reply::status(200, "", "<html>"),
        Reply::Silence,
    ] {
        let server = forgetful(lost, |_| {}).await;

        let (sent, outcome) = send(&tool(&server), input()).await;

        assert_eq!(sent.unwrap().message_id, "s9");
        assert_eq!((outcome, sends(&server)), (json!("done"), 1));
        let search = server.received()[1].query("q").unwrap();
        assert!(search.starts_with("in:sent rfc822msgid:"), "{search}");
    }
}

#[tokio::test]
async fn lost_response_with_rewritten_id_is_unknown() {
    let server = forgetful(Reply::Close, |found| {
        found["payload"]["headers"][0]["value"] = json!("<rewritten@mail.gmail.com>");
    })
    .await;
    let tool = tool(&server);

    let (sent, outcome) = send(&tool, input()).await;

    let error = sent.unwrap_err();
    assert_eq!(
        error.to_string(),
        "The response of Gmail was lost, so the message may have been sent or not. Do not send it again; look for it \
         first, for example with a search for `in:sent`."
    );
    assert_eq!((error.retryable(), outcome), (false, json!("unknown")));
    assert_eq!(sends(&server), 1);
    let (again, _) = send(&tool, input()).await;
    assert_eq!(again.unwrap_err().code().as_str(), "already_exists");
    assert_eq!(sends(&server), 1);
}

#[tokio::test]
async fn timeout_without_trace_is_unknown_after_one_request() {
    let server = Server::start(|request, _| {
        if is_send(request) {
            Reply::Silence
        } else {
            Reply::json(&json!({}))
        }
    })
    .await;

    let (sent, outcome) = send(&tool(&server), input()).await;

    assert_eq!(sent.unwrap_err().code().as_str(), "outcome_unknown");
    assert_eq!((outcome, sends(&server)), (json!("unknown"), 1));
}

#[tokio::test]
async fn unreachable_service_sends_nothing() {
    let server = Server::replies([Reply::Close]).await;
    let tool = tool(&server);
    drop(server);
    tokio::time::sleep(Duration::from_millis(20)).await;

    let (sent, outcome) = send(&tool, input()).await;

    let error = sent.unwrap_err();
    assert_eq!(
        (error.code().as_str(), outcome),
        ("unavailable", json!("not_done"))
    );
}

#[tokio::test]
async fn duplicate_is_rejected_unless_allowed() {
    let server = Server::replies([Reply::json(&json!({"id": "s1"}))]).await;
    let tool = tool(&server);
    assert!(send(&tool, input()).await.0.is_ok());

    let (again, _) = send(&tool, input()).await;
    assert_eq!(again.unwrap_err().code().as_str(), "already_exists");
    let mut allowed = input();
    allowed["allowDuplicate"] = json!(true);
    assert!(send(&tool, allowed).await.0.is_ok());
    let mut other = input();
    other["body"] = json!("At five?");
    assert!(send(&tool, other).await.0.is_ok());

    assert_eq!(sends(&server), 3);
}

#[tokio::test]
async fn reply_keeps_thread() {
    let server = Server::start(|request, _| {
        if is_send(request) {
            return Reply::json(&json!({"id": "s1", "threadId": "t-1"}));
        }
        Reply::json(&message(
            "m1",
            &[
                ("From", "Ada <ada@example.com>"),
                ("Subject", "Tea"),
                ("Message-ID", "<orig@example.com>"),
                ("References", "<r1@example.com>\r\n <r2@example.com>"),
            ],
            "",
        ))
    })
    .await;

    let (sent, _) = send(
        &tool(&server),
        json!({"to": "", "subject": "", "body": "Yes", "replyToMessageId": "m1"}),
    )
    .await;

    let sent = sent.unwrap();
    assert_eq!(
        (sent.subject.as_str(), sent.to),
        ("Re: Tea", vec!["ada@example.com".to_owned()])
    );
    let request = &server.received()[1];
    assert_eq!(request.json()["threadId"], "t-1");
    let raw = raw(request).replace("\r\n ", " ").replace("\r\n\t", " ");
    assert_eq!(header(&raw, "In-Reply-To"), "<orig@example.com>");
    assert_eq!(
        header(&raw, "References"),
        "<r1@example.com> <r2@example.com> <orig@example.com>"
    );
}

async fn preview(server: &Server, input: Value) -> String {
    let input = serde_json::from_value(input).unwrap();
    let preview = tool(server).inspect(&ToolContext::test(), &input).await;
    preview.unwrap().unwrap().text
}

/// Returns a server that knows the address of the account.
async fn profile(address: &'static str) -> Server {
    Server::start(move |request, _| {
        assert_eq!(
            (request.method.as_str(), request.route()),
            ("GET", "/profile")
        );
        Reply::json(&json!({"emailAddress": address}))
    })
    .await
}

#[tokio::test]
async fn preview_marks_recipients_outside_domain_of_account() {
    let server = profile("Ada@Example.COM").await;

    let text = preview(
        &server,
        json!({
            "to": "ada@example.com, Bob@EXAMPLE.com, \"boss@example.com\" <x@example.org>",
            "cc": "c@mail.example.com, Carl <c@example.com>", "bcc": "d@com.example",
            "subject": "Tea", "body": "At four?",
        }),
    )
    .await;

    assert_eq!(
        text,
        "To: ada@example.com\nTo: Bob@example.com\nTo: boss@example.com <x@example.org> (outside example.com)\n\
         Cc: c@mail.example.com (outside example.com)\nCc: Carl <c@example.com>\n\
         Bcc: d@com.example (outside example.com)\nSubject: Tea\n\nAt four?"
    );
    assert_eq!(sends(&server), 0);
}

#[tokio::test]
async fn preview_says_that_domain_is_unknown() {
    for reply in [
        Reply::Close,
        Reply::error(403, &json!({})),
        Reply::json(&json!({})),
        Reply::json(&json!({"emailAddress": "no address"})),
    ] {
        let server = Server::replies([reply]).await;

        let text = preview(&server, input()).await;

        assert_eq!(
            text,
            "The domain of the account is unknown, so addresses outside it are not marked.\n\
             To: ada@example.com\nSubject: Tea\n\nAt four?"
        );
        assert_eq!(sends(&server), 0);
    }
}

#[tokio::test]
async fn preview_does_not_wait_for_slow_service() {
    let server = Server::replies([Reply::Silence]).await;
    let begin = std::time::Instant::now();

    let text = preview(&server, input()).await;

    assert!(
        text.starts_with("The domain of the account is unknown"),
        "{text}"
    );
    assert!(begin.elapsed() < Duration::from_millis(1900));
}

#[tokio::test]
async fn preview_of_reply_names_message() {
    let server = profile("ada@example.com").await;
    let reply = json!({"to": "", "subject": "", "body": "Yes", "replyToMessageId": "m1"});

    let text = preview(&server, reply).await;

    assert_eq!(
        text,
        "Reply to the message m1\nTo: whoever receives replies to that message\nSubject: \n\nYes"
    );
}

/// Responses of requests and searches are lost at random.
#[tokio::test]
async fn lost_responses_never_send_twice() {
    const RUNS: usize = 200;
    let random = |salt: usize| {
        let mut hash = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&salt, &mut hash);
        std::hash::Hasher::finish(&hash)
    };
    let (mut unknown, mut rejected, mut done) = (0, 0, 0);
    for run in 0..RUNS {
        let accepted: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&accepted);
        let server = Server::start(move |request, count| {
            let choice = random(run * 1000 + count) % 6;
            if !is_send(request) {
                let known = kept.lock().unwrap().first().cloned();
                return match (request.route(), known) {
                    _ if choice < 4 => Reply::Close,
                    ("/messages", Some(_)) => Reply::json(&json!({"messages": [{"id": "s9"}]})),
                    ("/messages", None) => Reply::json(&json!({})),
                    (_, Some(raw)) => {
                        let id = header(&raw, "Message-ID");
                        Reply::json(&message("s9", &[("Message-ID", &id)], ""))
                    }
                    (_, None) => Reply::error(404, &json!({})),
                };
            }
            if choice >= 4 {
                return Reply::error(429, &json!({}));
            }
            kept.lock().unwrap().push(raw(request));
            match choice {
                0 | 1 => Reply::Close,
                2 => Reply::error(503, &json!({})),
                _ => Reply::json(&json!({"id": "s9"})),
            }
        })
        .await;

        let (sent, outcome) = send(&patient(&server), input()).await;

        let count = accepted.lock().unwrap().len();
        assert!(count <= 1, "run {run}: {count} messages");
        match outcome.as_str().unwrap() {
            "done" => {
                done += 1;
                assert!(sent.is_ok() && count == 1, "run {run}");
            }
            "not_done" => {
                rejected += 1;
                assert_eq!(count, 0, "run {run}");
            }
            _ => {
                unknown += 1;
                assert_eq!(
                    (sent.unwrap_err().code().as_str(), count),
                    ("outcome_unknown", 1)
                );
            }
        }
    }
    assert!(done > 0 && rejected > 0);
    println!("{RUNS} sends: {done} done, {rejected} not done, {unknown} unknown, 0 sent twice");
}

#[tokio::test]
async fn repeated_key_returns_stored_result() {
    let server = Server::replies([Reply::json(&json!({"id": "s1", "threadId": "t1"}))]).await;
    let send = tool_core::Typed::new("send", "Sends.", tool(&server));
    let registry = tool_core::Registry::builder()
        .policy(tool_core::approval::Policy::allow_all())
        .ledger(Arc::new(tool_ledger::SqliteLedger::in_memory().unwrap()))
        .tool(send)
        .unwrap()
        .build();
    let call = |key: &str| {
        let options = tool_core::CallOptions::default().with_call_key(key);
        let (registry, call) = (registry.clone(), tool_core::ToolCall::new("send", input()));
        async move { registry.execute_call(&call, &options).await }
    };

    let first = call("order-7").await;
    let again = call("order-7").await;
    let other = call("order-8").await;

    assert_eq!(first.data.unwrap()["message_id"], "s1");
    assert_eq!(again.data.unwrap()["message_id"], "s1");
    assert_eq!(other.error.unwrap().code.as_str(), "already_exists");
    assert_eq!(sends(&server), 1);
}
