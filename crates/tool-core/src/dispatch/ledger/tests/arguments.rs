//! Arguments in the entries of a ledger.

use std::sync::Arc;

use serde_json::{Value, json};

use super::setup::{Counter, TestLedger, builder, call, code, count};
use crate::ledger::{
    ArgumentCipher, CallKey, CipherError, LedgerState, Recovery, StoredArguments, Verified,
};
use crate::{Redactor, Registry, RiskLevel, Timestamp};
use tool_json::text::hexadecimal;

/// A cipher that hides the key of the call and the arguments in hexadecimal. Not a secure one.
struct Hidden;

fn hidden(text: &str) -> String {
    hexadecimal(text.as_bytes())
}

impl ArgumentCipher for Hidden {
    fn encrypt(&self, key: &CallKey, arguments: &str) -> Result<String, CipherError> {
        Ok(hidden(&format!("{key} {arguments}")))
    }

    fn decrypt(&self, key: &CallKey, encrypted: &str) -> Result<String, CipherError> {
        let pairs = encrypted.as_bytes().chunks(2);
        let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = pairs.map(byte).collect();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let arguments = text
            .as_deref()
            .and_then(|text| text.strip_prefix(&format!("{key} ")));
        arguments.map(str::to_owned).ok_or(CipherError::Decrypt)
    }
}

/// A cipher whose service is away.
struct Away;

impl ArgumentCipher for Away {
    fn encrypt(&self, _: &CallKey, _: &str) -> Result<String, CipherError> {
        Err(CipherError::Encrypt)
    }

    fn decrypt(&self, _: &CallKey, _: &str) -> Result<String, CipherError> {
        Err(CipherError::Decrypt)
    }
}

/// A cipher that panics.
struct Broken;

impl ArgumentCipher for Broken {
    fn encrypt(&self, _: &CallKey, arguments: &str) -> Result<String, CipherError> {
        panic!("{arguments}");
    }

    fn decrypt(&self, _: &CallKey, encrypted: &str) -> Result<String, CipherError> {
        panic!("{encrypted}");
    }
}

/// A ledger with an unknown call, and the arguments that its tool verifies.
struct Site {
    ledger: Arc<TestLedger>,
    verified: Arc<std::sync::Mutex<Vec<Value>>>,
}

const PAYMENT: &str = r#"{"n": 5, "password": "abc", "rate": 0.1}"#;

fn payment() -> Value {
    serde_json::from_str(PAYMENT).unwrap()
}

impl Site {
    fn registry(&self, arguments: StoredArguments) -> Registry {
        let mut counter = Counter::new(RiskLevel::SafeWrite, false);
        counter.verified = Verified::DidNotHappen;
        counter.arguments = Arc::clone(&self.verified);
        let builder = builder(&self.ledger).ledger_arguments(arguments);
        builder.tool(counter).unwrap().build()
    }

    async fn unknown_call(arguments: StoredArguments) -> Self {
        let (ledger, verified) = (Arc::default(), Arc::default());
        let site = Self { ledger, verified };
        call(&site.registry(arguments), "1", payment()).await;
        site.ledger.change(|entry| {
            entry.state = LedgerState::Running;
            entry.lease_until = Some(Timestamp::now());
            entry.result = None;
        });
        site
    }

    async fn recover(&self, arguments: StoredArguments) -> (Recovery, Vec<Value>) {
        let recovery = self.registry(arguments).recover("run-7").await.unwrap();
        (recovery, self.verified.lock().unwrap().clone())
    }
}

fn encrypted() -> StoredArguments {
    StoredArguments::encrypted(Hidden)
}

#[tokio::test]
async fn stored_data_has_no_secrets() {
    let ledger = Arc::new(TestLedger::default());
    let counter = Counter::new(RiskLevel::SafeWrite, false);
    let registry = builder(&ledger).redactor(
        Redactor::new()
            .with_value(&crate::Secret::new("hunter2-hunter2".to_owned()))
            .unwrap(),
    );
    let registry = registry.tool(counter).unwrap().build();

    let arguments = json!({"password": "abc", "note": "it is hunter2-hunter2", "n": 1});
    call(&registry, "1", arguments).await;

    assert_eq!(ledger.entry().intent.encrypted, None);
    let stored = serde_json::to_string(&ledger.entry()).unwrap();
    assert!(!stored.contains("hunter2"), "{stored}");
    let shown = json!({"password": "[redacted]", "note": "it is [redacted]", "n": 1});
    assert_eq!(ledger.entry().intent.arguments, Some(shown.clone()));
    assert_eq!(
        ledger
            .entry()
            .result
            .unwrap()
            .metadata
            .parameters
            .to_value(),
        shown
    );
}

