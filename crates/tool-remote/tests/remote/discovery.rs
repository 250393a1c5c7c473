//! Tools that arrive and leave with their workers.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::{DynamicTool, Registry, RiskLevel};
use tool_remote::{RemoteTools, Worker};

use crate::server::Server;
use crate::site::Site;
use crate::tools::{Runs, caller, code, count, definition, echo, memory, registry, until, worker};

#[tokio::test]
async fn tools_arrive_and_leave_with_workers() {
    let Some(server) = Server::start().await else {
        return;
    };
    let (ledger, runs) = (memory(), Runs::default());
    let (caller, remote) = caller(&server).await;
    assert!(caller.list().is_empty() && remote.workers().is_empty());

    let named = worker(&server, registry(&runs, &ledger)).named("first");
    let first = named.start().await.unwrap();
    until("the tools arrive", async || caller.list().len() == 7).await;
    assert_eq!(remote.workers()[0].name, "first");
    assert!(remote.workers()[0].tools.contains(&"pay".to_owned()));

    first.stop(Duration::from_secs(10)).await;
    until("the tools leave", async || caller.list().is_empty()).await;

    // A dropped worker sends no farewell, like a killed one.
    let second = worker(&server, registry(&runs, &ledger))
        .start()
        .await
        .unwrap();
    until("the tools return", async || caller.list().len() == 7).await;
    drop(second);
    until("missed heartbeats remove the tools", async || {
        caller.list().is_empty()
    })
    .await;
    assert!(remote.workers().is_empty());
}

#[tokio::test]
async fn proxies_have_definitions_of_worker() {
    let Some(site) = Site::start().await else {
        return;
    };
    let own = site.registry().await;
    for definition in own.list() {
        let proxy = site.caller.get(definition.name()).unwrap();

        assert_eq!(proxy.definition().to_value(), definition.to_value());
    }
}

#[tokio::test]
async fn changed_definition_reaches_caller() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let own = Registry::of(echo(definition("look", RiskLevel::ReadOnly), &runs)).unwrap();
    let _worker = worker(&server, own.clone()).start().await.unwrap();
    let (caller, _remote) = caller(&server).await;
    assert!(caller.get("look").is_some());

    assert!(own.unregister("look").is_some());
    let changed = definition("look", RiskLevel::ReadOnly).with_description("Changed.");
    own.register(echo(changed, &runs)).unwrap();

    until("the description changes", async || {
        let tool = caller.get("look");
        tool.is_some_and(|tool| tool.definition().description() == "Changed.")
    })
    .await;
    assert!(caller.execute("look", json!({})).await.success);
    assert!(own.unregister("look").is_some());
    until("the tool leaves", async || caller.get("look").is_none()).await;
}

#[tokio::test]
async fn call_of_other_definition_does_not_run() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let ledger = memory();
    let own = registry(&runs, &ledger);
    let _worker = worker(&server, own.clone())
        .heartbeat(Duration::from_mins(1))
        .start()
        .await
        .unwrap();
    let (caller, _remote) = caller(&server).await;
    let pinned = caller.snapshot();
    for (name, risk) in [("look", RiskLevel::ReadOnly), ("pay", RiskLevel::SafeWrite)] {
        assert!(own.unregister(name).is_some());
        let changed = definition(name, risk).with_description("Changed.");
        own.register(echo(changed, &runs)).unwrap();

        let result = pinned.execute(name, json!({})).await;

        assert_eq!(code(&result), "unavailable", "{name}: {result}");
        assert!(
            result.to_string().contains("another version"),
            "{name}: {result}"
        );
    }
    assert_eq!(count(&runs), 0);
}

#[tokio::test]
async fn groups_have_their_own_tools_and_queues() {
    let Some(site) = Site::start().await else {
        return;
    };
    let runs = Runs::default();
    let draw = Registry::of(echo(definition("draw", RiskLevel::ReadOnly), &runs)).unwrap();
    let _gpu = worker(&site.server, draw)
        .group("gpu")
        .start()
        .await
        .unwrap();
    until("the tool arrives", async || {
        site.caller.get("draw").is_some()
    })
    .await;

    assert!(site.call("draw", json!({})).await.success);
    assert!(site.call("pay", json!({})).await.success);

    assert_eq!((count(&runs), count(&site.runs)), (1, 1));
}

#[tokio::test]
async fn tenants_do_not_see_each_other() {
    let Some(site) = Site::start().await else {
        return;
    };
    let other = Registry::new();
    let options = site.server.options().tenant("other");

    let remote = RemoteTools::connect(options, &other).await.unwrap();

    assert!(other.list().is_empty() && remote.workers().is_empty());
    assert_eq!(site.caller.list().len(), 7);
}

#[tokio::test]
async fn local_tools_keep_their_names() {
    let Some(site) = Site::start().await else {
        return;
    };
    let local = DynamicTool::new(
        definition("pay", RiskLevel::ReadOnly),
        |_, _: Value| async { Ok("local".into()) },
    );
    let registry = Registry::of(local).unwrap();

    let _remote = RemoteTools::connect(site.server.options(), &registry)
        .await
        .unwrap();

    assert_eq!(
        registry.execute("pay", json!({})).await.to_string(),
        "local"
    );
    assert!(registry.get("look").is_some());
}

#[tokio::test]
async fn close_removes_tools() {
    let Some(site) = Site::start().await else {
        return;
    };

    let closed = site.remote.close();

    assert_eq!(closed.len(), 7);
    assert!(site.caller.list().is_empty());
}

#[tokio::test]
async fn damaged_announcements_are_ignored() {
    let Some(site) = Site::start().await else {
        return;
    };
    let context = site.server.stream().await;
    let workers = context.get_key_value("tool_workers_default").await.unwrap();
    let definitions = context
        .get_key_value("tool_definitions_default")
        .await
        .unwrap();
    let digest = "ab".repeat(32);
    definitions
        .put(&digest, "not a definition".into())
        .await
        .unwrap();
    let liar = |name: &str, tools: Value| {
        let beat = json!({"worker": name, "group": "tools", "interval_ms": 60_000, "tools": tools});
        beat.to_string()
    };
    let missing = json!({"ghost": "cd".repeat(32)});
    let wrong = json!({"wrong": digest});
    let path = json!({"path": "a.b.c"});
    for (key, value) in [
        ("garbage", "garbage".to_owned()),
        ("impostor", liar("another", json!({}))),
        ("ghost", liar("ghost", missing)),
        ("wrong", liar("wrong", wrong)),
        ("path", liar("path", path)),
    ] {
        workers.put(key, value.into()).await.unwrap();
    }
    let fresh = Registry::new();

    let remote = RemoteTools::connect(site.server.options(), &fresh)
        .await
        .unwrap();

    until("the valid tools arrive", async || fresh.list().len() == 7).await;
    let names: Vec<_> = remote
        .workers()
        .into_iter()
        .map(|worker| worker.name)
        .collect();
    assert!(!names.contains(&"garbage".to_owned()) && !names.contains(&"another".to_owned()));
    assert!(site.call("look", json!({})).await.success);
}

#[tokio::test]
async fn too_many_tools_are_rejected() {
    let Some(server) = Server::start().await else {
        return;
    };
    let runs = Runs::default();
    let registry = Registry::new();
    for number in 0..=1000 {
        let definition = definition(&format!("look_{number}"), RiskLevel::ReadOnly);
        registry.register(echo(definition, &runs)).unwrap();
    }

    let error = Worker::new(registry, server.options())
        .start()
        .await
        .unwrap_err();

    assert!(error.to_string().contains("1001 tools"), "{error}");
}
