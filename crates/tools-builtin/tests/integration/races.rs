//! Swaps of directories and files for links to the outside during every operation.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use tool_core::{CancellationToken, ToolContext, ToolError, TypedTool};
use tool_test::Scratch;
use tools_builtin::search::SearchCode;
use tools_builtin::workspace::{Entry, WalkOptions, Workspace, WriteMode};

const SECRET: &str = "secret";
const DURATION: Duration = Duration::from_secs(2);
/// Longer limit for busy machines, until both sides of a swap were observed.
const PATIENCE: Duration = Duration::from_secs(20);

/// Swaps a directory and a file for links to the outside until it is dropped.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<u64>>,
}

impl Swapper {
    fn start(root: &Path) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let pairs = [("folder", "link"), ("file", "file_link")];
        let pairs = pairs.map(|(one, other)| (root.join(one), root.join(other)));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut swaps = 0;
            while !stopped.load(Ordering::Relaxed) {
                for (one, other) in &pairs {
                    // A file that is being rewritten may be missing for a moment.
                    let swapped = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
                    swaps += u64::from(swapped.is_ok());
                }
            }
            swaps
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }

    fn swaps(mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

fn layout() -> Scratch {
    Scratch::new()
        .file("outside/a.txt", SECRET)
        .file("outside/only_outside.txt", SECRET)
        .folder("outside/deep")
        .file("ws/folder/a.txt", "inside")
        .folder("ws/folder/deep")
        .link("ws/link", "../outside")
        .file("ws/file", "inside")
        .link("ws/file_link", "../outside/a.txt")
        .folder("second")
        .link("second/out", "../outside")
}

/// Returns everything outside the workspace, by path and content.
fn outside(scratch: &Scratch) -> BTreeMap<String, String> {
    let folder = scratch.path().join("outside");
    let entries = std::fs::read_dir(&folder)
        .unwrap()
        .chain(std::fs::read_dir(folder.join("deep")).unwrap());
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let content = std::fs::read_to_string(&path).unwrap_or_default();
            (path.display().to_string(), content)
        })
        .collect()
}

/// Strings returned by an operation: content and names.
type ListedNames = Result<Vec<String>, ToolError>;
type Operation = fn(&Workspace, &SearchCode) -> ListedNames;

fn read(workspace: &Workspace, path: &str) -> ListedNames {
    let bytes = workspace.existing_file("path", path)?.read(100)?;
    Ok(vec![String::from_utf8(bytes).unwrap()])
}

fn list(workspace: &Workspace) -> ListedNames {
    let folder = workspace.existing_dir("path", "folder")?;
    let (entries, _) = folder.entries("path", 100)?;
    Ok(entries
        .iter()
        .map(|entry| entry.path().to_owned())
        .collect())
}

fn walk(workspace: &Workspace, path: &str) -> ListedNames {
    let none = CancellationToken::new();
    let walk = workspace.walk("path", path, &WalkOptions::files(), &none)?;
    let seen = |entry: &Entry| {
        let bytes = entry.open("path").ok()?.read(100).ok()?;
        Some([entry.path().to_owned(), String::from_utf8(bytes).unwrap()])
    };
    Ok(walk.filter_map(|entry| seen(&entry)).flatten().collect())
}

fn search(engine: &SearchCode, path: &str) -> ListedNames {
    let input = json!({"query": "e", "path": path, "hidden": true, "ignored": true});
    let input = serde_json::from_value(input).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let cx = ToolContext::test();
    let output = runtime.unwrap().block_on(engine.run(&cx, input))?;
    let hits = output.matches.into_iter();
    Ok(hits.flat_map(|hit| [hit.path, hit.text]).collect())
}

fn write(workspace: &Workspace, path: &str, mode: WriteMode) -> ListedNames {
    let none = CancellationToken::new();
    workspace.write("path", path, b"inside", mode, true, &none)?;
    Ok(vec!["inside".to_owned()])
}

fn edit(workspace: &Workspace, path: &str) -> ListedNames {
    let none = CancellationToken::new();
    let edit = workspace.edit("path", path, 1000, &none)?;
    let content = String::from_utf8(edit.content().to_vec()).unwrap();
    edit.replace(b"inside", &none)?;
    Ok(vec![content])
}

fn undo(workspace: &Workspace) -> ListedNames {
    let call = workspace.for_call(&ToolContext::new("call", "tool"));
    let written = write(&call, "folder/new/undone.txt", WriteMode::Overwrite);
    workspace.undo("call")?;
    written
}

const READING: [Operation; 6] = [
    |workspace, _| read(workspace, "folder/a.txt"),
    |workspace, _| read(workspace, "file"),
    |workspace, _| list(workspace),
    |workspace, _| walk(workspace, "folder"),
    |workspace, _| walk(workspace, "."),
    |_, engine| search(engine, "folder"),
];

const WRITING: [Operation; 8] = [
    |workspace, _| write(workspace, "folder/new.txt", WriteMode::Overwrite),
    |workspace, _| write(workspace, "folder/deep/new.txt", WriteMode::Overwrite),
    |workspace, _| write(workspace, "folder/created/new.txt", WriteMode::CreateNew),
    |workspace, _| write(workspace, "file", WriteMode::Overwrite),
    |workspace, _| edit(workspace, "folder/a.txt"),
    |workspace, _| edit(workspace, "file"),
    |workspace, _| undo(workspace),
    |workspace, _| {
        let made = workspace.create_directory("path", "folder/made/deep")?;
        Ok(vec![made.path])
    },
];

/// Counts successful and rejected operations, and checks that all returned content is from inside.
fn run(workspace: &Workspace, operations: &[Operation]) -> (u64, u64) {
    let engine = SearchCode::new(workspace.clone());
    let (mut inside, mut refused) = (0, 0);
    let start = Instant::now();
    let enough = |inside, refused| {
        let seen_both = inside > 0 && refused > 0;
        start.elapsed() > if seen_both { DURATION } else { PATIENCE }
    };
    while !enough(inside, refused) {
        for operation in operations {
            match operation(workspace, &engine) {
                Ok(seen) => {
                    let leaked = |text: &String| text.contains(SECRET) || text.contains("outside");
                    assert!(!seen.iter().any(leaked), "{seen:?}");
                    inside += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    (inside, refused)
}

fn race(open: fn(&Scratch) -> Workspace, operations: &[Operation]) {
    let scratch = layout();
    let before = outside(&scratch);
    let workspace = open(&scratch);
    let swapper = Swapper::start(&scratch.path().join("ws"));

    let (inside, refused) = run(&workspace, operations);

    let swaps = swapper.swaps();
    assert!(
        swaps > 100 && inside > 0 && refused > 0,
        "{swaps} {inside} {refused}"
    );
    assert_eq!(outside(&scratch), before);
}

fn one_root(scratch: &Scratch) -> Workspace {
    Workspace::open(scratch.path().join("ws")).unwrap()
}

fn several_roots(scratch: &Scratch) -> Workspace {
    Workspace::builder()
        .root(scratch.path().join("ws"))
        .root(scratch.path().join("second"))
        .build()
        .unwrap()
}

#[test]
fn reads_leak_nothing_during_swaps() {
    race(one_root, &READING);
}

#[test]
fn writes_stay_inside_during_swaps() {
    race(several_roots, &WRITING);
}
