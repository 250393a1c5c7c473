//! Example programs, built once if they are missing or outdated.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Builds all examples at once, so that concurrent tests do not build them one by one.
static FRESH: OnceLock<()> = OnceLock::new();

/// Returns the path of an example's program.
pub(crate) fn program(example: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let built = |name: &str| {
        profile
            .join("examples")
            .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    };
    FRESH.get_or_init(|| {
        let oldest = EXAMPLES
            .iter()
            .map(|name| changed(&built(name)))
            .min()
            .flatten();
        if oldest < newest_source() {
            build(profile);
        }
    });
    built(example)
}

const EXAMPLES: [&str; 11] = [
    "agent_loop",
    "approvals",
    "chat",
    "custom_tool",
    "fallback",
    "host_ends",
    "minimal",
    "opentelemetry",
    "sub_agents",
    "telemetry",
    "toolbox",
];

fn build(profile: &Path) {
    let name = match profile.file_name().and_then(OsStr::to_str).unwrap() {
        "debug" => "dev",
        other => other,
    };
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "-p",
            "examples",
            "-p",
            "toolbox",
            "--examples",
            "--features",
            "examples/full,examples/telemetry,toolbox/full",
        ])
        .args(["--profile", name, "--target-dir"])
        .arg(profile.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .unwrap();
    assert!(status.success(), "the examples cannot be built");
}

fn changed(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|file| file.modified()).ok()
}

fn newest_source() -> Option<SystemTime> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    ["examples", "crates"]
        .iter()
        .filter_map(|folder| newest_below(&root.join(folder)))
        .max()
}

fn newest_below(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let times = entries.filter_map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => newest_below(&entry.path()),
        _ if entry.path().extension()? == "rs" => changed(&entry.path()),
        _ => None,
    });
    times.max()
}
