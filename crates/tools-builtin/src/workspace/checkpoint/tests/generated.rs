//! Generated destructive commands: undo restores every byte, name, link and mode.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

/// What a command does with one of the paths that exist.
#[derive(Debug, Clone)]
enum Step {
    Remove,
    Write(Vec<u8>),
    Append(Vec<u8>),
    Truncate,
    RenameTo(usize),
    SwapWithDirectory,
    SwapWithLink,
    SwapWithFifo,
    Chmod(u32),
    Add(Vec<u8>),
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let content = || prop::collection::vec(any::<u8>(), 0..40);
    let step = prop_oneof![
        3 => Just(Step::Remove),
        2 => content().prop_map(Step::Write),
        1 => content().prop_map(Step::Append),
        1 => Just(Step::Truncate),
        3 => any::<usize>().prop_map(Step::RenameTo),
        1 => Just(Step::SwapWithDirectory),
        1 => Just(Step::SwapWithLink),
        1 => Just(Step::SwapWithFifo),
        1 => prop::sample::select(vec![0, 0o400, 0o555, 0o600, 0o777]).prop_map(Step::Chmod),
        2 => content().prop_map(Step::Add),
    ];
    prop::collection::vec((any::<usize>(), step), 1..20)
}

fn layout() -> Layout {
    let layout = Layout::new(
        Scratch::new()
            .file(".gitignore", "/target/\n/data/\n*.log\n")
            .file("src/main.rs", "fn main() {}\r\n")
            .file("src/deep/er/lib.rs", "\r\n\r\n")
            .file("notes.txt", "untracked")
            .file("a.log", "ignored")
            .file("src/b.log", "tracked and ignored")
            .file("target/out", "not kept")
            .file("data/deep/only", "ignored directory\r\n")
            .file("nested/mine", "1")
            .file("nested/.gitignore", "*.tmp\n")
            .file("nested/x.tmp", "ignored")
            .folder("empty/also empty")
            .file("line\nbreak", "1")
            .link("link", "src/main.rs")
            .link("dangling", "nowhere"),
    );
    layout.git(&["init", "-q"]);
    layout.git(&["add", "-f", "src", ".gitignore"]);
    layout.git(&["commit", "-qm", "first"]);
    git(&layout.path("nested"), &["init", "-q"]);
    layout
}

/// Returns all paths and what they are, as far as a checkpoint keeps them.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    fn add(root: &Path, path: &Path, found: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
        for entry in fs::read_dir(root.join(path)).unwrap() {
            let entry = entry.unwrap();
            let below = path.join(entry.file_name());
            let is_in_git = path.file_name().is_some_and(|name| name == ".git");
            if is_in_git
                && !super::super::git::KEPT
                    .iter()
                    .any(|kept| entry.file_name() == *kept)
            {
                continue;
            }
            let kind = entry.file_type().unwrap();
            let content = if kind.is_symlink() {
                fs::read_link(entry.path())
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else if kind.is_file() {
                fs::read(entry.path()).unwrap()
            } else {
                format!("{kind:?}").into_bytes()
            };
            let mode = if kind.is_symlink() {
                0
            } else {
                mode(&entry.path())
            };
            found.insert(below.clone(), (mode, content));
            if kind.is_dir() && below != Path::new("target") {
                add(root, &below, found);
            }
        }
    }
    let mut found = BTreeMap::new();
    add(root, Path::new(""), &mut found);
    found
}

/// Takes one step with a path that exists. A step that is not possible does nothing.
fn take(root: &Path, index: usize, step: &Step) {
    let paths: Vec<PathBuf> = snapshot(root).into_keys().collect();
    let is_fair = |path: &&PathBuf| {
        // These two are what a checkpoint keeps as names, and their loss asks.
        !path.starts_with("target") && path.file_name().is_none_or(|name| name != ".git")
    };
    let paths: Vec<&PathBuf> = paths.iter().filter(is_fair).collect();
    let Some(chosen) = paths.get(index.checked_rem(paths.len()).unwrap_or(0)) else {
        return;
    };
    let path = root.join(chosen);
    let has_repository = || snapshot(&path).keys().any(|path| path.ends_with(".git"));
    // No step writes through a link, which by now may be in a directory elsewhere.
    if path.is_symlink() && !matches!(step, Step::Remove | Step::RenameTo(_)) {
        return;
    }
    // A FIFO would wait for its other end.
    let writes = matches!(step, Step::Write(_) | Step::Append(_) | Step::Truncate);
    if writes && !path.is_file() {
        return;
    }
    let is_directory = path.is_dir() && !path.is_symlink();
    if is_directory && has_repository() && !matches!(step, Step::Add(_) | Step::Chmod(_)) {
        return;
    }
    let remove = || fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
    let _ = match step {
        Step::Remove => remove(),
        Step::Write(content) => fs::write(&path, content),
        Step::Append(content) => {
            fs::read(&path).and_then(|old| fs::write(&path, [&old[..], content].concat()))
        }
        Step::Truncate => fs::OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(&path)
            .map(drop),
        Step::RenameTo(other) => {
            let target = root.join(paths[other % paths.len()]);
            fs::rename(&path, target)
        }
        Step::SwapWithDirectory => remove().and_then(|()| fs::create_dir(&path)),
        Step::SwapWithLink => remove().and_then(|()| symlink("src", &path)),
        Step::SwapWithFifo => {
            remove().and_then(|()| Command::new("mkfifo").arg(&path).status().map(drop))
        }
        Step::Chmod(mode) => fs::set_permissions(&path, fs::Permissions::from_mode(*mode)),
        Step::Add(content) => fs::write(path.join(format!("new {index}")), content),
    };
}

fn check(
    steps: &[(usize, Step)],
    workspace: &Workspace,
    layout: &Layout,
    before: &BTreeMap<PathBuf, (u32, Vec<u8>)>,
) {
    during(workspace, "call", || {
        for (index, step) in steps {
            take(layout.scratch.path(), *index, step);
        }
    });
    let after = snapshot(layout.scratch.path());

    match workspace.undo("call") {
        Ok(undone) => assert_eq!(undone.conflicts, Vec::<String>::new()),
        Err(error) => {
            assert_eq!(error.code().to_string(), "not_recorded");
            assert_eq!(&after, before);
        }
    }
    assert_eq!(&snapshot(layout.scratch.path()), before);
}

/// Each case is five commands. `.ci/full` sets more cases.
fn config() -> ProptestConfig {
    let set = std::env::var("PROPTEST_CASES").is_ok();
    let default = ProptestConfig::default();
    let cases = if set { default.cases } else { 8 };
    ProptestConfig { cases, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn undo_restores_every_byte(commands in prop::collection::vec(steps(), 5)) {
        let layout = layout();
        let workspace = layout.open();
        let before = snapshot(layout.scratch.path());
        for steps in commands {
            check(&steps, &workspace, &layout, &before);
        }
    }
}
