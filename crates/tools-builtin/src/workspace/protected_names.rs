//! Names that must not be changed, and those that must not even be read.

use std::ffi::OsStr;
use std::path::{Component, Path};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use tool_core::{ErrorCode, ToolError};

use super::WorkspaceError;

/// Files that contain programs to run, or decide which programs may run.
const STANDARD: [&str; 8] = [
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    // Files that name other locations for the first two.
    ".git/commondir",
    ".git/gitdir",
    // The same files of submodules and linked working trees.
    ".git/modules",
    ".git/worktrees",
    // For the policies of hosts that keep them in the workspace.
    ".toolwright",
];

/// Files and directories that editors, shells and agents run programs from when somebody opens the directory. People do
/// ask for changes of them, so file tools require approval instead of rejecting.
const RUN_BY_OTHERS: [&str; 8] = [
    ".envrc",
    ".vscode",
    ".idea",
    ".husky",
    ".mcp.json",
    ".claude",
    ".cursor",
    ".devcontainer",
];

/// What is restored of them after a command: only what names programs, because such directories can be large.
#[cfg(all(feature = "shell", target_os = "linux"))]
const RESTORED: [&str; 13] = [
    ".envrc",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".vscode/launch.json",
    ".idea/runConfigurations",
    ".husky",
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks",
    ".cursor/mcp.json",
    ".cursor/hooks.json",
    ".devcontainer",
];

/// In a linked working tree, a file that names the location of the repository.
pub(super) const REPOSITORY: &str = ".git";

/// Names that must not be changed, at any depth, including everything below them. File tools and the
/// sandbox for commands use the same names.
#[derive(Debug)]
pub(crate) struct ProtectedNames {
    names: Vec<String>,
    set: GlobSet,
    /// Directories of hooks that settings of Git name, as paths below a root.
    hooks: Vec<String>,
    /// Whether an entry named `.git` is itself protected, in addition to names below it.
    repositories: bool,
}

impl ProtectedNames {
    /// Creates the set of the standard names, if `standard` is set, and of the host's own names.
    pub(super) fn of(standard: bool, own: &[String]) -> Result<Self, WorkspaceError> {
        let standard_names = STANDARD.iter().map(|name| (*name).to_owned());
        let mut names: Vec<String> = standard_names.filter(|_| standard).collect();
        names.extend_from_slice(own);
        let mut set = GlobSetBuilder::new();
        let mut add = |name: &str, pattern: &str| {
            let glob = GlobBuilder::new(pattern)
                .literal_separator(true)
                .case_insensitive(true)
                .build()
                .map_err(|_| WorkspaceError::InvalidName(name.to_owned()))?;
            set.add(glob);
            Ok(())
        };
        for name in &names {
            let bare = name.trim_matches('/');
            if bare.is_empty() {
                return Err(WorkspaceError::InvalidName(name.clone()));
            }
            add(name, &format!("**/{bare}"))?;
            add(name, &format!("**/{bare}/**"))?;
        }
        let set = set
            .build()
            .map_err(|_| WorkspaceError::InvalidName(names.join(", ")))?;
        Ok(Self {
            names,
            set,
            hooks: Vec::new(),
            repositories: standard,
        })
    }

    /// Adds directories of hooks that settings of Git name. Other programs run what is in them.
    pub(super) fn with_hooks(mut self, hooks: Vec<String>) -> Self {
        self.hooks = hooks;
        self
    }

