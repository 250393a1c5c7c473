//! Keys and the limits of entries.

use std::sync::Arc;

use serde_json::json;
use tool_core::approval::Policy;
use tool_core::ledger::{CallKey, Claim, Intent, LedgerError};
use tool_core::{
    CallOptions, DynamicTool, ErrorCode, Registry, RiskLevel, ToolCall, ToolDefinition, ToolOutput,
};

use crate::setup::{LEASE, Store, cases, intent, key, pay, token, without_effect};

async fn keys_keep_their_characters(store: Store) {
    for name in [
        "",
        " ",
        "a/b",
        "a\nb",
        "%",
        "'; DROP TABLE ledger_calls; --",
        "äöü 🦀",
        "\\",
    ] {
        let key = CallKey::new(format!("scope {name}"), name);
        token(&store.ledger.claim(&key, &pay(5), LEASE).await.unwrap());

        let entry = store.ledger.find(&key).await.unwrap().unwrap();

        assert_eq!(entry.key, key);
    }
}

async fn longest_key_is_accepted(store: Store) {
    let longest = "x".repeat(CallKey::MAX_BYTES);
    let key = CallKey::new(longest.clone(), longest);

    token(&store.ledger.claim(&key, &pay(5), LEASE).await.unwrap());
}

async fn too_long_key_is_rejected(store: Store) {
    let bytes = CallKey::MAX_BYTES + 1;
    for key in [
        CallKey::new("x".repeat(bytes), "a"),
        CallKey::new("a", "x".repeat(bytes)),
    ] {
        let claim = store.ledger.claim(&key, &pay(5), LEASE).await;

        assert!(matches!(claim, Err(LedgerError::KeyTooLong { bytes: found }) if found == bytes));
    }
}

async fn null_character_is_rejected(store: Store) {
    let claim = store.ledger.claim(&key("a\0b"), &pay(5), LEASE).await;

    assert!(matches!(claim, Err(LedgerError::InvalidKey)));
}

async fn too_large_intent_is_rejected(store: Store) {
    let mut large = pay(5);
    large.arguments = Some(json!("x".repeat(5000)));

    let claim = store.ledger.claim(&key("a"), &large, LEASE).await;

    assert!(matches!(
        claim,
        Err(LedgerError::TooLarge { limit: 4096, .. })
    ));
    assert!(store.ledger.find(&key("a")).await.unwrap().is_none());
}

async fn too_large_outcome_leaves_call_running(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    let mut result = without_effect().result().clone();
    result.data = Some(json!("x".repeat(5000)));
    let large = tool_core::ledger::Settled::of(result);

    let settled = store.ledger.settle(&key("a"), token, &large).await;

    assert!(matches!(
        settled,
        Err(LedgerError::TooLarge { limit: 4096, .. })
    ));
    store.settle("a", token, &without_effect()).await;
}

async fn intent_keeps_its_arguments(store: Store) {
    let mut stored = intent(&json!({"text": "äöü \u{0} 🦀", "number": 0.1, "list": [null, true]}));
    stored.arguments = Some(json!({"text": "äöü \u{0} 🦀", "number": 0.1, "list": [null, true]}));
    store.new_claim("a", &stored).await;

    assert_eq!(store.entry("a").await.intent, stored);
}

async fn key_belongs_to_one_tool(store: Store) {
    store.new_claim("a", &pay(5)).await;
    let refund = Intent::new("refund", &json!({"amount": 5}), RiskLevel::Dangerous);

    assert_eq!(store.claim("a", &refund).await, Claim::Conflict);
}

async fn registry_rejects_key_of_other_tool(store: Store) {
    let mut builder = Registry::builder()
        .policy(Policy::allow_all())
        .ledger(Arc::clone(&store.ledger));
    for name in ["pay", "refund"] {
        let definition = ToolDefinition::new(name, "Test.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition.with_risk(RiskLevel::Dangerous), |_, _| async {
            Ok(ToolOutput::text("done"))
        });
        builder = builder.tool(tool).unwrap();
    }
    let registry = builder.build();
    let options = CallOptions::default().with_call_key("order-7");
    let call = |tool: &str| ToolCall::new(tool, json!({}));

    let first = registry.execute_call(&call("pay"), &options).await;
    let other = registry.execute_call(&call("refund"), &options).await;

    assert!(first.success, "{first}");
    assert_eq!(other.error.unwrap().code, ErrorCode::KeyConflict);
}

async fn unknown_key_is_not_found(store: Store) {
    assert!(store.ledger.find(&key("a")).await.unwrap().is_none());
}

cases! { { let mut limits = LedgerLimits::default(); limits.max_entry_bytes = 4096; limits };
    keys_keep_their_characters
    longest_key_is_accepted
    too_long_key_is_rejected
    null_character_is_rejected
    too_large_intent_is_rejected
    too_large_outcome_leaves_call_running
    intent_keeps_its_arguments
    key_belongs_to_one_tool
    registry_rejects_key_of_other_tool
    unknown_key_is_not_found
}
