//! Changes of the tools while calls run on several threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_change_while_calls_run() {
    let registry = Registry::of(tool("stays", "here")).unwrap();
    let changing = registry.clone();
    let changes = tokio::spawn(async move {
        for round in 0..200 {
            changing.register(tool(&format!("t{round}"), "x")).unwrap();
            tokio::task::yield_now().await;
            assert!(changing.unregister(&format!("t{round}")).is_some());
        }
    });

    for _ in 0..500 {
        assert!(registry.execute("stays", json!({})).await.success);
    }

    changes.await.unwrap();
    assert_eq!(registry.list().len(), 1);
}

#[test]
fn readers_see_atomic_changes() {
    let registry = Registry::new();
    let source = registry.source("server").unwrap();
    let stop = AtomicBool::new(false);

    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut seen = 0;
                while !stop.load(Ordering::Relaxed) {
                    let turn = registry.snapshot();
                    assert!([0, 3].contains(&turn.list().len()), "{turn:?}");
                    assert_eq!(turn.definitions(&Count).tools, json!(turn.list().len()));
                    assert!(turn.generation() >= seen);
                    seen = turn.generation();
                }
            });
        }
        for _ in 0..200 {
            let tools = ["a", "b", "c"].map(|name| tool(name, "x"));
            source.refresh(tools).unwrap();
            source.refresh(Vec::<DynamicTool>::new()).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });

    assert_eq!(registry.generation(), 400);
}

#[test]
fn concurrent_changes_are_kept() {
    let registry = Registry::new();

    thread::scope(|scope| {
        for thread in 0..4 {
            let registry = registry.clone();
            scope.spawn(move || {
                for n in 0..50 {
                    let name = format!("t{thread}_{n}");
                    registry.register(tool(&name, "x")).unwrap();
                    assert!(registry.disable(&name));
                    if n % 2 == 0 {
                        assert!(registry.unregister(&name).is_some());
                    } else {
                        assert!(registry.enable(&name));
                    }
                }
            });
        }
    });

    assert_eq!(registry.list().len(), 100);
    assert_eq!(registry.generation(), 4 * 50 * 3);
}

#[tokio::test]
async fn changed_since_reports_earlier_changes() {
    let registry = Registry::new();
    let seen = registry.generation();
    let waiting = registry.clone();
    let mut change = Box::pin(waiting.changed_since(seen));
    let early = tokio::time::timeout(std::time::Duration::ZERO, &mut change).await;

    registry
        .register_all([tool("a", "x"), tool("b", "x")])
        .unwrap();
    assert!(registry.disable("a"));

    assert!(early.is_err());
    assert!(change.await > seen);
    assert_eq!(registry.changed_since(seen).await, 2);
}
