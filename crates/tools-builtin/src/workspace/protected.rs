//! Names that nothing may change.

use std::ffi::OsStr;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::WorkspaceError;

/// What runs programs or decides what may run, when somebody changes it.
const STANDARD: [&str; 8] = [
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    // Where the other two are looked for instead.
    ".git/commondir",
    ".git/gitdir",
    // The same things of submodules and of further working trees.
    ".git/modules",
    ".git/worktrees",
    // For the policies of hosts that keep them in the workspace.
    ".toolwright",
];

/// In a working tree besides the first one it is a file, which says where the rest is.
const REPOSITORY: &str = ".git";

/// Names that nothing may change, at any depth, with everything below them.
#[derive(Debug)]
pub(super) struct Protected {
    names: Vec<String>,
    set: GlobSet,
    /// Whether what is called `.git` itself is protected, apart from what is below it.
    repositories: bool,
}

impl Protected {
    /// The names that are always dear, where `standard`, and those of the host.
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
            repositories: standard,
        })
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether what is at `real`, beneath a root of this name, may not be changed.
    pub(super) fn covers(&self, root: Option<&OsStr>, real: &Path) -> bool {
        let path = as_disks_read(real);
        let is_repository = path.rsplit('/').next() == Some(REPOSITORY);
        if self.repositories && is_repository || self.set.is_match(real) || self.set.is_match(&path)
        {
            return true;
        }
        // A root may be the `.git` of `.git/hooks`. One that is protected as a whole was granted knowingly.
        let Some(root) = root.map(|name| as_disks_read(Path::new(name))) else {
            return false;
        };
        !self.set.is_match(&root) && self.set.is_match(format!("{root}/{path}"))
    }
}

/// The path as the most forgiving disk reads it: without the case of letters, what follows a `:`, blanks and dots at the
/// end of a name, and characters that are not seen.
fn as_disks_read(path: &Path) -> String {
    let path = path.to_string_lossy();
    let names: Vec<String> = path.split('/').map(name_as_disks_read).collect();
    names.join("/")
}

fn name_as_disks_read(name: &str) -> String {
    let before_stream = name.split(':').next().unwrap_or(name);
    let folded: String = before_stream
        .chars()
        .filter(|character| !is_unseen(*character))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    match folded.trim_end_matches(['.', ' ']) {
        // The short name that Windows gives it.
        "git~1" => REPOSITORY.to_owned(),
        // `.` and `..` are no names, and stay.
        "" => folded,
        name => name.to_owned(),
    }
}

/// Whether the disks of macOS pass over a character in a name.
fn is_unseen(character: char) -> bool {
    matches!(character,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_protected_at_any_depth_and_however_a_disk_reads_them() {
        let protected = Protected::of(true, &["secrets/*.pem".to_owned()]).unwrap();
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
    fn a_root_may_be_the_beginning_of_a_protected_name_and_not_the_whole() {
        let protected = Protected::of(true, &[]).unwrap();
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

    #[test]
    fn names_that_are_none_are_refused() {
        for name in ["", "/", "a[", "{a"] {
            let refused = Protected::of(true, &[name.to_owned()]).unwrap_err();

            assert_eq!(
                refused.to_string(),
                format!("`{name}` is no name to protect")
            );
        }
    }

    #[test]
    fn without_the_standard_names_only_the_own_ones_count() {
        let protected = Protected::of(false, &["policy.json".to_owned()]).unwrap();

        assert_eq!(protected.names(), ["policy.json"]);
        assert!(!protected.covers(None, Path::new(".git/hooks/x")));
        assert!(protected.covers(None, Path::new("a/policy.json")));
    }
}
