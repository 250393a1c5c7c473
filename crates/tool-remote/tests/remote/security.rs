//! Credentials, TLS and decisions of the caller's side.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use tool_core::approval::{Answer, ApprovalRequest, Policy, Rule, Verdict, approver_fn};
use tool_core::{Registry, RiskLevel, Secret};
use tool_remote::{DecisionKey, NatsCredentials, NatsOptions, RemoteError, RemoteTools, Worker};

use crate::server::Server;
use crate::tools::{Runs, builder, code, count, definition, echo, memory, permissive};

fn user(name: &str, password: &str) -> NatsCredentials {
    NatsCredentials::User(name.to_owned(), Secret::new(password.to_owned()))
}

#[tokio::test]
async fn reports_invalid_credentials() {
    let configuration = "authorization { users = [{user: app, password: right}] }";
    let Some(server) = Server::configured(configuration).await else {
        return;
    };
    let connect = async |options: NatsOptions| {
        let registry = Registry::new();
        RemoteTools::connect(options, &registry).await.map(drop)
    };
    let missing = NatsCredentials::File(server.directory().join("missing.creds"));
    for credentials in [
        NatsCredentials::None,
        user("app", "wrong"),
        NatsCredentials::Token(Secret::new("wrong".to_owned())),
    ] {
        let shown = format!("{credentials:?}");
        let error = connect(server.options().credentials(credentials))
            .await
            .unwrap_err();
        assert!(
            matches!(error, RemoteError::Unauthorized(_)),
            "{shown}: {error:?}"
        );
    }
    let error = connect(server.options().credentials(missing))
        .await
        .unwrap_err();
    assert!(matches!(error, RemoteError::Credentials(_)), "{error:?}");
    let error = connect(server.options().tenant("a.b")).await.unwrap_err();
    assert!(
        matches!(error, RemoteError::InvalidName { kind: "tenant", .. }),
        "{error:?}"
    );
    let error = connect(NatsOptions::new("nats://127.0.0.1:1"))
        .await
        .unwrap_err();
    assert!(matches!(error, RemoteError::Unreachable(_)), "{error:?}");

    connect(server.options().credentials(user("app", "right")))
        .await
        .unwrap();
}

#[tokio::test]
async fn permissions_confine_tenants() {
    let configuration = r#"
        authorization { users = [
            {user: admin, password: admin}
            {user: one, password: one, permissions: {
                publish: [
                    "toolwright.one.>", "$JS.API.>", "$JS.ACK.>", "$KV.tool_workers_one.>",
                    "$KV.tool_definitions_one.>", "$O.tool_objects_one.>"
                ]
                subscribe: ["toolwright.one.>"]
            }}
        ] }"#;
    let Some(server) = Server::configured(configuration).await else {
        return;
    };
    let (runs, ledger) = (Runs::default(), memory());
    let options = server
        .options()
        .tenant("one")
        .credentials(user("one", "one"));
    let registry = crate::tools::registry(&runs, &ledger);
    let _worker = Worker::new(registry.clone(), options.clone())
        .start()
        .await
        .unwrap();
    let caller = permissive();
    let _remote = RemoteTools::connect(options, &caller).await.unwrap();

    for tool in ["look", "pay"] {
        assert!(caller.execute(tool, json!({})).await.success, "{tool}");
    }
    let foreign = server
        .options()
        .tenant("two")
        .credentials(user("one", "one"));
    let foreign = foreign.request_timeout(Duration::from_secs(2));
    assert!(Worker::new(registry, foreign).start().await.is_err());
}

fn certificates() -> (String, String) {
    let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    (own.cert.pem(), own.signing_key.serialize_pem())
}

