//! Files and directories that control a program. They must be inside the roots.

use super::super::state::State;
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// Programs controlled by their working directory or the files in their options.
const BY_FOLDER: [&str; 28] = [
    "eslint",
    "prettier",
    "tsc",
    "jest",
    "vitest",
    "mocha",
    "just",
    "task",
    "go-task",
    "tox",
    "nox",
    "sbt",
    "ctest",
    "swift build",
    "swift test",
    "swift run",
    "mix test",
    "mix compile",
    "npm run",
    "npm run-script",
    "npm test",
    "npm t",
    "npm start",
    "npm build",
    "npm lint",
    "pre-commit run",
    "clang-tidy",
    "cmake",
];
/// Programs also controlled by their operands.
const BY_OPERANDS: [&str; 14] = [
    "pytest",
    "py.test",
    "rspec",
    "rubocop",
    "rake",
    "phpunit",
    "phpstan",
    "psalm",
    "mix test",
    "cmake",
    "rustdoc",
    "mix format",
    "cargo fmt",
    "golangci-lint",
];
/// Programs that read arguments from a file with an `@` prefix.
const WITH_LISTS: [&str; 13] = [
    "pytest", "py.test", "rustc", "rustdoc", "javac", "javap", "nm", "objdump", "readelf", "size",
    "ldd", "otool", "strip",
];
/// Families in which every subcommand is controlled by its directory.
const FAMILIES_BY_FOLDER: [&str; 1] = ["cargo "];
const FAMILIES_BY_OPERANDS: [&str; 3] = ["go ", "dotnet ", "zig "];

impl Walk<'_> {
    pub(super) fn steered_from(&mut self, state: &State, name: &str, arguments: &Arguments) {
        if WITH_LISTS.contains(&name) {
            self.lists_of_arguments(arguments);
        }
        let is_of = |families: &[&str]| families.iter().any(|family| name.starts_with(family));
        let by_operands = BY_OPERANDS.contains(&name) || is_of(&FAMILIES_BY_OPERANDS);
        if !by_operands && !BY_FOLDER.contains(&name) && !is_of(&FAMILIES_BY_FOLDER) {
            return;
        }
        self.steered_by_folder(state, arguments);
        if by_operands {
            self.each(&arguments.operands, |walk, path| {
                walk.steered_by(state, path);
            });
        }
    }

    pub(super) fn steered_by_folder(&mut self, state: &State, arguments: &Arguments) {
        self.steered_by(state, ".");
        for path in arguments.values('R').chain(arguments.values('?')) {
            self.steered_by(state, path);
        }
    }

    fn lists_of_arguments(&mut self, arguments: &Arguments) {
        let mut operands = arguments.operands.iter();
        if let Some(list) = operands.find(|word| word.starts_with('@')) {
            self.report(CommandRule::UnknownOption, list);
        }
    }

    /// Checks plugins and additional output files of a compiler.
    pub(super) fn compiler(&mut self, state: &State, arguments: &Arguments) {
        self.lists_of_arguments(arguments);
        for words in arguments.values('A') {
            self.suspect(state, &words.replace(',', " "));
        }
        for option in arguments.values('?') {
            if let Some(path) = option.strip_prefix('F') {
                self.writes(state, path);
            } else if !is_harmless_to_compile(option) {
                self.report(CommandRule::UnknownOption, option);
            }
        }
    }

    pub(super) fn steered_by_words(&mut self, state: &State, words: &[String]) {
        for word in words {
            let path = match word.split_once('=') {
                Some((_, value)) => value,
                None if word.starts_with('-') => word.get(2..).unwrap_or_default(),
                None => word,
            };
            self.steered_by(state, path);
        }
    }

    pub(super) fn steered_by(&mut self, state: &State, path: &str) {
        let settings = self.settings;
        self.judge_path(state, path, |_, path| {
            (!settings.may_start_in(&path?)).then_some(CommandRule::UnknownOption)
        });
    }
}

fn is_harmless_to_compile(option: &str) -> bool {
    if let Some(words) = option.strip_prefix("l,") {
        return words.split(',').all(is_plain_to_link);
    }
    let names = ["plugin", "use-ld", "wrapper", "specs"];
    let for_another = ["a,", "p,"].iter().any(|start| option.starts_with(start));
    !for_another && !option.contains(['/', '@']) && !names.iter().any(|name| option.contains(name))
}

fn is_plain_to_link(word: &str) -> bool {
    const KNOWN: [&str; 20] = [
        "-rpath",
        "--rpath",
        "-rpath-link",
        "-soname",
        "-z",
        "-s",
        "-O1",
        "-O2",
        "--as-needed",
        "--no-as-needed",
        "--gc-sections",
        "--no-undefined",
        "--start-group",
        "--end-group",
        "--whole-archive",
        "--no-whole-archive",
        "-Bstatic",
        "-Bdynamic",
        "--strip-all",
        "-dead_strip",
    ];
    let name = word.split('=').next().unwrap_or_default();
    KNOWN.contains(&name) || !word.starts_with(['-', '@'])
}
