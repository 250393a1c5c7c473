mod cases;

use std::collections::BTreeMap;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tool_core::{CancellationToken, ToolError};
use tool_test::Scratch;

use self::cases::{cases, cases_of_several};
use crate::workspace::beneath::pretend_missing;
use crate::workspace::{Entry, WalkOptions, Workspace, WriteMode};

/// Creates a workspace in `ws`, with entries around and in it that could resolve outside.
fn layout() -> Scratch {
    let scratch = Scratch::new()
        .file("secret.txt", "secret")
        .file("ws-evil/secret.txt", "secret")
        .file("outside/secret.txt", "secret")
        .file("granted/g.txt", "inside")
        .link("granted/out_file", "../secret.txt")
        .link("granted/out_dir", "../outside")
        .link("granted/to_first", "../ws")
        .file("manual/m.txt", "inside")
        .link("manual/out_file", "../secret.txt")
        .file("ws/a.txt", "inside")
        .file("ws/sub/b.txt", "inside")
        .folder("ws/sub/deep")
        .file(r"ws/back\slash.txt", "inside")
        .file("ws/...", "inside")
        .link("ws/in_file", "a.txt")
        .link("ws/in_dir", "sub")
        .link("ws/sub/up", "..")
        .link("ws/sub/up_up", "../..")
        .link("ws/out_file", "../secret.txt")
        .link("ws/out_dir", "../outside")
        .link("ws/out_prefix", "../ws-evil")
        .link("ws/abs_file", "/etc/passwd")
        .link("ws/abs_dir", "/etc")
        .link("ws/abs_root", "/")
        .link("ws/chain", "chain_2")
        .link("ws/chain_2", "sub/up_up/secret.txt")
        .link("ws/loop_a", "loop_b")
        .link("ws/loop_b", "loop_a")
        .link("ws/self", "self")
        .link("ws/dangling_in", "new_file")
        .link("ws/dangling_out", "../new_file")
        .link("ws/dangling_abs", "/nonexistent/new_file")
        .link("ws/proc_root", "/proc/self/root")
        .link("ws/through_root", "../ws/a.txt");
    let absolute = scratch.path().join("ws/a.txt");
    let scratch = scratch.link("ws/abs_in", absolute);
    let fifo = scratch.path().join("ws/fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let _ = std::os::unix::net::UnixListener::bind(scratch.path().join("ws/socket"));
    scratch
}

/// Returns everything outside the workspace, by path and content.
fn outside(scratch: &Scratch) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for directory in ["", "ws-evil", "outside", "manual"] {
        for entry in std::fs::read_dir(scratch.path().join(directory)).unwrap() {
            let entry = entry.unwrap();
            let content = std::fs::read_to_string(entry.path()).unwrap_or_default();
            found.insert(entry.path().display().to_string(), content);
        }
    }
    found
}

type Operation = (char, fn(&Workspace, &str) -> Result<Vec<u8>, ToolError>);

/// All operations on the file system, each with a letter.
const OPERATIONS: [Operation; 9] = [
    ('r', |workspace, path| {
        workspace.existing_file("path", path)?.read(1000)
    }),
    ('l', |workspace, path| {
        let (entries, _) = workspace
            .existing_dir("path", path)?
            .entries("path", 1000)?;
        let names: Vec<&str> = entries.iter().map(Entry::name).collect();
        Ok(names.join("\n").into_bytes())
    }),
    ('d', |workspace, path| {
        let directory = workspace.working_directory("path", path)?;
        let listed = std::process::Command::new("ls")
            .current_dir(directory.path())
            .output();
        Ok(listed.unwrap().stdout)
    }),
    ('f', |workspace, path| {
        let options = WalkOptions {
            hidden: true,
            ignored: true,
            ..WalkOptions::files()
        };
        let walk = workspace.walk("path", path, &options, &CancellationToken::new())?;
        let contents: Vec<Vec<u8>> = walk
            .filter_map(|entry| entry.open("path").ok()?.read(1000).ok())
            .collect();
        Ok(contents.join(&b'\n'))
    }),
    ('w', |workspace, path| {
        let none = CancellationToken::new();
        workspace.write("path", path, b"written", WriteMode::Overwrite, true, &none)?;
        Ok(Vec::new())
    }),
    ('c', |workspace, path| {
        let none = CancellationToken::new();
        workspace.write("path", path, b"written", WriteMode::CreateNew, true, &none)?;
        Ok(Vec::new())
    }),
    ('e', |workspace, path| {
        let none = CancellationToken::new();
        let edit = workspace.edit("path", path, 1000, &none)?;
        let content = edit.content().to_vec();
        edit.replace(b"edited", &none)?;
        Ok(content)
    }),
    ('m', |workspace, path| {
        let created = workspace.create_directory("path", path)?;
        Ok(created.path.into_bytes())
    }),
    ('s', search),
];

