//! Argument patterns of programs with their own verdict.

use super::super::table;
use super::super::value;
use super::super::walk::file_name;
use super::network::is_local;

/// Usual script names. None is a system program that runs or changes something.
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

/// Returns `true` for the dynamic loader, which runs any program.
pub(super) fn is_loader(file: &str) -> bool {
    ["ld-linux", "ld-musl", "ld.so", "ld64.so"]
        .iter()
        .any(|start| file.starts_with(start))
}

/// Returns `true` if package managers install the tool of that name in this directory.
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

pub(super) fn last_name(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    file_name(path).to_owned()
}

/// Returns `true` for usual script names, including variants such as `test:unit`.
pub(super) fn is_usual_script(name: &str) -> bool {
    let first = name.split(':').next().unwrap_or_default();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_:-".contains(letter);
    SCRIPTS.contains(&first) && name.chars().all(is_plain)
}

fn is_below_here(word: &str) -> bool {
    !word.starts_with(['-', '/', '~'])
        && !word.contains(':')
        && !word.split('/').any(|part| part == "..")
        && !value::is_open(word)
}

/// Returns `true` if all words affect only the output.
fn only_shapes(words: &[&str], known: &[&str]) -> bool {
    words.iter().all(|word| known.contains(word))
}

pub(super) fn tells_about_itself(rest: &[String]) -> bool {
    matches!(rest, [only] if only == "--version" || only == "--help")
}

/// Returns `true` if a command of a doubtful program only prints, or its effect can be undone.
pub(super) fn is_harmless_form(name: &str, rest: &[String]) -> bool {
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    match name.strip_prefix("git ") {
        Some(command) => git(command, &words),
        None => {
            packages(name, &words)
                || interpreter(name, &words)
                || machine(name, &words)
                || (name == "helm" && helm(&words))
        }
    }
}

fn git(command: &str, words: &[&str]) -> bool {
    let first = words.first().copied();
    match command {
        "submodule" => matches!(first, None | Some("status" | "summary")),
        "bisect" => matches!(
            first,
            Some("good" | "bad" | "skip" | "log" | "start" | "reset")
        ),
        "notes" => matches!(first, Some("list" | "show")),
        "worktree prune" => matches!(first, Some("-n" | "--dry-run")),
        "sparse-checkout" => first == Some("list"),
        "fsck" => true,
        _ => false,
    }
}

fn packages(name: &str, words: &[&str]) -> bool {
    let is_try = |word: &&str| matches!(*word, "--check" | "--locked" | "--dry-run");
    match (name, words) {
        ("uv lock", _) => words.iter().any(is_try),
        ("uv cache", _) => words == ["dir"],
        ("bundle env" | "hatch env", ["list" | "info" | "show"])
        | ("rustup toolchain" | "rustup component" | "rustup target", ["list", ..]) => true,
        ("npm config", ["get", key]) => !["auth", "token", "password", "/"]
            .iter()
            .any(|part| key.to_ascii_lowercase().contains(part)),
        ("npm pkg", ["get", keys @ ..]) => keys.iter().all(|key| !key.starts_with('-')),
        ("npm pack", _) => {
            words.contains(&"--dry-run") && only_shapes(words, &["--dry-run", "--json"])
        }
        ("npm workspaces", ["list" | "info", rest @ ..]) => {
            only_shapes(rest, &["--json", "-v", "--verbose"])
        }
        ("go clean", _) => words == ["-testcache"] || words == ["-cache"],
        ("docker" | "uv self", _) => words == ["version"],
        _ => false,
    }
}

/// Interpreters that run the project's own code, or none.
fn interpreter(name: &str, words: &[&str]) -> bool {
    match (name, words) {
        ("bun" | "node" | "php", ["-v"])
        | ("php", ["-l", _])
        | ("coverage run", ["-m", "unittest", ..]) => true,
        ("bun", ["test", files @ ..]) | ("node", ["--test", files @ ..]) => {
            files.iter().all(|file| is_below_here(file))
        }
        ("bun", ["run", name, rest @ ..]) => {
            is_usual_script(name) && rest.iter().all(|word| is_below_here(word))
        }
        ("deno", ["fmt" | "lint" | "check" | "test", ..]) => {
            words.iter().all(|word| is_below_here(word))
        }
        ("perl" | "ruby" | "lua" | "luajit" | "nodejs" | "julia", _) => words == ["-v"],
        ("java" | "scala" | "sqlite3", _) => words == ["-version"],
        _ => false,
    }
}

fn machine(name: &str, words: &[&str]) -> bool {
    match name {
        "alias" => !words.iter().any(|word| word.contains('=')),
        "history" => words.iter().all(|word| word.parse::<u32>().is_ok()),
        "tmux" => matches!(words, ["ls" | "list-sessions" | "-V"]),
        "screen" => matches!(words, ["-ls" | "-list" | "-v"]),
        "ssh" | "psql" | "mysql" => words == ["-V"],
        "dig" | "nslookup" | "host" => !words.iter().any(|word| value::is_open(word)),
        "ping" => words.last().is_some_and(|host| is_local(host)),
        _ => false,
    }
}

/// Read-only `helm` commands. Charts and values from elsewhere may read files by name.
fn helm(words: &[&str]) -> bool {
    const MORE: [&str; 5] = [
        "--post-renderer",
        "--kube",
        "--output-dir",
        "--plugin",
        "--re",
    ];
    const LOOKS: [&str; 7] = [
        "lint", "template", "version", "list", "ls", "status", "history",
    ];
    let leads_out = |word: &str| {
        let mut paths = word.split(['=', ',']);
        paths.any(|path| path.starts_with(['/', '~']) || path.split('/').any(|part| part == ".."))
    };
    let asks = |word: &str| {
        let is_more = MORE.iter().any(|option| word.starts_with(option));
        is_more || word.contains("://") || leads_out(word)
    };
    let [first, rest @ ..] = words else {
        return false;
    };
    let fetches = *first == "template" && charts(rest).any(is_of_repository);
    LOOKS.contains(first) && !fetches && !words.iter().any(|word| asks(word))
}

/// Returns the operands of `helm template`: a name and a chart.
fn charts<'word>(words: &[&'word str]) -> impl Iterator<Item = &'word str> {
    const WITH_VALUE: [&str; 15] = [
        "-f",
        "--values",
        "--set",
        "--set-string",
        "--set-file",
        "--set-json",
        "--set-literal",
        "-n",
        "--namespace",
        "--version",
        "-s",
        "--show-only",
        "-a",
        "--api-versions",
        "--name-template",
    ];
    let before = [""].into_iter().chain(words.iter().copied());
    let pairs = before.zip(words.iter().copied());
    pairs
        .filter(|(before, word)| !word.starts_with('-') && !WITH_VALUE.contains(before))
        .map(|(_, word)| word)
}

/// Helm downloads a chart if no directory has that name.
fn is_of_repository(chart: &str) -> bool {
    const OF_PROJECT: [&str; 5] = [".", "charts", "chart", "helm", "deploy"];
    let folder = chart.split_once('/').map(|(folder, _)| folder);
    value::is_open(chart) || folder.is_some_and(|folder| !OF_PROJECT.contains(&folder))
}
