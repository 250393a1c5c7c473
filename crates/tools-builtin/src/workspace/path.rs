//! Paths as models write them.

use std::borrow::Cow;
#[cfg(target_os = "linux")]
use std::fmt::Write as _;
#[cfg(feature = "shell")]
use std::path::Component;
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

/// Returns a name with `\xFF` instead of each byte that is not UTF-8.
#[cfg(target_os = "linux")]
pub(super) fn escaped(name: &[u8]) -> String {
    let mut shown = String::with_capacity(name.len() + 8);
    for part in name.utf8_chunks() {
        shown.push_str(part.valid());
        for byte in part.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\x{byte:02X}");
        }
    }
    shown
}

/// Returns the path that is shown as `path` because its names are not UTF-8.
#[cfg(target_os = "linux")]
pub(super) fn unescaped(path: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;

    let mut parts = path.split("\\x");
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let byte = part
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|byte| !byte.is_ascii()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(part.get(2..)?.as_bytes());
            }
            None => bytes.extend_from_slice(&[b"\\x", part.as_bytes()].concat()),
        }
    }
    // Only names that are not UTF-8 are shown that way, so nothing else can be meant.
    let is_text = std::str::from_utf8(&bytes).is_ok();
    (!is_text).then(|| std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn unescaped(_path: &str) -> Option<PathBuf> {
    None
}

/// Beginnings that a shell or Windows would replace by a directory.
const UNEXPANDED: [&str; 6] = [
    "~",
    "$HOME",
    "${HOME}",
    "$PWD",
    "%USERPROFILE%",
    "%HOMEPATH%",
];

/// Returns the first component of a path or glob, if a shell would expand it.
pub(super) fn unexpanded(path: &str) -> Option<&'static str> {
    let first = path.split(['/', '\\']).next()?;
    let mut names = UNEXPANDED.into_iter();
    names.find(|name| name.eq_ignore_ascii_case(first))
}

/// Returns the error for a path or glob that starts with `name`.
pub(super) fn not_expanded(parameter: &str, name: &str) -> ToolError {
    let sentence = format!("starts with `{name}`, which is not expanded");
    ToolError::invalid_arguments(parameter, sentence)
        .suggest("Start at the workspace root, which is `.`.")
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

/// Resolves `.` and `..` as text.
#[cfg(feature = "shell")]
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
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

    #[cfg(target_os = "linux")]
    #[test]
    fn escaped_names_are_opened_as_they_are() {
        use std::os::unix::ffi::OsStrExt as _;

        for name in [
            &b"caf\xe9"[..],
            b"\xff\xfe/\xc3\xa4\xc3",
            b"a\\x41\xff",
            b"\xffE9",
        ] {
            let shown = escaped(name);

            let path = unescaped(&shown).unwrap();
            assert_eq!(path.as_os_str().as_bytes(), name, "{shown}");
        }
        assert_eq!(escaped(b"caf\xe9"), r"caf\xE9");
        for path in ["plain", r"a\x41", r"\x", r"\xZZ", r"\xC3\xA4"] {
            assert_eq!(unescaped(path), None, "{path}");
        }
    }

    #[test]
    fn names_what_a_shell_would_expand() {
        for (path, name) in [
            ("~", Some("~")),
            ("~/a", Some("~")),
            ("$HOME/a", Some("$HOME")),
            (r"%UserProfile%\a", Some("%USERPROFILE%")),
            ("~a", None),
            ("a/~", None),
            ("$HOMES", None),
        ] {
            assert_eq!(unexpanded(path), name, "{path}");
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