#[tokio::test]
async fn tls_needs_known_certificates() {
    let ((certificate, key), (client, client_key)) = (certificates(), certificates());
    let files = [
        ("server.pem", certificate.as_str()),
        ("server.key", &key),
        ("client.pem", &client),
        ("client.key", &client_key),
    ];
    let configuration = r#"tls {
        cert_file: "{directory}/server.pem"
        key_file: "{directory}/server.key"
        ca_file: "{directory}/client.pem"
        verify: true
    }"#;
    let Some(server) = Server::with_files(&files, configuration).await else {
        return;
    };
    let path = |name: &str| server.directory().join(name);
    let registry = Registry::new();
    let options = NatsOptions::new(server.tls_url()).request_timeout(Duration::from_secs(10));
    let known = options.clone().root_certificates(path("server.pem"));
    for (name, options) in [
        ("unknown server", options.clone()),
        ("no client certificate", known.clone()),
        (
            "foreign client certificate",
            known
                .clone()
                .client_certificate(path("server.pem"), path("server.key")),
        ),
        (
            "missing file",
            options.root_certificates(path("missing.pem")),
        ),
    ] {
        assert!(
            RemoteTools::connect(options, &registry).await.is_err(),
            "{name}"
        );
    }

    let options = known
        .client_certificate(path("client.pem"), path("client.key"))
        .require_tls();
    let remote = RemoteTools::connect(options, &registry).await.unwrap();
    assert!(remote.workers().is_empty());
}

const SECRET: &[u8] = b"thirty-two bytes of randomness..";

/// A worker that requires decisions of the caller's side for its tools with effects.
async fn sealed_worker(server: &Server, runs: &Runs, policy: Policy) -> tool_remote::RunningWorker {
    let ledger = memory();
    let registry = builder(runs)
        .policy(policy)
        .tool(echo(definition("erase", RiskLevel::Dangerous), runs))
        .unwrap()
        .ledger(ledger)
        .build();
    let worker = Worker::new(registry, server.options());
    let worker = worker.decision_key(DecisionKey::new(SECRET).unwrap());
    worker.start().await.unwrap()
}

async fn sealing(server: &Server, registry: &Registry, secret: &[u8]) -> RemoteTools {
    let key = DecisionKey::new(secret).unwrap();
    let remote = RemoteTools::builder(server.options()).decision_key(key);
    remote.connect(registry).await.unwrap()
}

#[tokio::test]
async fn approved_calls_run_on_worker() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    // The worker's policy requires approval for dangerous calls, and it has no approver.
    let _worker = sealed_worker(&server, &runs, Policy::default()).await;
    let answer = |answer: Answer| {
        Registry::builder()
            .approver(approver_fn(move |_: ApprovalRequest| answer.clone()))
            .build()
    };

    let approving = answer(Answer::Approve);
    let _one = sealing(&server, &approving, SECRET).await;
    let result = approving.execute("erase", json!({"text": "a"})).await;
    assert_eq!(result.to_string(), "a", "{result:?}");

    let editing = answer(Answer::Edit {
        arguments: json!({"text": "edited"}),
    });
    let _two = sealing(&server, &editing, SECRET).await;
    let result = editing.execute("erase", json!({"text": "a"})).await;
    assert_eq!(result.to_string(), "edited", "{result:?}");
    assert_eq!(count(&runs), 2);

    let denying = answer(Answer::Deny { reason: None });
    let _three = sealing(&server, &denying, SECRET).await;
    assert_eq!(
        code(&denying.execute("erase", json!({})).await),
        "approval_denied"
    );
    assert_eq!(count(&runs), 2);
}

#[tokio::test]
async fn worker_rejects_calls_without_valid_decision() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let _worker = sealed_worker(&server, &runs, Policy::allow_all()).await;
    let unsealed = permissive();
    let _one = RemoteTools::connect(server.options(), &unsealed)
        .await
        .unwrap();
    let foreign = permissive();
    let _two = sealing(&server, &foreign, b"another thirty-two random bytes.").await;

    for (name, caller) in [("no seal", &unsealed), ("foreign seal", &foreign)] {
        let result = caller.execute("pay", json!({})).await;

        assert_eq!(code(&result), "approval_denied", "{name}: {result}");
        // Calls that only read need no decision.
        assert!(unsealed.execute("look", json!({})).await.success, "{name}");
    }
    assert_eq!(count(&runs), 2);
}

#[tokio::test]
async fn rules_of_worker_overrule_decisions() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let mut policy = Policy::allow_all();
    policy.rules.push(Rule::new("no-pay", "pay", Verdict::Deny));
    let _worker = sealed_worker(&server, &runs, policy).await;
    let caller = permissive();
    let _remote = sealing(&server, &caller, SECRET).await;

    let result = caller.execute("pay", json!({})).await;

    assert_eq!(code(&result), "approval_denied", "{result}");
    assert!(result.to_string().contains("no-pay"), "{result}");
    assert_eq!(count(&runs), 0);
}

