//! Laws about prepared, dropped and concurrent calls, which need a new tool and directory for every
//! test.

mod concurrent;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::{sleep, timeout};
use tool_core::{CallArguments, Registry, RegistryBuilder, Tool};

use super::Broken;
use crate::Scratch;

/// Maximum number of calls to test.
const MAX_CALLS: usize = 3;

type CreateTool<'d> = dyn Fn(&Path) -> Arc<dyn Tool> + Send + Sync + 'd;

/// Factory of new tools.
pub(super) struct ToolFactory<'d>(Box<CreateTool<'d>>);

impl<'d> ToolFactory<'d> {
    pub(super) fn new(make: impl Fn(&Path) -> Arc<dyn Tool> + Send + Sync + 'd) -> Self {
        Self(Box::new(make))
    }

    /// Returns the laws that new instances of `tool` break with these calls.
    pub(super) async fn check(
        &self,
        tool: &Arc<dyn Tool>,
        registry: impl Fn() -> RegistryBuilder,
        calls: &[Value],
    ) -> Vec<Broken> {
        let mut broken = Vec::new();
        let make = || self.instance(registry());
        if self.definition_differs(tool) {
            // A definition that contains a path of the machine would break caches and stored
            // approvals.
            let detail = "a new instance has another definition";
            broken.push(Broken::new("the definition never changes", detail));
        }
        let calls = calls.get(..MAX_CALLS.min(calls.len())).unwrap_or_default();
        for call in calls {
            broken.extend(check_preparation(&make, call).await);
            broken.extend(check_dropped(&make, call).await);
        }
        for (index, first) in calls.iter().enumerate() {
            for second in calls.iter().skip(index) {
                broken.extend(concurrent::check(&make, first, second).await);
            }
        }
        broken
    }

    fn instance(&self, registry: RegistryBuilder) -> Option<ToolInstance> {
        let scratch = Scratch::new();
        let tool = (self.0)(scratch.path());
        let name = tool.definition().name().to_owned();
        let registry = registry.tool(tool).ok()?.build();
        Some(ToolInstance {
            name,
            registry,
            scratch,
        })
    }

    fn definition_differs(&self, tool: &Arc<dyn Tool>) -> bool {
        let scratch = Scratch::new();
        let other = (self.0)(scratch.path());
        other.definition().to_value() != tool.definition().to_value()
    }
}

async fn check_preparation(
    make: &impl Fn() -> Option<ToolInstance>,
    call: &Value,
) -> Option<Broken> {
    let instance = make()?;
    let before = instance.files().await;
    // An explanation prepares the call and runs nothing.
    let arguments = CallArguments::from(call.clone());
    drop(instance.registry.explain(&instance.name, &arguments));
    let is_same = before == instance.files().await;
    (!is_same).then(|| Broken::new("preparing a call changes nothing", call.to_string()))
}

/// Times in milliseconds after which a call is dropped.
// Before the work, at its start, and in its middle.
const MOMENTS: [u64; 4] = [0, 1, 5, 40];

/// Number of cleanup checks and the delay between them: two seconds in total.
const CHECKS: u32 = 100;
const CHECK_DELAY: Duration = Duration::from_millis(20);

/// Returns the laws broken at the first moment of [`MOMENTS`] that breaks any.
async fn check_dropped(make: &impl Fn() -> Option<ToolInstance>, call: &Value) -> Vec<Broken> {
    let Some(whole) = make() else {
        return Vec::new();
    };
    // A call that waits for something never ends, and says nothing about locks.
    let ends = whole.ends(call).await;
    let left_by_whole = whole.files().await;
    for moment in MOMENTS {
        let Some(new) = make() else {
            return Vec::new();
        };
        let mut known = left_by_whole.clone();
        known.extend(new.files().await);
        let work = new.registry.execute(&new.name, call.clone());
        if timeout(Duration::from_millis(moment), work).await.is_ok() {
            continue;
        }
        let mut broken = left(&new, &known, call).await;
        if ends && !new.ends(call).await {
            broken.push(Broken::new(
                "a dropped call leaves no lock",
                call.to_string(),
            ));
        }
        if !broken.is_empty() {
            return broken;
        }
    }
    Vec::new()
}

/// Returns the laws broken by files and processes that remain after the last check.
async fn left(instance: &ToolInstance, known: &Files, call: &Value) -> Vec<Broken> {
    let mut file = None;
    let mut process = None;
    // Another thread may still be cleaning up after the drop.
    for _ in 0..CHECKS {
        let files = instance.files().await;
        file = files.into_keys().find(|path| !known.contains_key(path));
        process = instance.processes().await.first().copied();
        if file.is_none() && process.is_none() {
            return Vec::new();
        }
        sleep(CHECK_DELAY).await;
    }
    let file = file.map(|path| {
        let detail = format!("`{}` after {call}", path.display());
        Broken::new("a dropped call leaves no file", detail)
    });
    let process =
        process.map(|_| Broken::new("a dropped call leaves no process", call.to_string()));
    file.into_iter().chain(process).collect()
}

/// Time limit of a call that nothing blocks.
const SOON: Duration = Duration::from_secs(5);

/// New tool in its own registry and directory.
struct ToolInstance {
    name: String,
    registry: Registry,
    scratch: Scratch,
}

impl ToolInstance {
    /// Reads the files of the directory on a blocking thread.
    async fn files(&self) -> Files {
        let root = self.scratch.path().to_owned();
        let files = tokio::task::spawn_blocking(move || files(&root)).await;
        files.unwrap_or_default()
    }

    async fn processes(&self) -> Vec<u32> {
        let root = self.scratch.path().to_owned();
        let processes = tokio::task::spawn_blocking(move || processes(&root)).await;
        processes.unwrap_or_default()
    }

    /// Returns `true` if the call finishes within [`SOON`].
    async fn ends(&self, call: &Value) -> bool {
        let work = self.registry.execute(&self.name, call.clone());
        tokio::time::timeout(SOON, work).await.is_ok()
    }
}

/// Maximum number of files to read.
const MAX_FILES: usize = 1000;

/// Maximum size in bytes of a file whose content is compared.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Content of each file; `None` if it exceeds [`MAX_FILE_BYTES`] or cannot be read.
type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Returns the files under `root`, without following links.
fn files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            if files.len() + directories.len() >= MAX_FILES {
                return files;
            }
            if kind.is_ok_and(|kind| kind.is_dir()) {
                directories.push(path);
            } else {
                let small = entry.metadata().is_ok_and(|of| of.len() <= MAX_FILE_BYTES);
                let bytes = if small { fs::read(&path).ok() } else { None };
                let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
                files.insert(relative, bytes);
            }
        }
    }
    files
}

/// Returns the processes whose working directory is `root` or below it. Empty except on Linux.
fn processes(root: &Path) -> Vec<u32> {
    let Ok(root) = root.canonicalize() else {
        return Vec::new();
    };
    let own = std::process::id();
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    listed
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id| *id != own)
        .filter(|id| works_in(*id, &root))
        .collect()
}

fn works_in(id: u32, root: &Path) -> bool {
    fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|directory| directory.starts_with(root))
}
