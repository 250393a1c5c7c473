//! Stored outputs.

use tool_core::output_store::{OutputHandle, StoreError};
use tool_ledger::LedgerLimits;

use crate::setup::{Store, cases};

fn small(mut limits: LedgerLimits) -> LedgerLimits {
    (limits.outputs.max_bytes, limits.outputs.max_entries) = (100, 3);
    limits
}

async fn pages_yield_stored_text(store: Store) {
    let text = "one\nzwölf 🦀\ndrei\n\n\u{0}end";
    let handle = store.outputs.put(text.into()).await.unwrap();

    let (mut gathered, mut offset) = (String::new(), Some(0));
    while let Some(at) = offset {
        let page = store.outputs.read(&handle, at, 7).await.unwrap();
        assert_eq!((page.offset, page.total), (at, text.len() as u64));
        gathered.push_str(&page.content);
        offset = page.next_offset();
    }

    assert_eq!(gathered, text);
}

async fn empty_text_is_stored(store: Store) {
    let handle = store.outputs.put("".into()).await.unwrap();

    let page = store.outputs.read(&handle, 0, 10).await.unwrap();

    assert_eq!((page.content.as_str(), page.total), ("", 0));
}

async fn offset_past_end_is_rejected(store: Store) {
    let handle = store.outputs.put("abc".into()).await.unwrap();

    let error = store.outputs.read(&handle, 4, 10).await.unwrap_err();

    assert!(matches!(error, StoreError::PastEnd { total: 3 }), "{error}");
}

async fn unknown_handle_is_rejected(store: Store) {
    let handle = OutputHandle::from_random(7);

    let error = store.outputs.read(&handle, 0, 10).await.unwrap_err();

    assert!(matches!(error, StoreError::Unknown), "{error}");
}

async fn too_large_text_is_rejected(store: Store) {
    let kept = store.outputs.put("kept".into()).await.unwrap();

    let error = store.outputs.put("x".repeat(101).into()).await.unwrap_err();

    assert!(
        matches!(error, StoreError::TooLarge { bytes: 101 }),
        "{error}"
    );
    assert!(store.outputs.read(&kept, 0, 10).await.is_ok());
}

async fn oldest_texts_are_removed_over_bytes(store: Store) {
    let mut handles = Vec::new();
    for _ in 0..3 {
        handles.push(store.outputs.put("x".repeat(45).into()).await.unwrap());
    }

    let mut kept = Vec::new();
    for handle in &handles {
        kept.push(store.outputs.read(handle, 0, 10).await.is_ok());
    }
    assert_eq!(kept, [false, true, true]);
}

async fn oldest_texts_are_removed_over_entries(store: Store) {
    let mut handles = Vec::new();
    for _ in 0..5 {
        handles.push(store.outputs.put("x".into()).await.unwrap());
    }

    let mut kept = Vec::new();
    for handle in &handles {
        kept.push(store.outputs.read(handle, 0, 10).await.is_ok());
    }
    assert_eq!(kept, [false, false, true, true, true]);
}

cases! { super::small(LedgerLimits::default());
    pages_yield_stored_text
    empty_text_is_stored
    offset_past_end_is_rejected
    unknown_handle_is_rejected
    too_large_text_is_rejected
    oldest_texts_are_removed_over_bytes
    oldest_texts_are_removed_over_entries
}
