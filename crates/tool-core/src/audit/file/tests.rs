use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::Timestamp;
use crate::audit::{AuditedArguments, BeforeCall};

/// A directory that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "audit-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::SeqCst)
        );
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn log(&self) -> PathBuf {
        self.0.join("audit.jsonl")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.log()).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn event(id: &str) -> AuditEvent {
    AuditEvent::Before(BeforeCall {
        time: Timestamp::now(),
        call_id: id.to_owned(),
        parent_id: None,
        tool: "f".to_owned(),
        definition_digest: None,
        arguments: AuditedArguments::of(serde_json::json!({"text": "two\nlines"}), None),
        risk: None,
        decision: None,
        rule: None,
        approved_by: None,
    })
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

    let read = |line: &str| {
        serde_json::from_str::<AuditEvent>(line)
            .unwrap()
            .call_id()
            .to_owned()
    };
    assert_eq!(
        scratch.text().lines().map(read).collect::<Vec<_>>(),
        ["1", "2"]
    );
    let mode = fs::metadata(scratch.log()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_lines_are_complete() {
    let scratch = Scratch::new();
    let log = Arc::new(AuditFile::open(scratch.log()).unwrap());
    let write = |task: usize| {
        let log = Arc::clone(&log);
        tokio::spawn(async move {
            for id in 0..50 {
                log.record(event(&format!("{task}-{id}"))).await.unwrap();
            }
        })
    };

    for task in (0..8).map(write).collect::<Vec<_>>() {
        task.await.unwrap();
    }

    let mut ids: Vec<String> = scratch
        .text()
        .lines()
        .map(|line| {
            serde_json::from_str::<AuditEvent>(line)
                .unwrap()
                .call_id()
                .to_owned()
        })
        .collect();
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
        assert!(matches!(AuditFile::open(path), Err(AuditError::NotAFile)));
    }
}

#[tokio::test]
async fn full_disk_fails_every_event() {
    let device = PathBuf::from("/dev/full");
    if !device.exists() {
        return;
    }
    let file = fs::OpenOptions::new().append(true).open(device).unwrap();
    let log = AuditFile::start(Writer::new(file, false)).unwrap();

    for _ in 0..2 {
        assert!(matches!(
            log.record(event("1")).await,
            Err(AuditError::Io(_))
        ));
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
    assert_eq!(read.call_id(), "1");
}

#[tokio::test]
async fn reopened_log_continues() {
    let scratch = Scratch::new();
    for id in ["1", "2", "3"] {
        let log = AuditFile::open(scratch.log()).unwrap();
        log.record(event(id)).await.unwrap();
        log.close().await.unwrap();
    }

    assert_eq!(scratch.text().lines().count(), 3);
}
