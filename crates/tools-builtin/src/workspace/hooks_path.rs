//! Directories of hooks that Git settings name (`core.hooksPath`). Git runs what is in them, as in `.git/hooks`.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::Root;

/// Maximum bytes of a settings file. No larger one is read.
const MAX_BYTES: u64 = 256 * 1024;

/// Returns the directories in these roots that settings of a root or of the user name, as paths below a root. Files that
/// settings include are not read.
pub(super) fn configured<'r>(roots: impl Iterator<Item = &'r Root>) -> Vec<String> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let home = variable("HOME").unwrap_or_default();
    let settings = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let of_user = [
        "/etc/gitconfig".into(),
        settings.join("git/config"),
        home.join(".gitconfig"),
    ];
    let of_user: Vec<String> = of_user.iter().filter_map(|path| read(path)).collect();
    let mut found = Vec::new();
    for root in roots {
        let own = read(&root.real_path().join(".git/config"));
        for text in own.iter().chain(&of_user) {
            let paths = hooks_paths(text);
            found.extend(paths.filter_map(|path| below(root.real_path(), &home, &path)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[expect(
    clippy::disallowed_methods,
    reason = "settings of Git, which no tool passes on"
)]
fn read(path: &Path) -> Option<String> {
    // A named pipe would block.
    let metadata = fs::metadata(path).ok()?;
    let is_readable = metadata.is_file() && metadata.len() <= MAX_BYTES;
    let mut text = String::new();
    let file = File::open(path).ok().filter(|_| is_readable)?;
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns the values of `core.hooksPath`.
fn hooks_paths(settings: &str) -> impl Iterator<Item = String> {
    let mut is_core = false;
    settings.lines().filter_map(move |line| {
        let mut line = line.trim();
        // A setting may follow the name of its section.
        if let Some((section, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            is_core = section.trim().eq_ignore_ascii_case("core");
            line = rest.trim();
        }
        let (name, value) = line.split_once('=').filter(|_| is_core)?;
        let is_path = name.trim().eq_ignore_ascii_case("hookspath");
        is_path.then(|| unquoted(value.trim()).to_owned())
    })
}

/// Returns a value without its quotes, or without the comment that follows it.
fn unquoted(value: &str) -> &str {
    let quoted = value
        .strip_prefix('"')
        .and_then(|rest| rest.split_once('"'));
    quoted.map_or_else(
        || {
            value
                .split(['#', ';'])
                .next()
                .unwrap_or_default()
                .trim_end()
        },
        |(inner, _)| inner,
    )
}

/// Returns the path below a root of a directory that settings name, unless it is outside or the root itself.
fn below(root: &Path, home: &Path, path: &str) -> Option<String> {
    let path = match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => root.join(path),
    };
    let below = path.strip_prefix(root).ok()?;
    let names = below.components().map(|component| match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let names = names.collect::<Option<Vec<_>>>()?;
    (!names.is_empty()).then(|| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_name_directories_in_the_root() {
        for (settings, expected) in [
            ("[core]\n\thooksPath = .githooks\n", Some(".githooks")),
            (
                "[Core] HOOKSPATH=./tools/hooks/ ; ours",
                Some("tools/hooks"),
            ),
            (
                "[core]\n  bare = false\n  hooksPath = \"my hooks\" # ours",
                Some("my hooks"),
            ),
            ("[core]\nhooksPath = ~/project/hooks", Some("hooks")),
            (
                "[core]\nhooksPath = /home/ada/project/.husky/_",
                Some(".husky/_"),
            ),
            ("[core]\nhooksPath = ~/.githooks", None),
            ("[core]\nhooksPath = /dev/null", None),
            ("[core]\nhooksPath = ../hooks", None),
            ("[core]\nhooksPath = .", None),
            ("[core]\nhooksPath =", None),
            ("[core \"x\"]\nhooksPath = .githooks", None),
            ("[core]\n[user]\nhooksPath = .githooks", None),
        ] {
            let (root, home) = (Path::new("/home/ada/project"), Path::new("/home/ada"));

            let mut paths = hooks_paths(settings);
            let found = paths.find_map(|path| below(root, home, &path));

            assert_eq!(found.as_deref(), expected, "{settings}");
        }
    }
}
