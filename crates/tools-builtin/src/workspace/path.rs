//! Paths as models write them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use tool_core::ToolError;

/// Maximum length of a path in bytes; operating systems accept no longer ones.
const MAX_BYTES: usize = 4096;

/// Absolute paths of a root, for recognizing absolute paths of a model.
#[derive(Debug, Clone)]
pub(super) struct RootNames {
    /// As given by the host.
    pub(super) display: PathBuf,
    /// With symlinks resolved.
    pub(super) real: PathBuf,
}

impl RootNames {
    /// Returns the part of an absolute path below the root, compared by components.
    pub(super) fn strip<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        // By components, so that `/srv/app2` isn't below `/srv/app`.
        path.strip_prefix(&self.display)
            .or_else(|_| path.strip_prefix(&self.real))
            .ok()
    }

    /// Returns the part of an absolute path below the root, for the root's handle. `..` is kept,
    /// because only the operating system can resolve it.
    pub(super) fn relative<'p>(&self, path: &'p str) -> Option<Cow<'p, str>> {
        let rest = self.strip(Path::new(path))?.to_str()?;
        Some(match (rest, path.ends_with('/')) {
            ("", _) => Cow::Borrowed("."),
            (rest, false) => Cow::Borrowed(rest),
            // Stripping the root removes a trailing slash, which requires a directory.
            (rest, true) => Cow::Owned(format!("{rest}/")),
        })
    }
}

/// Rejects paths that no operating system accepts.
pub(super) fn check_text(parameter: &str, path: &str) -> Result<(), ToolError> {
    let invalid = |sentence: &str| ToolError::invalid_arguments(parameter, sentence);
    if path.is_empty() {
        let suggestion = "Use a path relative to the workspace root; `.` is the root itself.";
        return Err(invalid("is empty").suggest(suggestion));
    }
    if path.contains('\0') {
        return Err(invalid("contains a NUL character").suggest("Omit the character."));
    }
    if path.len() > MAX_BYTES {
        let sentence = format!("is longer than {MAX_BYTES} bytes");
        return Err(invalid(&sentence).suggest("Choose a shorter path."));
    }
    Ok(())
}

/// Rejects an empty path if a file is required.
pub(super) fn check_is_given(parameter: &str, path: &str) -> Result<(), ToolError> {
    if path.is_empty() {
        return Err(ToolError::invalid_arguments(parameter, "is empty")
            .suggest("Use the path of a file, relative to the workspace root."));
    }
    Ok(())
}

/// Returns a name or path on one line. Control characters and line separators are escaped.
pub(crate) fn on_one_line(path: &str) -> Cow<'_, str> {
    let is_plain =
        |character: char| !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}');
    if path.chars().all(is_plain) {
        return Cow::Borrowed(path);
    }
    let mut shown = String::with_capacity(path.len() + 8);
    for character in path.chars() {
        if is_plain(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_default());
        }
    }
    Cow::Owned(shown)
}

/// Returns whether the path is a Windows path with a drive letter or a server.
pub(super) fn is_foreign(path: &str) -> bool {
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    has_drive || path.starts_with(r"\\") || path.starts_with("//")
}

/// Returns the displayed form of a path, without empty components and `.`; the root is `.`.
pub(super) fn shown(path: &str) -> String {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

/// Folds `..` lexically. Use the result to compare calls, not to open files.
pub(super) fn folded(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// Returns the path of `name` in the directory displayed as `directory`.
pub(super) fn join(directory: &str, name: &str) -> String {
    match directory {
        "." => name.to_owned(),
        directory if directory.ends_with('/') => format!("{directory}{name}"),
        directory => format!("{directory}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> RootNames {
        RootNames {
            display: PathBuf::from("/ws"),
            real: PathBuf::from("/mnt/disk/ws"),
        }
    }

    #[test]
    fn strips_absolute_root_by_components() {
        for (path, expected) in [
            ("/ws", Some(".")),
            ("/ws/", Some(".")),
            ("/ws/src/a.rs", Some("src/a.rs")),
            ("/ws//src/", Some("src/")),
            ("/mnt/disk/ws/a", Some("a")),
            ("/ws/../etc/passwd", Some("../etc/passwd")),
            ("/ws-evil/a", None),
            ("/etc/passwd", None),
            ("/", None),
        ] {
            assert_eq!(names().relative(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn displayed_path_keeps_parent_components() {
        for (path, expected) in [
            (".", "."),
            ("./", "."),
            ("a//b/./c/", "a/b/c"),
            ("a/../b", "a/../b"),
        ] {
            assert_eq!(shown(path), expected, "{path}");
        }
    }

    #[test]
    fn escapes_control_characters() {
        for (path, expected) in [
            ("a/b c.txt", "a/b c.txt"),
            ("two\nlines", r"two\nlines"),
            ("a\r\tb", r"a\r\tb"),
            ("\u{1b}[31mred", r"\u{1b}[31mred"),
            ("é\u{2028}日本", r"é\u{2028}日本"),
        ] {
            assert_eq!(on_one_line(path), expected);
        }
    }

    #[test]
    fn folded_paths_are_canonical() {
        for path in ["b", "./b", "a/../b", "a//../b", "b/"] {
            assert_eq!(folded(path), "b", "{path}");
        }
        assert_eq!(folded("../../b"), "../../b");
    }
}
