//! File system access, restricted to granted directories.
//!
//! A [`Workspace`] holds a handle of each root directory. The operating system resolves every path
//! of a model beneath such a handle, so `..`, absolute paths, symlinks and races cannot escape. All
//! methods block; tools call them on a blocking thread.

mod bare_repository;
mod beneath;
mod builder;
mod changes;
#[cfg(target_os = "linux")]
mod checkpoint;
mod destination;
mod edit;
mod entry;
mod error;
mod file;
mod history;
mod hooks_path;
mod listing;
mod look_up;
mod new_directory;
mod path;
mod pattern;
mod platform;
mod process_lock;
mod protected_names;
mod root;
mod rules;
mod state_directory;
mod suggestion;
mod temporary_file;
mod together;
mod undo;
mod walk;
mod working_directory;
mod write;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use tool_core::{CallPlan, RiskLevel, ToolError};

#[cfg(target_os = "linux")]
use checkpoint::Checkpoints;
use destination::Locks;
use history::{History, Recorder};
use path::{check_text, folded, is_foreign, join, not_expanded, unexpanded};
use protected_names::ProtectedNames;
use root::LocatedPath;

#[cfg(all(feature = "shell", target_os = "linux"))]
pub(crate) use bare_repository::LAYOUT;
pub use builder::WorkspaceBuilder;
pub use changes::{ChangeKind, FileChange};
#[cfg(all(feature = "shell", target_os = "linux"))]
pub(crate) use checkpoint::EntryStamp;
#[cfg(target_os = "linux")]
pub use checkpoint::{ChangedPaths, Checkpoint, CheckpointError};
pub use edit::Edit;
pub use entry::{Directory, Entry};
#[cfg(feature = "document-sets")]
pub(crate) use error::LIST_PARENT;
pub use error::WorkspaceError;
pub use file::{File, digest_of};
pub use listing::EntryKind;
pub use new_directory::NewDirectory;
pub(crate) use path::on_one_line;
#[cfg(feature = "shell")]
pub(crate) use path::plain;
pub use pattern::Pattern;
#[cfg(all(feature = "shell", target_os = "linux"))]
pub(crate) use protected_names::{TOKEN_DIRECTORIES, is_secret_name};
pub use root::Root;
pub(crate) use together::FileWrite;
pub use undo::Undone;
pub(crate) use walk::{FEW_HITS, FoundFile, Skipped};
pub use walk::{Walk, WalkOptions};
pub use working_directory::WorkingDirectory;
pub use write::{WriteMode, Written};

/// Access to one or several directories, and to nothing outside them. Clones are cheap and share one
/// workspace.
///
/// Paths come from a model, so no method trusts one: each path is resolved beneath the handle of its
/// root. The first argument of the methods is the name of the parameter with the path; the error
/// names it, so that the model can correct its call. All methods block, because the operating system
/// has no other file operations; call them on a blocking thread.
///
/// # Examples
/// ```
/// use tool_core::ErrorCode;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().file("a.txt", "hello");
/// let workspace = Workspace::open(scratch.path())?;
/// assert_eq!(workspace.existing_file("path", "a.txt")?.read(1024)?, b"hello");
///
/// let error = workspace.existing_file("path", "../secret").err().ok_or("it was opened")?;
/// assert_eq!(error.code(), &ErrorCode::PathOutsideWorkspace);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Workspace {
    shared: Arc<Shared>,
    recorder: Option<Arc<Recorder>>,
    /// Whether `..` is folded before a path is resolved.
    folds_parents: bool,
}

/// State shared by all clones of a workspace.
struct Shared {
    first: Root,
    others: Vec<Root>,
    locks: Arc<Locks>,
    history: History,
    protected: Arc<ProtectedNames>,
    refuses_hard_links: bool,
    #[cfg(target_os = "linux")]
    checkpoints: Checkpoints,
}

