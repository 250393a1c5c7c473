use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tool_core::CancellationToken;
use tool_test::Scratch;

use crate::workspace::{WalkOptions, Workspace, WriteMode};

/// Swaps a folder for a link to the outside, over and over, until it is stopped.
fn swap(scratch: &Scratch, stop: &Arc<AtomicBool>) -> thread::JoinHandle<u64> {
    let folder = scratch.path().join("ws/folder");
    let link = scratch.path().join("ws/link");
    let stop = Arc::clone(stop);
    thread::spawn(move || {
        let mut swaps = 0;
        while !stop.load(Ordering::Relaxed) {
            renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            swaps += 1;
        }
        swaps
    })
}

fn walked(workspace: &Workspace) -> Vec<String> {
    let options = WalkOptions::files();
    let walk = workspace.walk("path", ".", &options, &CancellationToken::new());
    walk.into_iter()
        .flatten()
        .filter_map(|entry| entry.open("path").ok()?.read(100).ok())
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .collect()
}

#[test]
fn a_folder_swapped_for_a_link_out_leaks_nothing_in_a_second() {
    let scratch = Scratch::new()
        .file("outside/a.txt", "secret")
        .file("ws/folder/a.txt", "inside")
        .link("ws/link", "../outside");
    let workspace = Workspace::open(scratch.path().join("ws")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = swap(&scratch, &stop);
    let none = CancellationToken::new();
    let (mut inside, mut refused, mut leaked) = (0, 0, 0);
    let start = Instant::now();

    while start.elapsed() < Duration::from_secs(1) {
        let content = workspace
            .existing_file("path", "folder/a.txt")
            .and_then(|mut file| file.read(100));
        match content.as_deref() {
            Ok(b"inside") => inside += 1,
            Ok(_) => leaked += 1,
            Err(_) => refused += 1,
        }
        let walked = walked(&workspace);
        leaked += walked.iter().filter(|content| *content == "secret").count();
        let _ = workspace.write(
            "path",
            "folder/new/b.txt",
            b"inside",
            WriteMode::Overwrite,
            true,
            &none,
        );
        if let Ok(edit) = workspace.edit("path", "folder/a.txt", 100, &none) {
            leaked += usize::from(edit.content() != b"inside");
            let _ = edit.replace(b"inside", &none);
        }
    }

    stop.store(true, Ordering::Relaxed);
    let swaps = swapper.join().unwrap();
    assert_eq!(leaked, 0);
    assert!(
        swaps > 100 && inside > 10 && refused > 10,
        "{swaps} {inside} {refused}"
    );
    let left: Vec<_> = std::fs::read_dir(scratch.path().join("outside"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["a.txt"]);
    assert_eq!(scratch.read("outside/a.txt"), "secret");
}

#[test]
fn of_many_that_create_one_file_one_succeeds() {
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let threads: Vec<_> = (0..8)
        .map(|number: u8| {
            // Each thread has a workspace of its own: only the disk can decide.
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

    let made: Vec<bool> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();

    assert_eq!(made.iter().filter(|made| **made).count(), 1);
    let (entries, _) = workspace
        .existing_dir("path", ".")
        .unwrap()
        .entries("path", 10)
        .unwrap();
    assert_eq!(entries.len(), 1);
    let winner = made.iter().position(|made| *made).unwrap();
    assert_eq!(usize::from(scratch.bytes("a.txt")[0]), winner);
}

#[test]
fn a_reader_sees_the_old_content_or_the_new_one() {
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
fn a_file_that_appears_while_it_is_written_is_a_conflict() {
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
