//! A small disk for one test, in a separate mount namespace.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the directory of the disk in the process that runs the test.
const DISK: &str = "TOOL_LEDGER_SMALL_DISK";
/// Exit code of the shell if the disk cannot be mounted.
const NOT_MOUNTED: i32 = 77;

/// Runs the test `name` again in a process with a small disk, and returns the directory of the disk there. Returns `None` in
/// this process, after a successful run or with a message if mounts are not permitted.
pub(crate) fn small_disk(name: &str, size: &str, options: &[&str]) -> Option<PathBuf> {
    if let Some(disk) = std::env::var_os(DISK) {
        return Some(disk.into());
    }
    let directory = tempfile::tempdir().unwrap();
    let script = format!(
        "mount -t tmpfs -o size={size},mode=777 tmpfs \"${DISK}\" || exit {NOT_MOUNTED}; exec \"$@\""
    );
    let status = Command::new("unshare")
        .arg("--mount")
        .args(options)
        .args(["sh", "-c", &script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(DISK, directory.path())
        .status();
    match status.map(|status| status.code()) {
        Ok(Some(0)) => {}
        // Without the program or the permission, `unshare` itself exits with 1 before the test starts.
        Ok(Some(NOT_MOUNTED | 1)) | Err(_) => eprintln!("skipped {name}: no disk can be mounted"),
        other => panic!("{name}: {other:?}"),
    }
    None
}

/// Fills a disk. The disk has space again after the file is removed.
pub(crate) fn fill(disk: &Path) -> PathBuf {
    let path = disk.join("ballast");
    let mut file = File::create(&path).unwrap();
    for size in [4096, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
    path
}
