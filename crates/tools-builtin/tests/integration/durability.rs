//! File content after the writer is killed, and on a full disk.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tool_core::{CancellationToken, ToolContext, ToolError};
use tools_builtin::workspace::{Workspace, WriteMode};

/// Environment variable with the directory for the process to be killed.
const FOLDER: &str = "TOOLWRIGHT_TEST_WRITES_IN";
const WRITES: u64 = 1000;
const KILLS: u32 = 40;
const FILLER: usize = 50_000;

fn none() -> CancellationToken {
    CancellationToken::new()
}

fn overwrite(workspace: &Workspace, path: &str, content: &[u8]) -> Result<(), ToolError> {
    let written = workspace.write("path", path, content, WriteMode::Overwrite, true, &none());
    written.map(drop)
}

/// Content number `number`, of known length. Each part contains its offset.
fn content(number: u64) -> String {
    let letter = char::from(b'a' + u8::try_from(number % 26).unwrap());
    format!("{number}\n{}", letter.to_string().repeat(FILLER))
}

fn number_of(text: &str) -> Option<u64> {
    let number = text.lines().next()?.parse().ok()?;
    (text == content(number)).then_some(number)
}

/// Creates a directory in memory if possible, because disk speed does not affect a killed process.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// Runs only in the process to be killed, and writes and edits until then.
#[test]
fn writer_to_be_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let workspace = Workspace::open(PathBuf::from(folder)).unwrap();
    let mut file = workspace.existing_file("path", "a.txt").unwrap();
    let text = String::from_utf8(file.read(1_000_000).unwrap()).unwrap();
    let start = number_of(&text).unwrap();
    for number in start + 1.. {
        let content = content(number);
        if number % 2 == 0 {
            overwrite(&workspace, "a.txt", content.as_bytes()).unwrap();
        } else {
            let edit = workspace.edit("path", "a.txt", 1_000_000, &none()).unwrap();
            edit.replace(content.as_bytes(), &none()).unwrap();
        }
    }
}

fn start_writer(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::writer_to_be_killed"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_writer_leaves_old_or_new_content() {
    let folder = folder();
    let file = folder.path().join("a.txt");
    std::fs::write(&file, content(0)).unwrap();
    let (mut last, mut kills) = (0, 0);
    let start = Instant::now();

    while last < WRITES || kills < KILLS {
        let mut writer = start_writer(folder.path());
        // Increase the delay each time, so that all phases of a write are interrupted.
        std::thread::sleep(Duration::from_micros(
            20_000 + 1_237 * u64::from(kills % 16),
        ));
        writer.kill().unwrap();
        writer.wait().unwrap();
        kills += 1;

        let text = std::fs::read_to_string(&file).unwrap();
        let number = number_of(&text);
        assert!(number >= Some(last), "{kills}: {} bytes", text.len());
        last = number.unwrap();
        assert!(start.elapsed() < Duration::from_mins(2), "{last} {kills}");
    }
}

/// Mounted disk of 512 KB, unmounted on drop.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// Requires root.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=512k", "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then_some(Self(folder))
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn full_disk_keeps_old_content() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("skipped: mounting a small disk requires root");
        return;
    };
    let (old, log) = (vec![b'o'; 200_000], vec![b'l'; 100_000]);
    std::fs::write(disk.0.path().join("old.txt"), &old).unwrap();
    std::fs::write(disk.0.path().join("log.txt"), &log).unwrap();
    let workspace = Workspace::open(disk.0.path()).unwrap();
    let cx = ToolContext::new("call", "tool");
    let workspace = workspace.for_call(&cx);
    let large = vec![b'n'; 400_000];

    let outcomes = [
        overwrite(&workspace, "old.txt", &large),
        overwrite(&workspace, "new.txt", &large),
        overwrite(&workspace, "made/deep/new.txt", &large),
        workspace
            .write(
                "path",
                "new.txt",
                &large,
                WriteMode::CreateNew,
                true,
                &none(),
            )
            .map(drop),
        workspace
            .edit("path", "old.txt", 1_000_000, &none())
            .and_then(|edit| edit.replace(&large, &none())),
    ];

    for outcome in outcomes {
        assert_eq!(
            outcome.unwrap_err().to_string(),
            "`path` cannot be written: the disk is full. Tell the user that nothing can be written until space is freed."
        );
    }
    assert_eq!(disk.names(), ["log.txt", "old.txt"]);
    assert_eq!(std::fs::read(disk.0.path().join("old.txt")).unwrap(), old);
    assert_eq!(std::fs::read(disk.0.path().join("log.txt")).unwrap(), log);
    assert!(workspace.changes("call").is_empty());
}
