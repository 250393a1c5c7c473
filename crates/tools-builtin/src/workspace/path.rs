//! Paths as a model writes them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use tool_core::ToolError;

/// The longest path that is looked at, in bytes; the operating system takes no longer one.
const MAX_BYTES: usize = 4096;

/// The absolute names of a root, so that a model that writes one in full is understood.
#[derive(Debug)]
pub(super) struct RootNames {
    /// As the host wrote it.
    pub(super) display: PathBuf,
    /// With links resolved.
    pub(super) real: PathBuf,
}

impl RootNames {
    /// What stands behind the root in an absolute path, compared by whole components.
    pub(super) fn strip<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.strip_prefix(&self.display)
            .or_else(|_| path.strip_prefix(&self.real))
            .ok()
    }

    /// What stands behind the root in an absolute path, for the root's handle. It is not folded: what `..` means is for
    /// the operating system to say.
    pub(super) fn relative<'p>(&self, path: &'p str) -> Option<Cow<'p, str>> {
        let rest = self.strip(Path::new(path))?.to_str()?;
        Some(match (rest, path.ends_with('/')) {
            ("", _) => Cow::Borrowed("."),
            (rest, false) => Cow::Borrowed(rest),
            // Taking the root off loses the slash at the end, which asks for a folder.
            (rest, true) => Cow::Owned(format!("{rest}/")),
        })
    }
}

/// Refuses what no operating system takes.
pub(super) fn check_text(parameter: &str, path: &str) -> Result<(), ToolError> {
    if path.is_empty() {
        return Err(ToolError::invalid_arguments(parameter, "is empty")
            .suggest("Give a path relative to the workspace root; `.` is the root itself."));
    }
    if path.contains('\0') {
        return Err(
            ToolError::invalid_arguments(parameter, "contains a NUL character")
                .suggest("Leave the character out."),
        );
    }
    if path.len() > MAX_BYTES {
        return Err(ToolError::invalid_arguments(
            parameter,
            format!("is longer than {MAX_BYTES} bytes"),
        )
        .suggest("Choose a shorter path."));
    }
    Ok(())
}

/// Refuses no path at all where one of a file is wanted.
pub(super) fn check_is_given(parameter: &str, path: &str) -> Result<(), ToolError> {
    if path.is_empty() {
        return Err(ToolError::invalid_arguments(parameter, "is empty")
            .suggest("Give the path of a file, relative to the workspace root."));
    }
    Ok(())
}

/// A name or a path on one line: characters that would end it, or change how it looks, are shown as escapes.
pub(crate) fn on_one_line(path: &str) -> Cow<'_, str> {
    let is_plain =
        |letter: char| !letter.is_control() && !matches!(letter, '\u{2028}' | '\u{2029}');
    if path.chars().all(is_plain) {
        return Cow::Borrowed(path);
    }
    let mut shown = String::with_capacity(path.len() + 8);
    for letter in path.chars() {
        if is_plain(letter) {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_default());
        }
    }
    Cow::Owned(shown)
}

/// Whether this is a path of Windows with a drive letter or a server.
pub(super) fn is_foreign(path: &str) -> bool {
    let mut bytes = path.bytes();
    let drive = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.next().is_some_and(|byte| byte == b':');
    drive || path.starts_with(r"\\") || path.starts_with("//")
}

/// The path as it is shown: without empty parts and `.`, which say nothing; the root is `.`.
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

/// The path with `..` taken off by its letters: good to tell calls apart, not to open files.
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

/// The path of `name` inside the folder shown as `folder`.
pub(super) fn join(folder: &str, name: &str) -> String {
    match folder {
        "." => name.to_owned(),
        folder if folder.ends_with('/') => format!("{folder}{name}"),
        folder => format!("{folder}/{name}"),
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
    fn a_root_written_in_full_is_taken_off_by_components() {
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
    fn a_shown_path_keeps_what_has_a_meaning() {
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
    fn a_path_is_shown_on_one_line() {
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
    fn a_folded_path_is_the_same_for_all_ways_to_write_it() {
        for path in ["b", "./b", "a/../b", "a//../b", "b/"] {
            assert_eq!(folded(path), "b", "{path}");
        }
        assert_eq!(folded("../../b"), "../../b");
    }
}
