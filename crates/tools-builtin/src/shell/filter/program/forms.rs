//! Forms of programs that are judged otherwise than the program in general.

use super::super::table;
use super::super::value;
use super::super::walk::file_name;
use super::network::is_local;

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
        "bundle env" => matches!(words.as_slice(), ["list" | "info" | "show"]),
        "npm config" => match words.as_slice() {
            ["get", key] => !["auth", "token", "password", "/"]
                .iter()
                .any(|part| key.to_ascii_lowercase().contains(part)),
            _ => false,
        },
        "npm pkg" => first == Some("get"),
        "npm pack" => words.contains(&"--dry-run"),
        "npm workspaces" => matches!(first, Some("list" | "info")),
        "go clean" => words == ["-testcache"] || words == ["-cache"],
        "bun" => match words.as_slice() {
            ["-v" | "test"] => true,
            ["test" | "run", name, ..] => !name.contains(['/', '.', '-']) && value::is_known(name),
            _ => false,
        },
        "git worktree prune" => matches!(words.as_slice(), ["-n" | "--dry-run", ..]),
        "alias" => !words.iter().any(|word| word.contains('=')),
        "history" => words.iter().all(|word| word.parse::<u32>().is_ok()),
        "git sparse-checkout" | "rustup toolchain" | "rustup component" | "rustup target" => {
            first == Some("list")
        }
        "coverage run" => matches!(words.as_slice(), ["-m", "pytest" | "unittest", ..]),
        "tmux" => matches!(words.as_slice(), ["ls" | "list-sessions" | "-V"]),
        "screen" => matches!(words.as_slice(), ["-ls" | "-list" | "-v"]),
        "node" => match words.as_slice() {
            ["-v"] => true,
            ["--test", files @ ..] => files.iter().all(|file| !file.starts_with('-')),
            _ => false,
        },
        "deno" => {
            matches!(first, Some("fmt" | "lint" | "check" | "test"))
                && words.iter().all(|word| !word.starts_with(['-', '/', '.']))
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
            let more = ["--post-renderer", "--kube", "--output-dir", "--plugin"];
            looks
                && !words
                    .iter()
                    .any(|word| more.iter().any(|option| word.starts_with(option)))
        }
        "git fsck" => true,
        "dig" | "nslookup" | "host" => !words.iter().any(|word| value::is_open(word)),
        "ping" => words.last().is_some_and(|host| is_local(host)),
        _ => false,
    }
}
