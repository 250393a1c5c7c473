#[cfg(unix)]
mod file {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::super::*;
    use crate::Timestamp;
    use crate::audit::AuditedText;

    /// A directory that is removed on drop.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new() -> Self {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let number = NEXT.fetch_add(1, Ordering::SeqCst);
            let path = std::env::temp_dir().join(format!("audit-{}-{number}", std::process::id()));
            fs::create_dir(&path).unwrap();
            Self(path)
        }

        fn log(&self) -> PathBuf {
            self.0.join("audit.jsonl")
        }

        fn text(&self) -> String {
            fs::read_to_string(self.log()).unwrap()
        }

        /// Returns the ids of the complete lines.
        fn ids(&self) -> Vec<String> {
            let text = self.text();
            let events = text.lines().map(serde_json::from_str::<AuditEvent>);
            events.map(|event| event.unwrap().call_id).collect()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn event(id: &str) -> AuditEvent {
        AuditEvent {
            time: Timestamp::now(),
            call_id: id.to_owned(),
            parent_id: None,
            tool: "f".to_owned(),
            definition_digest: None,
            arguments: AuditedText {
                text: Some("two\nlines".to_owned()),
                ..AuditedText::default()
            },
            risk: Some(crate::RiskLevel::Dangerous),
            decision: None,
            rule: None,
            result: None,
        }
    }

    #[tokio::test]
    async fn events_are_lines_readable_by_owner() {
        let scratch = Scratch::new();
        fs::write(scratch.log(), "").unwrap();
        fs::set_permissions(scratch.log(), fs::Permissions::from_mode(0o644)).unwrap();
        let log = AuditFile::open(scratch.log()).unwrap();

        for id in ["1", "2"] {
            log.record(event(id)).await.unwrap();
        }

        assert_eq!(scratch.ids(), ["1", "2"]);
        let mode = fs::metadata(scratch.log()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn concurrent_lines_are_complete() {
        let scratch = Scratch::new();
        let log = AuditFile::open(scratch.log()).unwrap();
        let write = |task: usize| {
            let log = log.clone();
            tokio::spawn(async move {
                for id in 0..50 {
                    log.record(event(&format!("{task}-{id}"))).await.unwrap();
                }
            })
        };

        for task in (0..8).map(write).collect::<Vec<_>>() {
            task.await.unwrap();
        }

        let mut ids = scratch.ids();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 400);
    }

    #[test]
    fn rejects_links_and_directories() {
        let scratch = Scratch::new();
        fs::write(scratch.0.join("target"), "").unwrap();
        symlink(scratch.0.join("target"), scratch.log()).unwrap();

        for path in [scratch.log(), scratch.0.clone()] {
            let error = AuditFile::open(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[tokio::test]
    async fn full_disk_fails_every_event() {
        let device = PathBuf::from("/dev/full");
        if !device.exists() {
            return;
        }
        let file = OpenOptions::new().append(true).open(device).unwrap();
        let log = AuditFile::of(file, false);

        for _ in 0..2 {
            assert!(log.record(event("1")).await.is_err());
        }
    }

    #[tokio::test]
    async fn torn_line_does_not_damage_next_line() {
        let scratch = Scratch::new();
        fs::write(scratch.log(), "{\"event\":\"bef").unwrap();
        let log = AuditFile::open(scratch.log()).unwrap();

        log.record(event("1")).await.unwrap();

        let text = scratch.text();
        let (torn, whole) = text.split_once('\n').unwrap();
        assert_eq!(torn, "{\"event\":\"bef");
        let read: AuditEvent = serde_json::from_str(whole).unwrap();
        assert_eq!(read.call_id, "1");
    }

    #[tokio::test]
    async fn reopened_log_continues() {
        let scratch = Scratch::new();
        for id in ["1", "2", "3"] {
            let log = AuditFile::open(scratch.log()).unwrap();
            log.record(event(id)).await.unwrap();
        }

        assert_eq!(scratch.ids(), ["1", "2", "3"]);
    }
}

mod mask {
    use serde_json::json;

    use super::super::*;

    #[test]
    fn recognizes_names_of_secrets() {
        for (name, secret) in [
            ("api_key", true),
            ("apiKey", true),
            ("X-API-Key", true),
            ("OPENAI_API_KEY", true),
            ("token", true),
            ("accessToken", true),
            ("password", true),
            ("db.passwd", true),
            ("Authorization", true),
            ("client-secret", true),
            ("aws_secret_access_key", true),
            ("max_tokens", false),
            ("key", false),
            ("path", false),
            ("author", false),
            ("pinned", false),
        ] {
            assert_eq!(is_secret(name), secret, "{name}");
        }
    }

    #[test]
    fn masks_secrets_at_any_depth() {
        let arguments = json!({"url": "u", "headers": [{"Authorization": "Bearer x", "a": 1}], "token": {"b": 1}, "password": null});

        let audited = recorded_arguments(arguments, None);

        let text = r#"{"headers":[{"Authorization":"[redacted]","a":1}],"password":null,"token":"[redacted]","url":"u"}"#;
        assert_eq!(audited.text.as_deref(), Some(text));
        assert_eq!(audited.bytes, text.len() as u64);
    }

    #[test]
    fn truncates_long_arguments_and_digests_all() {
        let whole = json!({"content": "ä".repeat(5000)});

        let audited = recorded_arguments(whole.clone(), None);

        let shown = audited.text.unwrap().len();
        assert!((2045..=2048).contains(&shown), "{shown}");
        assert_eq!(
            audited.digest,
            Some(sha256(canonical_json(&whole).as_bytes()))
        );
        assert_eq!(audited.bytes, 10_014);
    }
}