#[tokio::test]
async fn plain_arguments_are_stored_on_request() {
    let ledger = Arc::new(TestLedger::default());
    let counter = Counter::new(RiskLevel::SafeWrite, false);
    let registry = builder(&ledger)
        .ledger_arguments(StoredArguments::Plain)
        .ledger_owner("host-1");
    let registry = registry.tool(counter).unwrap().build();

    call(&registry, "1", json!({"password": "abc"})).await;

    let intent = ledger.entry().intent;
    assert_eq!(
        (intent.arguments, intent.complete),
        (Some(json!({"password": "abc"})), true)
    );
    assert_eq!(
        (intent.by.as_deref(), intent.encrypted),
        (Some("host-1"), None)
    );
}

#[tokio::test]
async fn complete_arguments_are_not_in_debug_output() {
    for arguments in [StoredArguments::Plain, encrypted()] {
        let shown = format!("{arguments:?}");
        let site = Site::unknown_call(arguments).await;

        let entry = format!("{:?}", site.ledger.entry());

        assert!(!entry.contains("abc"), "{shown}: {entry}");
        assert!(!entry.contains(&hidden("abc")), "{shown}: {entry}");
    }
}

#[tokio::test]
async fn encrypted_arguments_are_stored_on_request() {
    let site = Site::unknown_call(encrypted()).await;

    let intent = site.ledger.entry().intent;

    let shown = json!({"n": 5, "password": "[redacted]", "rate": 0.1});
    assert_eq!((intent.arguments, intent.complete), (Some(shown), false));
    let key = CallKey::new("run-7", "1");
    let text = Hidden.decrypt(&key, &intent.encrypted.unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), payment());
}

#[tokio::test]
async fn recovery_verifies_complete_arguments() {
    for kind in [StoredArguments::Plain, encrypted()] {
        let site = Site::unknown_call(kind.clone()).await;

        let (recovery, verified) = site.recover(kind.clone()).await;

        assert_eq!(recovery.did_not_happen.len(), 1, "{kind:?}");
        assert_eq!(verified, [payment()], "{kind:?}");
    }
}

#[tokio::test]
async fn recovery_without_encryption_key_verifies_nothing() {
    for kind in [
        StoredArguments::Redacted,
        StoredArguments::Plain,
        StoredArguments::encrypted(Away),
        StoredArguments::encrypted(Broken),
    ] {
        let site = Site::unknown_call(encrypted()).await;

        let (recovery, verified) = site.recover(kind.clone()).await;

        assert_eq!(recovery.unknown.len(), 1, "{kind:?}");
        assert_eq!(verified, [Value::Null; 0], "{kind:?}");
    }
}

#[tokio::test]
async fn recovery_rejects_changed_or_moved_arguments() {
    let sealed = |key: &str, arguments: &str| {
        let key = CallKey::new("run-7", key);
        Hidden.encrypt(&key, arguments).unwrap()
    };
    let digit = payment().to_string().replace('5', "6");
    for (name, changed) in [
        ("damaged", "not hexadecimal".to_owned()),
        ("of another call", sealed("2", &payment().to_string())),
        ("other arguments of the same call", sealed("1", &digit)),
    ] {
        let site = Site::unknown_call(encrypted()).await;
        site.ledger
            .change(|entry| entry.intent.encrypted = Some(changed.clone()));

        let (recovery, verified) = site.recover(encrypted()).await;

        assert_eq!(recovery.unknown.len(), 1, "{name}");
        assert_eq!(verified, [Value::Null; 0], "{name}");
    }
}

#[tokio::test]
async fn call_that_cannot_be_encrypted_does_not_run() {
    for cipher in [
        StoredArguments::encrypted(Away),
        StoredArguments::encrypted(Broken),
    ] {
        let ledger = Arc::new(TestLedger::default());
        let counter = Counter::new(RiskLevel::SafeWrite, false);
        let runs = Arc::clone(&counter.runs);
        let registry = builder(&ledger).ledger_arguments(cipher);
        let registry = registry.tool(counter).unwrap().build();

        let result = call(&registry, "1", json!({"password": "abc"})).await;

        assert_eq!(code(&result), Some("ledger_unavailable"), "{result}");
        assert_eq!((count(&runs), ledger.count()), (0, 0));
    }
}

#[tokio::test]
async fn too_large_arguments_are_not_encrypted() {
    let ledger = Arc::new(TestLedger::default());
    let counter = Counter::new(RiskLevel::SafeWrite, false);
    let registry = builder(&ledger).ledger_arguments(encrypted());
    let registry = registry.tool(counter).unwrap().build();

    call(&registry, "1", json!({"text": "x".repeat(1024 * 1024)})).await;

    let intent = ledger.entry().intent;
    assert_eq!((intent.arguments, intent.encrypted), (None, None));
}
