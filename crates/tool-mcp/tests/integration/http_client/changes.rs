//! Changes of the configuration.

use std::time::{Duration, Instant};

use serde_json::json;
use tool_mcp::client::ServerState;

use crate::http_client::One;
use crate::http_client::faults::Faults;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_can_be_added_and_removed() {
    let one = One::start("modern").await;
    let other = Faults::start("old").await;

    let own = ("s".to_owned(), one.server.config());
    let further = ["t", "s ", "s  "].map(|name| (name.to_owned(), other.config()));

    let servers = [own.clone()].into_iter().chain(further);
    let report = one.manager.reload(servers).await;

    let states: Vec<ServerState> = report.iter().map(|server| server.state).collect();
    let [ready, failed] = [ServerState::Ready, ServerState::Failed];
    assert_eq!(states, [ready, ready, ready, failed]);
    assert_eq!(other.sent("initialize").len(), 2);
    let echo = one.registry.execute("t__echo", json!({"text": "hi"})).await;
    assert_eq!(echo.text(), "hi");

    assert_eq!(one.manager.reload([own]).await.len(), 1);
    assert!(one.registry.get("t__echo").is_none());
    assert_eq!(
        one.call("echo", json!({"text": "still"})).await.text(),
        "still"
    );
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn announced_changes_are_listed() {
    for mode in ["announces", "announces_old"] {
        let one = One::start(mode).await;
        assert!(one.registry.get("s__echo").is_some());

        one.server.set_mode("changed");

        let hidden = async {
            while one.manager.status()[0].hidden.is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let outcome = tokio::time::timeout(Duration::from_secs(10), hidden).await;
        assert_eq!(outcome, Ok(()), "{mode}");
        assert!(one.registry.get("s__echo").is_none(), "{mode}");
        one.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closed_subscriptions_cause_few_lists() {
    let one = One::start("closes_subscriptions").await;

    tokio::time::sleep(Duration::from_secs(5)).await;

    let lists = one.server.sent("tools/list").len();
    assert!((1..=2).contains(&lists), "{lists}");
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_does_not_wait_for_mute_servers() {
    let one = One::start("mute_delete").await;
    let started = Instant::now();

    one.end().await;

    assert!(
        started.elapsed() < Duration::from_secs(3),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reload_touches_only_changed_servers() {
    let one = One::start("modern").await;
    let (old, new) = (Faults::start("old").await, Faults::start("old").await);
    let before = [
        ("s".to_owned(), one.server.config()),
        ("changed".to_owned(), old.config()),
        ("removed".to_owned(), old.config()),
    ];
    one.manager.reload(before).await;

    let report = one
        .manager
        .reload([
            ("s".to_owned(), one.server.config()),
            ("changed".to_owned(), new.config()),
            ("added".to_owned(), new.config()),
        ])
        .await;

    let names: Vec<&str> = report.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["s", "changed", "added"]);
    assert!(
        report
            .iter()
            .all(|server| server.state == ServerState::Ready)
    );
    assert_eq!(one.server.sent("server/discover").len(), 1);
    assert_eq!(new.sent("initialize").len(), 2);
    assert!(one.registry.get("removed__echo").is_none());
    // The address of `changed` is another one, so its tools require a review.
    assert!(!report[1].hidden.is_empty());
    one.manager.shutdown(Duration::ZERO).await;
    assert_eq!(one.registry.list().len(), 0);
}