/// Operations that change files, and operations that do not.
const WRITING: &str = "wcem";
const READING: &str = "rldfs";

fn search(workspace: &Workspace, path: &str) -> Result<Vec<u8>, ToolError> {
    use tool_core::{ToolContext, TypedTool};

    let tool = crate::search::SearchCode::new(workspace.clone());
    let input = serde_json::json!({"query": "e", "path": path, "hidden": true, "ignored": true});
    let input = serde_json::from_value(input).unwrap();
    let cx = ToolContext::test();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let output = runtime.unwrap().block_on(tool.run(&cx, input))?;
    let lines: Vec<String> = output.matches.into_iter().map(|hit| hit.text).collect();
    Ok(lines.join("\n").into_bytes())
}

fn one_root(scratch: &Path) -> Workspace {
    Workspace::open(scratch.join("ws")).unwrap()
}

fn several_roots(scratch: &Path) -> Workspace {
    Workspace::builder()
        .root(scratch.join("ws"))
        .root(scratch.join("granted"))
        .read_only_root(scratch.join("manual"))
        .build()
        .unwrap()
}

/// Runs the operations with these letters on every path.
fn try_all(letters: &str, several: bool) {
    let every = |scratch: &Path| {
        if several {
            cases_of_several(scratch)
        } else {
            cases(&scratch.join("ws"))
        }
    };
    let open = if several { several_roots } else { one_root };
    let count = every(Path::new("/x")).len();
    assert!(count >= 100, "{count}");
    let mut scratch = layout();
    let mut before = outside(&scratch);
    let mut all = every(scratch.path());
    let mut workspace = open(scratch.path());
    let operations = OPERATIONS
        .iter()
        .filter(|(letter, _)| letters.contains(*letter));
    for (letter, operation) in operations {
        for index in 0..count {
            let (path, allowed) = &all[index];

            let outcome = operation(&workspace, path);

            let succeeded = outcome.is_ok();
            assert_eq!(
                succeeded,
                allowed.contains(*letter),
                "{letter} {path:?}: {outcome:?}"
            );
            assert_nothing_leaks(&scratch, outcome, several, &format!("{letter} {path:?}"));
            assert_eq!(outside(&scratch), before, "{letter} {path:?}");
            assert_no_temporary_is_left(&scratch.path().join("ws"));
            if succeeded && WRITING.contains(*letter) {
                scratch = layout();
                before = outside(&scratch);
                all = every(scratch.path());
                workspace = open(scratch.path());
            }
        }
    }
}

#[test]
fn no_read_path_escapes() {
    try_all(READING, false);
}

#[test]
fn no_read_path_escapes_several_roots() {
    try_all(READING, true);
}

#[test]
fn no_write_path_escapes() {
    try_all("w", false);
}

#[test]
fn no_write_path_escapes_several_roots() {
    try_all("w", true);
}

#[test]
fn no_create_path_escapes() {
    try_all("c", false);
}

#[test]
fn no_create_path_escapes_several_roots() {
    try_all("c", true);
}

#[test]
fn no_edit_path_escapes() {
    try_all("e", false);
    try_all("e", true);
}

#[test]
fn no_new_directory_path_escapes() {
    try_all("m", false);
    try_all("m", true);
}

#[test]
fn no_read_path_escapes_without_openat2() {
    pretend_missing(|| try_all("rl", false));
}