/// Captures a sealed request on its way, by serving its group without running it.
async fn captured(server: &Server) -> Value {
    use async_nats::jetstream::consumer::PullConsumer;
    use futures_util::StreamExt;

    let context = server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();
    let consumer: PullConsumer = stream.get_consumer("tools").await.unwrap();
    let mut messages = consumer.messages().await.unwrap();
    let message = timeout(Duration::from_mins(1), messages.next()).await;
    let message = message.unwrap().unwrap().unwrap();
    message.double_ack().await.unwrap();
    serde_json::from_slice(&message.payload).unwrap()
}

#[tokio::test]
async fn decision_is_valid_only_for_its_call() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let worker = sealed_worker(&server, &runs, Policy::allow_all()).await;
    let caller = permissive();
    let _remote = sealing(&server, &caller, SECRET).await;
    let pinned = caller.snapshot();
    worker.stop(Duration::from_secs(10)).await;
    let call = tool_core::ToolCall::new("pay", json!({"text": "a"}));
    let running = pinned.spawn(call, tool_core::CallOptions::default());
    let sealed = captured(&server).await;
    running.cancel();
    let _worker = sealed_worker(&server, &runs, Policy::allow_all()).await;

    let client = server.client().await;
    let context = server.stream().await;
    let send = async |request: &Value| {
        use futures_util::StreamExt;

        let inbox = client.new_inbox();
        let mut replies = client.subscribe(inbox.clone()).await.unwrap();
        // Requests have another connection, and their replies must not precede the subscription.
        client.flush().await.unwrap();
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("Toolwright-Reply", inbox.as_str());
        let subject = "toolwright.default.call.tools";
        let sent = context.publish_with_headers(subject, headers, request.to_string().into());
        sent.await.unwrap().await.unwrap();
        let reply = timeout(Duration::from_mins(1), replies.next()).await;
        let reply = reply.unwrap().unwrap();
        let reply: Value = serde_json::from_slice(&reply.payload).unwrap();
        reply["finished"]["result"]["error"]["code"]
            .as_str()
            .unwrap_or("none")
            .to_owned()
    };
    let change = |pointer: &str, value: Value| {
        let mut changed = sealed.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        changed
    };
    let mut plain = sealed.clone();
    plain["arguments"] = json!({"plain": {"text": "a", "milliseconds": 0, "size": 0}});
    for (name, request) in [
        (
            "other arguments",
            change("/arguments/sealed/request/arguments/text", json!("b")),
        ),
        ("other key", change("/key/key", json!("another"))),
        ("other scope", change("/key/scope", json!("another"))),
        ("broken seal", change("/arguments/sealed/seal", json!("00"))),
        ("no seal", plain),
    ] {
        assert_eq!(send(&request).await, "approval_denied", "{name}");
    }
    assert_eq!(count(&runs), 0);
    assert_eq!(send(&sealed).await, "none");
    // A repetition returns the stored result.
    assert_eq!(send(&sealed).await, "none");
    assert_eq!(count(&runs), 1);
}

#[tokio::test]
async fn calls_with_effects_must_be_queued() {
    let Some(server) = Server::start().await else {
        return;
    };
    let (runs, ledger) = (Runs::default(), memory());
    let registry = crate::tools::registry(&runs, &ledger);
    let worker = Worker::new(registry, server.options())
        .start()
        .await
        .unwrap();
    let caller = permissive();
    let _remote = RemoteTools::connect(server.options(), &caller)
        .await
        .unwrap();
    let pinned = caller.snapshot();
    worker.stop(Duration::from_secs(10)).await;
    let running = pinned.spawn(
        tool_core::ToolCall::new("pay", json!({})),
        tool_core::CallOptions::default(),
    );
    let request = captured(&server).await;
    running.cancel();
    let registry = crate::tools::registry(&runs, &ledger);
    let _worker = Worker::new(registry, server.options())
        .start()
        .await
        .unwrap();

    let client = server.client().await;
    let subject = "toolwright.default.read.tools";
    let reply = client
        .request(subject, request.to_string().into())
        .await
        .unwrap();

    let reply: Value = serde_json::from_slice(&reply.payload).unwrap();
    let error = &reply["finished"]["result"]["error"];
    assert_eq!(error["code"], "approval_denied", "{reply}");
    assert_eq!(count(&runs), 0);
}