    /// Returns the names whose change by a command requires approval.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let others = RUN_BY_OTHERS.into_iter().filter(|_| self.repositories);
        self.names.iter().map(String::as_str).chain(others)
    }

    /// Returns the names without wildcards, as paths directly below a root.
    #[cfg(all(feature = "shell", target_os = "linux"))]
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let paths = self.names.iter().map(|name| name.trim_matches('/'));
        let hooks = self.hooks.iter().map(String::as_str);
        let others = RESTORED.into_iter().chain(hooks);
        paths
            .filter(|name| !name.contains(WILDCARDS))
            .chain(others.filter(|_| self.repositories))
    }

    /// Returns whether other programs run what is at a path.
    pub(crate) fn is_run_by_others(&self, path: &Path) -> bool {
        let path = normalized(path);
        let mut names = path.split('/');
        let is_named = names.any(|name| RUN_BY_OTHERS.contains(&name));
        self.repositories && (is_named || self.is_hook(&path))
    }

    /// Returns whether a path is in a directory of hooks. A path in the first root is relative, so a directory of the same
    /// name deeper in it, such as `src/hooks`, is not one.
    fn is_hook(&self, path: &str) -> bool {
        let path = format!("{path}/");
        self.hooks.iter().any(|hooks| {
            let hooks = normalized(Path::new(hooks)) + "/";
            path.starts_with(&hooks) || path.starts_with('/') && path.contains(&format!("/{hooks}"))
        })
    }

    /// Returns whether a protected path is below `path`, so that replacing `path` would change it.
    #[cfg(all(feature = "shell", target_os = "linux"))]
    pub(crate) fn is_above(&self, path: &Path) -> bool {
        let path = normalized(path);
        self.paths().map(Path::new).any(|name| {
            let name = normalized(name);
            let below = name.strip_prefix(&path);
            below.is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// Returns whether directories that look like a Git repository are protected.
    pub(crate) fn covers_repositories(&self) -> bool {
        self.repositories
    }

    /// Returns whether the path `real`, beneath a root with this name, is protected.
    pub(crate) fn covers(&self, root: Option<&OsStr>, real: &Path) -> bool {
        let path = normalized(real);
        // A file named `.git` sends Git to a repository elsewhere, with a configuration that isn't protected.
        let is_repository = path.rsplit('/').next() == Some(REPOSITORY);
        if self.repositories && is_repository || self.set.is_match(real) || self.set.is_match(&path)
        {
            return true;
        }
        // A root may be the `.git` of `.git/hooks`. A root that is itself protected was granted on
        // purpose.
        let Some(root) = root.map(|name| normalized(Path::new(name))) else {
            return false;
        };
        !self.set.is_match(&root) && self.set.is_match(format!("{root}/{path}"))
    }
}

/// Characters of a glob pattern.
#[cfg(all(feature = "shell", target_os = "linux"))]
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// Returns the path as the most lenient file system reads it: without letter case, the part after a
/// `:`, trailing spaces and dots of a name, and invisible characters.
fn normalized(path: &Path) -> String {
    let path = path.to_string_lossy();
    let names: Vec<String> = path.split('/').map(normalized_name).collect();
    names.join("/")
}

pub(super) fn normalized_name(name: &str) -> String {
    let before_stream = name.split(':').next().unwrap_or(name);
    let folded: String = before_stream
        .chars()
        .filter(|character| !is_ignored(*character))
        // To uppercase first: characters such as `ſ` have no other lowercase form, but the uppercase `S`.
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    match folded.trim_end_matches(['.', ' ']) {
        // Short name on Windows.
        "git~1" => REPOSITORY.to_owned(),
        // Keep `.` and `..`, which are not names.
        "" => folded,
        name => name.to_owned(),
    }
}

/// Returns whether the file systems of macOS ignore a character in a name.
fn is_ignored(character: char) -> bool {
    matches!(character,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Directories of sign-in tokens.
pub(crate) const TOKEN_DIRECTORIES: [&str; 2] = [".gmail-tokens", ".calendar-tokens"];

/// Returns whether `name` is the name of a directory with tokens.
pub(crate) fn is_secret_name(name: &str) -> bool {
    // Every spelling that a file system accepts begins with a dot or an invisible character.
    name.starts_with(|first: char| first == '.' || !first.is_ascii())
        && TOKEN_DIRECTORIES.contains(&normalized_name(name).as_str())
}

/// Returns whether a path contains such a name.
pub(super) fn is_secret(path: &Path) -> bool {
    path.components().any(|component| match component {
        Component::Normal(name) => is_secret_name(&name.to_string_lossy()),
        _ => false,
    })
}

/// Returns the error for such a path.
pub(super) fn refused(parameter: &str) -> ToolError {
    let sentence = "is in a directory of sign-in tokens, which tools cannot use";
    ToolError::about(ErrorCode::Protected, parameter, sentence).suggest("Use another path.")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use tool_core::CancellationToken;
    use tool_test::Scratch;

    use super::*;
    use crate::workspace::{WalkOptions, Workspace, WriteMode};

    #[test]
    fn protects_names_at_any_depth_and_spelling() {
        let protected = ProtectedNames::of(true, &["secrets/*.pem".to_owned()]).unwrap();
        for (path, covered) in [
            (".git/hooks/pre-commit", true),
            (".git/hooks", true),
            (".git/config", true),
            (".git", true),
            ("a/b/.git/hooks/x/y", true),
            (".GIT/Hooks/x", true),
            (".g\u{200c}it/config", true),
            (".git./config", true),
            (".git /config ", true),
            ("GIT~1/config", true),
            (".git/config::$DATA", true),
            (".git/hook\u{17f}/x", true),
            (".git/modules/m/hooks/x", true),
            (".git/worktrees/w/config.worktree", true),
            (".toolwright/policy.json", true),
            ("a/secrets/key.pem", true),
            ("secrets/key.pem", true),
            (".gitignore", false),
            (".git/info/exclude", false),
            (".git/configuration", false),
            ("git/hooks/x", false),
            ("hooks/x", false),
            ("config", false),
            (".github/hooks", false),
            ("secrets/deep/key.pem", false),
            ("...", false),
        ] {
            assert_eq!(protected.covers(None, Path::new(path)), covered, "{path:?}");
        }
    }

    #[test]
    fn root_may_be_parent_of_protected_name() {
        let protected = ProtectedNames::of(true, &[]).unwrap();
        for (root, path, covered) in [
            (".git", "hooks/x", true),
            (".git", "config", true),
            (".git", "HEAD", false),
            (".toolwright", "policy.json", false),
            (".toolwright", ".git/config", true),
            ("project", "hooks/x", false),
        ] {
            let covers = protected.covers(Some(OsStr::new(root)), Path::new(path));

            assert_eq!(covers, covered, "{root} {path}");
        }
    }

    #[cfg(all(feature = "shell", target_os = "linux"))]
    #[test]
    fn ancestors_of_protected_paths_are_detected() {
        let own = ["config/secrets/key".to_owned(), "x/*.pem".to_owned()];
        let protected = ProtectedNames::of(true, &own).unwrap();
        for (path, is_above) in [
            (".git", true),
            (".GIT.", true),
            ("config", true),
            ("config/secrets", true),
            ("config/secrets/key", false),
            ("conf", false),
            ("x", false),
            (".gitignore", false),
        ] {
            assert_eq!(protected.is_above(Path::new(path)), is_above, "{path}");
        }
    }

    #[test]
    fn files_that_other_programs_run_are_recognized_at_any_depth() {
        let protected = ProtectedNames::of(true, &[]).unwrap();
        let protected = protected.with_hooks(vec!["tools/Hooks".to_owned()]);
        for (path, is_run) in [
            ("tools/hooks/pre-commit", true),
            ("/other/root/tools/hooks", true),
            ("sub/tools/hooks/x", false),
            ("tools/hooks2/x", false),
            ("hooks/x", false),
            (".envrc", true),
            ("sub/.VSCode/tasks.json", true),
            (".claude/hooks/x.sh", true),
            (".mcp.json. ", true),
            (".envrc.example", false),
            ("vscode/tasks.json", false),
            ("src/mcp.json", false),
        ] {
            assert_eq!(
                protected.is_run_by_others(Path::new(path)),
                is_run,
                "{path}"
            );
        }
    }

    #[test]
    fn rejects_invalid_names() {
        for name in ["", "/", "a[", "{a"] {
            let refused = ProtectedNames::of(true, &[name.to_owned()]).unwrap_err();

            assert_eq!(
                refused.to_string(),
                format!("`{name}` is not a valid name or glob to protect")
            );
        }
    }

    #[test]
    fn standard_names_can_be_disabled() {
        let protected = ProtectedNames::of(false, &["policy.json".to_owned()]).unwrap();

        assert!(protected.names().eq(["policy.json"]));
        assert!(!protected.is_run_by_others(Path::new(".envrc")));
        assert!(!protected.covers(None, Path::new(".git/hooks/x")));
        assert!(protected.covers(None, Path::new("a/policy.json")));
    }

    fn layout() -> Scratch {
        let scratch = Scratch::new()
            .file(".gmail-tokens/token-1.json", "secret")
            .file("a/.calendar-tokens/token-1.json", "secret")
            .link("link.json", ".gmail-tokens/token-1.json")
            .link("directory", "a/.calendar-tokens")
            .file("a.txt", "text");
        for file in [
            ".gmail-tokens/token-1.json",
            "a/.calendar-tokens/token-1.json",
        ] {
            let private = fs::Permissions::from_mode(0o600);
            fs::set_permissions(scratch.path().join(file), private).unwrap();
        }
        scratch
    }

    #[test]
    fn tokens_cannot_be_read_or_changed() {
        let scratch = layout();
        let workspace = Workspace::open(scratch.path()).unwrap();
        let none = CancellationToken::new();
        for path in [
            ".gmail-tokens/token-1.json",
            "./a/../.gmail-tokens/token-1.json",
            "a/.calendar-tokens/token-1.json",
            "link.json",
            "directory/token-1.json",
        ] {
            let error = workspace.existing_file("path", path).unwrap_err();
            assert_eq!(error.code(), &ErrorCode::Protected, "{path}");
            let written = workspace.write("path", path, b"x", WriteMode::Overwrite, true, &none);
            assert_eq!(written.unwrap_err().code(), &ErrorCode::Protected, "{path}");
        }
        for path in [".gmail-tokens", "directory", "a/.calendar-tokens"] {
            let error = workspace.existing_dir("path", path).unwrap_err();
            assert_eq!(error.code(), &ErrorCode::Protected, "{path}");
        }
        assert!(workspace.existing_file("path", "a.txt").is_ok());
        assert_eq!(scratch.read(".gmail-tokens/token-1.json"), "secret");
    }

    #[test]
    fn tokens_are_not_listed_or_walked() {
        let scratch = layout();
        let workspace = Workspace::open(scratch.path()).unwrap();
        let root = workspace.existing_dir("path", ".").unwrap();
        let (entries, _) = root.entries("path", 100).unwrap();
        let names: Vec<&str> = entries.iter().map(crate::workspace::Entry::name).collect();
        assert_eq!(names, ["a.txt", "a", "directory", "link.json"]);

        let options = WalkOptions {
            hidden: true,
            ..WalkOptions::files()
        };
        let none = CancellationToken::new();
        let walk = workspace.walk("path", ".", &options, &none).unwrap();
        let paths: Vec<String> = walk.map(|entry| entry.path().to_owned()).collect();
        assert!(
            !paths.iter().any(|path| path.contains("token")),
            "{paths:?}"
        );
    }

    #[test]
    fn spellings_are_recognized() {
        for (name, is_secret) in [
            (".gmail-tokens", true),
            (".GMail-Tokens", true),
            (".gmail-tokens. ", true),
            (".gm\u{200d}ail-tokens", true),
            (".calendar-tokens", true),
            (".gmail-tokens2", false),
            ("gmail-tokens", false),
        ] {
            assert_eq!(is_secret_name(name), is_secret, "{name}");
        }
    }
}
