//! Arguments in the entries of every store.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::ledger::{Intent, Ledger, LedgerState, StoredArguments};
use tool_ledger::ArgumentKey;

use crate::host::{Host, code};
use crate::setup::{Store, cases, key};

const SECRET: &str = "tango-8861";

fn encrypted(byte: u8) -> StoredArguments {
    StoredArguments::encrypted(ArgumentKey::new(&[byte; 32]).unwrap())
}

fn payment() -> Value {
    json!({"how": "loses its response", "password": SECRET})
}

fn host(ledger: Arc<dyn Ledger>, arguments: StoredArguments) -> Host {
    Host::configured(ledger, |builder| builder.ledger_arguments(arguments))
}

/// Makes the unknown call `a`, and returns its host.
async fn unknown_call(store: &Store, arguments: StoredArguments) -> Host {
    let host = host(Arc::clone(&store.ledger), arguments);
    let result = host.start("a", payment()).await;
    assert_eq!(code(&result), "outcome_unknown", "{result}");
    host
}

async fn complete_arguments_are_not_stored_by_default(store: Store) {
    let host = unknown_call(&store, StoredArguments::default()).await;

    host.registry.recover("run-7").await.unwrap();

    let intent = store.entry("a").await.intent;
    assert_eq!((intent.complete, intent.encrypted), (false, None));
    assert!(!store.dump().await.contains(SECRET));
    assert_eq!(host.verified()[0]["password"], "[redacted]");
}

async fn plain_arguments_are_verified(store: Store) {
    let host = unknown_call(&store, StoredArguments::Plain).await;
    assert!(store.dump().await.contains(SECRET));

    host.registry.recover("run-7").await.unwrap();

    assert_eq!(host.verified(), [payment()]);
}

async fn encrypted_arguments_are_verified_by_another_host(store: Store) {
    unknown_call(&store, encrypted(7)).await;
    let dump = store.dump().await;
    assert!(!dump.contains(SECRET), "{dump}");
    let another = host(store.again().await, encrypted(7));

    let recovery = another.registry.recover("run-7").await.unwrap();

    assert_eq!(recovery.happened.len(), 1);
    assert_eq!(another.verified(), [payment()]);
    assert_eq!(store.entry("a").await.state, LedgerState::Done);
    let dump = store.dump().await;
    assert!(!dump.contains(SECRET), "{dump}");
}

async fn call_stays_unknown_without_encryption_key(store: Store) {
    unknown_call(&store, encrypted(7)).await;
    for arguments in [encrypted(8), StoredArguments::Plain] {
        let another = host(store.again().await, arguments);

        let recovery = another.registry.recover("run-7").await.unwrap();

        assert_eq!(recovery.unknown.len(), 1);
        let shown = format!("{recovery:?}");
        assert!(!shown.contains(SECRET), "{shown}");
        assert!(another.verified().is_empty());
    }
    assert_eq!(store.entry("a").await.state, LedgerState::Unknown);
}

async fn arguments_moved_to_another_key_are_rejected(store: Store) {
    let host = unknown_call(&store, encrypted(7)).await;
    let original = store.entry("a").await.intent;
    let mut moved = Intent::new("pay", &payment(), original.risk);
    moved.encrypted = original.encrypted;
    store
        .ledger
        .claim(&key("b"), &moved, Duration::ZERO)
        .await
        .unwrap();

    let recovery = host.registry.recover("run-7").await.unwrap();

    let keys = |entries: &[tool_core::ledger::LedgerEntry]| -> Vec<String> {
        entries.iter().map(|entry| entry.key.key.clone()).collect()
    };
    assert_eq!(keys(&recovery.happened), ["a"]);
    assert_eq!(keys(&recovery.unknown), ["b"]);
    assert_eq!(host.verified(), [payment()]);
}

cases! { LedgerLimits::default();
    complete_arguments_are_not_stored_by_default
    plain_arguments_are_verified
    encrypted_arguments_are_verified_by_another_host
    call_stays_unknown_without_encryption_key
    arguments_moved_to_another_key_are_rejected
}
