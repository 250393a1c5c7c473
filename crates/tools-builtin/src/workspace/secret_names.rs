//! Names that are never read or changed.

use std::path::{Component, Path};

use tool_core::{ErrorCode, ToolError};

use super::protected_names::normalized_name;

/// Directories of sign-in tokens.
const NAMES: [&str; 2] = [".gmail-tokens", ".calendar-tokens"];

/// Returns whether `name` is the name of a directory with tokens.
pub(super) fn is_secret_name(name: &str) -> bool {
    // Every spelling that a file system accepts begins with a dot or an invisible character.
    name.starts_with(|first: char| first == '.' || !first.is_ascii())
        && NAMES.contains(&normalized_name(name).as_str())
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

        let options = WalkOptions::files().with_hidden(true);
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
