use std::collections::BTreeSet;
use std::thread;

use tool_core::{CancellationToken, ErrorCode};
use tool_test::Scratch;

use crate::workspace::{Workspace, WriteMode};

#[test]
fn one_of_many_creators_succeeds() {
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let threads: Vec<_> = (0..8)
        .map(|number: u8| {
            // Each thread has its own workspace, so that only the file system decides.
            let workspace = Workspace::open(scratch.path()).unwrap();
            thread::spawn(move || {
                let none = CancellationToken::new();
                workspace
                    .write(
                        "path",
                        "a.txt",
                        &[number],
                        WriteMode::CreateNew,
                        true,
                        &none,
                    )
                    .is_ok()
            })
        })
        .collect();

    let created: Vec<bool> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();

    assert_eq!(created.iter().filter(|created| **created).count(), 1);
    let (entries, _) = workspace
        .existing_dir("path", ".")
        .unwrap()
        .entries("path", 10)
        .unwrap();
    assert_eq!(entries.len(), 1);
    let winner = created.iter().position(|created| *created).unwrap();
    assert_eq!(usize::from(scratch.bytes("a.txt")[0]), winner);
}

#[test]
fn readers_see_old_or_new_content() {
    let contents = ["a".repeat(100_000), "b".repeat(100_000)];
    let scratch = Scratch::new().file("a.txt", &contents[0]);
    let workspace = Workspace::open(scratch.path()).unwrap();
    let writer = thread::spawn({
        let (workspace, contents) = (workspace.clone(), contents.clone());
        move || {
            let none = CancellationToken::new();
            for content in contents.iter().cycle().take(40) {
                workspace
                    .write(
                        "path",
                        "a.txt",
                        content.as_bytes(),
                        WriteMode::Overwrite,
                        true,
                        &none,
                    )
                    .unwrap();
            }
        }
    });

    while !writer.is_finished() {
        let bytes = workspace
            .existing_file("path", "a.txt")
            .unwrap()
            .read(200_000)
            .unwrap();
        assert!(
            contents.iter().any(|content| content.as_bytes() == bytes),
            "{}",
            bytes.len()
        );
    }
    writer.join().unwrap();
}

#[test]
fn file_created_during_write_is_conflict() {
    let mut codes = BTreeSet::new();
    for _ in 0..50 {
        let scratch = Scratch::new();
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let workspace = Workspace::open(scratch.path()).unwrap();
                thread::spawn(move || {
                    let none = CancellationToken::new();
                    workspace
                        .write("path", "a", b"", WriteMode::Overwrite, true, &none)
                        .map_err(|error| error.code().to_string())
                })
            })
            .collect();

        let outcomes = threads.into_iter().map(|thread| thread.join().unwrap());
        codes.extend(outcomes.filter_map(Result::err));
    }

    assert!(codes.iter().all(|code| code == "conflict"), "{codes:?}");
}

#[test]
fn keeps_extended_attributes() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    let scratch = Scratch::new().file("a.txt", "old");
    let path = scratch.path().join("a.txt");
    if setxattr(&path, "user.origin", b"web", XattrFlags::empty()).is_err() {
        eprintln!("skipped: the file system does not support extended attributes");
        return;
    }
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();

    workspace
        .write("path", "a.txt", b"new", WriteMode::Overwrite, true, &none)
        .unwrap();

    let mut value = [0; 10];
    let length = getxattr(&path, "user.origin", &mut value[..]).unwrap();
    assert_eq!(
        (&value[..length], scratch.read("a.txt")),
        (&b"web"[..], "new".to_owned())
    );
}

#[test]
fn overwriting_file_changed_concurrently_is_conflict() {
    let is_conflict = (0..20).any(|_| {
        let scratch = Scratch::new().file("a.txt", "old");
        let workspace = Workspace::open(scratch.path()).unwrap();
        let is_written = || {
            std::fs::read_dir(scratch.path())
                .unwrap()
                .any(|entry| entry.unwrap().path().extension() == Some("tmp".as_ref()))
        };
        thread::scope(|scope| {
            let writing = scope.spawn(|| {
                let (content, none) = (vec![b'x'; 4 << 20], CancellationToken::new());
                workspace.write("path", "a.txt", &content, WriteMode::Overwrite, true, &none)
            });
            while !is_written() && !writing.is_finished() {}
            std::fs::write(scratch.path().join("a.txt"), "changed by hand").unwrap();
            let outcome = writing
                .join()
                .unwrap()
                .map_err(|error| error.code().clone());
            outcome == Err(ErrorCode::Conflict) && scratch.read("a.txt") == "changed by hand"
        })
    });

    assert!(is_conflict);
}