impl Workspace {
    fn of(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
            recorder: None,
            folds_parents: false,
        }
    }

    /// Returns the same workspace, which folds `..` lexically before it resolves a path: the
    /// directory before `..` may be missing, and a symlink before it is not followed.
    #[cfg(feature = "document-sets")]
    pub(crate) fn folding_parents(&self) -> Self {
        Self {
            folds_parents: true,
            ..self.clone()
        }
    }

    /// Returns the last component of the first root's path. Show a model nothing more: the rest of
    /// the path often contains the name of the user.
    pub fn display_name(&self) -> String {
        let names = &self.shared.first.names;
        let name = names.display.file_name().or(names.real.file_name());
        let name = name.map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "workspace".to_owned())
    }

    /// Returns the granted directories. Relative paths are in the first one.
    pub fn roots(&self) -> impl Iterator<Item = &Root> {
        std::iter::once(&self.shared.first).chain(&self.shared.others)
    }

    /// Returns the names that must not be changed, at any depth, including everything below them.
    pub fn protected_names(&self) -> impl Iterator<Item = &str> {
        self.protected().names()
    }

    /// Returns the root of a path. An absolute path belongs to the root with the longest matching
    /// path.
    fn locate<'p>(&self, parameter: &str, path: &'p str) -> Result<LocatedPath<'_, 'p>, ToolError> {
        check_text(parameter, path)?;
        let outside = || ToolError::path_outside_workspace(parameter);
        if let Some(name) = unexpanded(path)
            && self.shared.first.dir.symlink_metadata(name).is_err()
        {
            return Err(not_expanded(parameter, name));
        }
        let absolute = Path::new(path).is_absolute();
        if !absolute && (is_foreign(path) || path.starts_with('/')) || path.starts_with("//") {
            return Err(outside());
        }
        let located = if absolute {
            self.roots()
                .filter_map(|root| Some((root, root.names.relative(path)?)))
                // The shortest rest belongs to the innermost root.
                .min_by_key(|(_, relative)| length_of(relative))
                .map(|(root, relative)| LocatedPath::new(root, relative))
                .ok_or_else(outside)?
        } else {
            LocatedPath::new(&self.shared.first, path)
        };
        Ok(if self.folds_parents {
            located.folded()
        } else {
            located
        })
    }

    /// Rejects a glob that matches nothing, because it is written like a path outside the walked directory.
    pub(crate) fn check_glob(&self, parameter: &str, glob: &str) -> Result<(), ToolError> {
        if let Some(name) = unexpanded(glob) {
            return Err(not_expanded(parameter, name));
        }
        let invalid = |sentence: &str| ToolError::invalid_arguments(parameter, sentence);
        if is_foreign(glob) || glob.split(['/', '\\']).any(|part| part == "..") {
            return Err(invalid("leads out of the searched directory")
                .suggest("Use a glob for paths below it, such as `src/**/*.rs`."));
        }
        let below = |root: &Root| Some(root.names.relative(glob)?.into_owned());
        if let Some(below) = self.roots().find_map(below) {
            let below = on_one_line(&below);
            return Err(invalid("is an absolute path")
                .suggest(format!("Use a glob below the root: `{below}`.")));
        }
        let is_letter = |next: &str| next.starts_with(|first: char| first.is_alphanumeric());
        if glob.split('\\').skip(1).any(is_letter) {
            let slashed = glob.replace('\\', "/");
            let slashed = on_one_line(&slashed);
            return Err(invalid("has `\\` before a letter")
                .suggest(format!("Use `/` as the separator: `{slashed}`.")));
        }
        Ok(())
    }

    /// Returns the root with this number.
    fn root(&self, number: usize) -> Option<&Root> {
        self.roots().find(|root| root.number == number)
    }

    /// Returns the innermost root of a real path, which decides about access to the file.
    fn innermost(&self, real: &Path) -> Option<&Root> {
        let around = self
            .roots()
            .filter(|root| real.starts_with(&root.names.real));
        // If one directory was granted twice, the read-only grant decides.
        around.max_by_key(|root| (root.names.real.components().count(), root.read_only))
    }

    /// Returns the root of a displayed path, and the rest.
    fn beneath<'p>(&self, shown: &'p str) -> (&Root, &'p str) {
        let rest_of = |root: &Root| match shown.strip_prefix(&root.prefix)? {
            "" => Some("."),
            rest if root.prefix.ends_with('/') => Some(rest),
            rest => rest.strip_prefix('/'),
        };
        self.shared
            .others
            .iter()
            .filter_map(|root| Some((root, rest_of(root)?)))
            .min_by_key(|(_, rest)| length_of(rest))
            .unwrap_or((&self.shared.first, shown))
    }

    /// Returns the kind and the size in bytes of the target of the symlink `entry`; `None` if the
    /// target is missing or outside the workspace.
    pub fn target_of(&self, entry: &Entry) -> Option<(EntryKind, u64)> {
        let (root, relative) = self.beneath(entry.path());
        let metadata = root.dir.metadata(relative).ok()?;
        Some((EntryKind::of(metadata.file_type()), metadata.len()))
    }

    /// Returns the kind of `entry`, or of its target if it is a symlink to an entry inside the
    /// workspace.
    pub(crate) fn kind_of(&self, entry: &Entry) -> EntryKind {
        let target = (entry.kind() == EntryKind::Link).then(|| self.target_of(entry));
        target.flatten().map_or(entry.kind(), |(kind, _)| kind)
    }

    /// Returns the same string for all spellings of a path, so that calls for one file can wait for
    /// each other. Compare it, but don't open it: `..` is folded as text, which is wrong after a
    /// symlink.
    pub fn key_of(&self, path: &str) -> String {
        self.locate("path", path).map_or_else(
            |_| folded(path),
            |located| join(&located.root.prefix, &folded(&located.relative)),
        )
    }

    /// Lets rules match `path` relative to its root and without `.` and `..`, instead of the argument
    /// `parameter` as sent. `..` is folded lexically.
    pub(crate) fn matching_path(&self, plan: CallPlan, parameter: &str, path: &str) -> CallPlan {
        let normalized = self.key_of(path);
        match normalized.as_str() {
            "" if path != "." => plan.matching(parameter, ".".into()),
            other if other != path && !other.is_empty() => {
                plan.matching(parameter, normalized.into())
            }
            _ => plan,
        }
    }

    /// Plans a call that reads the file or directory in `parameter`.
    pub(crate) fn plan_of_read(&self, parameter: &str, path: &str) -> CallPlan {
        let plan = CallPlan::of(RiskLevel::ReadOnly).reads(self.key_of(path));
        self.matching_path(plan, parameter, path)
    }

    /// Plans a call that writes the file or directory in `parameter`.
    pub(crate) fn plan_of_write(&self, risk: RiskLevel, parameter: &str, path: &str) -> CallPlan {
        let plan = self.matching_path(CallPlan::of(risk), parameter, path);
        self.also_writing(plan, path)
    }

    /// Adds a file or directory to the plan of a call that writes it.
    pub(crate) fn also_writing(&self, plan: CallPlan, path: &str) -> CallPlan {
        let key = self.key_of(path);
        let is_run = self.protected().is_run_by_others(Path::new(&key));
        let plan = plan.writes(key);
        if is_run {
            plan.asking("run_by_others", "other programs run what is in this file")
        } else {
            plan
        }
    }

    /// Adds what a command touches to its plan. A command that the filter allows reads; any other may write anything in the workspace.
    #[cfg(feature = "shell")]
    pub(crate) fn plan_of_command(&self, plan: CallPlan) -> CallPlan {
        match plan.risk {
            RiskLevel::ReadOnly => plan,
            // What it writes is unknown, so it waits for writes, and writes wait for it. Reads don't wait.
            _ => self
                .roots()
                .fold(plan, |plan, root| plan.may_write(&root.prefix)),
        }
    }

    pub(crate) fn protected(&self) -> &ProtectedNames {
        &self.shared.protected
    }
}

/// Returns the length of a path below its root.
fn length_of(relative: &str) -> usize {
    if relative == "." { 0 } else { relative.len() }
}

tool_core::debug_fields!(Workspace, this => name: this.display_name());
