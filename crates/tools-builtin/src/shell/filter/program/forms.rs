//! Forms of programs that are judged otherwise than the program in general.

use super::super::table;
use super::super::value;
use super::super::walk::file_name;
use super::network::is_local;

/// Scripts that projects usually have, none of them a program of the system that runs or changes something.
const SCRIPTS: [&str; 22] = [
    "build",
    "test",
    "tests",
    "lint",
    "dev",
    "start",
    "format",
    "fmt",
    "check",
    "checks",
    "typecheck",
    "type-check",
    "types",
    "serve",
    "coverage",
    "preview",
    "docs",
    "e2e",
    "bench",
    "generate",
    "validate",
    "storybook",
];

/// Whether this is the loader, which runs the program that it is told.
pub(super) fn is_loader(file: &str) -> bool {
    ["ld-linux", "ld-musl", "ld.so", "ld64.so"]
        .iter()
        .any(|start| file.starts_with(start))
}

/// Whether a program in a folder of the project is the tool of that name, as the managers of packages put it there.
pub(super) fn is_of_project(folder: &str, file: &str) -> bool {
    const OF_PYTHON: [&str; 15] = [
        "python", "python3", "pip", "pip3", "pytest", "py.test", "mypy", "ruff", "black", "isort",
        "flake8", "pylint", "coverage", "tox", "pyright",
    ];
    match folder.strip_prefix("./").unwrap_or(folder) {
        "." => matches!(file, "gradlew" | "mvnw"),
        "node_modules/.bin" => {
            table::find("", file).is_some_and(|row| row.names.contains("eslint"))
        }
        "vendor/bin" => table::find("", file).is_some_and(|row| row.names.contains("phpunit")),
        ".venv/bin" | "venv/bin" => OF_PYTHON.contains(&file),
        _ => false,
    }
}

/// The last component of a path or an address.
pub(super) fn last_name(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    file_name(path).to_owned()
}

/// Whether a script of this name is one that projects usually have, perhaps one of several such as `test:unit`.
pub(super) fn is_usual_script(name: &str) -> bool {
    let first = name.split(':').next().unwrap_or_default();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_:-".contains(letter);
    SCRIPTS.contains(&first) && name.chars().all(is_plain)
}

/// Whether this can only be the name of something below the folder that the shell stands in.
fn is_below_here(word: &str) -> bool {
    !word.starts_with(['-', '/', '~'])
        && !word.contains(':')
        && !word.split('/').any(|part| part == "..")
        && !value::is_open(word)
}

/// Whether all words are about the output.
fn only_shapes(words: &[&str], known: &[&str]) -> bool {
    words.iter().all(|word| known.contains(word))
}

pub(super) fn tells_about_itself(rest: &[String]) -> bool {
    matches!(rest, [only] if only == "--version" || only == "--help")
}

/// Whether a program that is asked about only tells something, or does what can be had back.
pub(super) fn is_harmless_form(name: &str, rest: &[String]) -> bool {
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let first = words.first().copied();
    match name {
        "git submodule" => matches!(first, None | Some("status" | "summary")),
        "git bisect" => matches!(
            first,
            Some("good" | "bad" | "skip" | "log" | "start" | "reset")
        ),
        "git notes" => matches!(first, Some("list" | "show")),
        "uv lock" => words
            .iter()
            .any(|word| matches!(*word, "--check" | "--locked" | "--dry-run")),
        "uv cache" => words == ["dir"],
        "bundle env" | "hatch env" => matches!(words.as_slice(), ["list" | "info" | "show"]),
        "npm config" => match words.as_slice() {
            ["get", key] => !["auth", "token", "password", "/"]
                .iter()
                .any(|part| key.to_ascii_lowercase().contains(part)),
            _ => false,
        },
        "npm pkg" => match words.as_slice() {
            ["get", keys @ ..] => keys.iter().all(|key| !key.starts_with('-')),
            _ => false,
        },
        "npm pack" => words.contains(&"--dry-run") && only_shapes(&words, &["--dry-run", "--json"]),
        "npm workspaces" => match words.as_slice() {
            ["list" | "info", rest @ ..] => only_shapes(rest, &["--json", "-v", "--verbose"]),
            _ => false,
        },
        "go clean" => words == ["-testcache"] || words == ["-cache"],
        "bun" => match words.as_slice() {
            ["-v"] => true,
            ["test", files @ ..] => files.iter().all(|file| is_below_here(file)),
            ["run", name, rest @ ..] => {
                is_usual_script(name) && rest.iter().all(|word| is_below_here(word))
            }
            _ => false,
        },
        "git worktree prune" => matches!(words.as_slice(), ["-n" | "--dry-run", ..]),
        "alias" => !words.iter().any(|word| word.contains('=')),
        "history" => words.iter().all(|word| word.parse::<u32>().is_ok()),
        "git sparse-checkout" | "rustup toolchain" | "rustup component" | "rustup target" => {
            first == Some("list")
        }
        "coverage run" => matches!(words.as_slice(), ["-m", "unittest", ..]),
        "tmux" => matches!(words.as_slice(), ["ls" | "list-sessions" | "-V"]),
        "screen" => matches!(words.as_slice(), ["-ls" | "-list" | "-v"]),
        "node" => match words.as_slice() {
            ["-v"] => true,
            ["--test", files @ ..] => files.iter().all(|file| is_below_here(file)),
            _ => false,
        },
        "deno" => {
            matches!(first, Some("fmt" | "lint" | "check" | "test"))
                && words.iter().all(|word| is_below_here(word))
        }
        "php" => matches!(words.as_slice(), ["-v"] | ["-l", _]),
        "perl" | "ruby" | "lua" | "luajit" | "nodejs" | "julia" => words == ["-v"],
        "java" | "scala" | "sqlite3" => words == ["-version"],
        "ssh" | "psql" | "mysql" => words == ["-V"],
        "docker" | "uv self" => words == ["version"],
        "helm" => {
            let looks = matches!(
                first,
                Some("lint" | "template" | "version" | "list" | "ls" | "status" | "history")
            );
            let more = [
                "--post-renderer",
                "--kube",
                "--output-dir",
                "--plugin",
                "--re",
            ];
            // A chart and its values may read files by their names.
            let leads_out = |word: &str| {
                let mut paths = word.split(['=', ',']);
                paths.any(|path| {
                    path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..")
                })
            };
            let asks = |word: &str| {
                let is_more = more.iter().any(|option| word.starts_with(option));
                is_more || word.contains("://") || leads_out(word)
            };
            looks && !words.iter().any(|word| asks(word))
        }
        "git fsck" => true,
        "dig" | "nslookup" | "host" => !words.iter().any(|word| value::is_open(word)),
        "ping" => words.last().is_some_and(|host| is_local(host)),
        _ => false,
    }
}