#[test]
fn no_write_path_escapes_without_openat2() {
    pretend_missing(|| try_all("we", false));
}

/// Checks that the output contains no outside content and, with one root, no host path. With
/// several roots a model knows these paths.
fn assert_nothing_leaks(
    scratch: &Scratch,
    outcome: Result<Vec<u8>, ToolError>,
    several: bool,
    what: &str,
) {
    let text = match outcome {
        Ok(bytes) => String::from_utf8(bytes).unwrap(),
        Err(error) => error.to_string(),
    };
    assert!(!text.split('\n').any(|line| line == "secret"), "{what}");
    assert!(
        several || !text.contains(&scratch.path().display().to_string()),
        "{what}: {text}"
    );
}

fn assert_no_temporary_is_left(root: &Path) {
    for directory in [root.to_owned(), root.join("sub")] {
        for entry in std::fs::read_dir(directory).unwrap() {
            let name = entry.unwrap().file_name();
            let name = name.to_string_lossy().into_owned();
            assert!(!name.contains("toolwright"), "{name}");
        }
    }
}

#[test]
fn escaping_paths_have_code() {
    let scratch = layout();
    let workspace = Workspace::open(scratch.path().join("ws")).unwrap();
    for path in [
        "..",
        "../secret.txt",
        "out_file",
        "out_dir/secret.txt",
        "abs_file",
        "chain",
        "brand/../../secret.txt",
        "/etc",
        "C:/x",
    ] {
        for (letter, operation) in OPERATIONS {
            // Creating a file where a symlink exists fails before the symlink is resolved.
            if letter == 'c' {
                continue;
            }
            let error = operation(&workspace, path).unwrap_err();

            let expected = match (letter, path) {
                ('w', "..") => "not_a_file",
                _ => "path_outside_workspace",
            };
            assert_eq!(error.code().as_str(), expected, "{letter} {path}");
        }
    }
}

#[test]
fn absolute_symlink_to_inside_suggests_path() {
    let scratch = layout();
    let workspace = Workspace::open(scratch.path().join("ws")).unwrap();

    for (letter, operation) in OPERATIONS {
        if !"rwe".contains(letter) {
            continue;
        }
        let error = operation(&workspace, "abs_in").unwrap_err();

        assert_eq!(
            error.suggestion(),
            Some(
                "Use `a.txt`: `abs_in` is a symlink with an absolute target, which is not followed."
            ),
            "{letter}"
        );
    }
}

#[test]
fn rejects_device() {
    let scratch = Scratch::new();
    let device = scratch.path().join("null");
    let created = mknodat(
        CWD,
        &device,
        FileType::CharacterDevice,
        Mode::from(0o666),
        rustix::fs::makedev(1, 3),
    );
    if created.is_err() {
        return;
    }
    let workspace = Workspace::open(scratch.path()).unwrap();

    for (letter, operation) in OPERATIONS {
        assert!(operation(&workspace, "null").is_err(), "{letter}");
    }
}

#[test]
fn suggests_other_paths_inside_workspace() {
    let scratch = Scratch::new().link("dangling", "nowhere").file("sub/a", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();

    for path in ["dangling", "dangling/x"] {
        let error = workspace.existing_file("path", path).unwrap_err();

        let suggestion = "Use another path; this one is a dangling symlink.";
        assert_eq!(error.suggestion(), Some(suggestion), "{path}");
    }
    for (path, suggestion) in [
        ("..", "Use the path of a file inside the workspace."),
        ("sub/..", "Use the path of a file inside the workspace."),
        (".", "Use the path of a file, such as `name.txt`."),
        ("sub/", "Use the path of a file, such as `sub/name.txt`."),
        ("sub", "Use the path of a file inside it."),
        (
            "new/../b",
            "Create the directory first, or use a path without `..`.",
        ),
    ] {
        let error = workspace
            .write("path", path, b"", WriteMode::Overwrite, true, &none)
            .unwrap_err();

        assert_eq!(error.suggestion(), Some(suggestion), "{path}");
    }
}
