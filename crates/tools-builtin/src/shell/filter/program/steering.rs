//! Files and folders that say what a program runs, which must not lie outside of the roots.

use super::super::state::State;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// Programs with options that name such files.
const BY_OPTIONS: [&str; 11] = [
    "eslint", "prettier", "tsc", "jest", "vitest", "mocha", "cmake", "just", "task", "go-task",
    "rake",
];
/// Programs that run what their operands name.
const BY_OPERANDS: [&str; 10] = [
    "pytest", "py.test", "rspec", "rubocop", "rake", "phpunit", "phpstan", "psalm", "mix test",
    "cmake",
];
/// Programs of which every subcommand does.
const FAMILIES: [&str; 3] = ["go ", "dotnet ", "zig "];

impl Walk<'_> {
    /// Asks about files and folders outside of the roots that say what the program runs.
    pub(super) fn steered_from(&mut self, state: &State, name: &str, arguments: &Arguments) {
        let is_of_family = FAMILIES.iter().any(|family| name.starts_with(family));
        let by_operands = is_of_family || BY_OPERANDS.contains(&name);
        if by_operands || BY_OPTIONS.contains(&name) || name.starts_with("cargo ") {
            for path in arguments.values('R') {
                self.works_in(state, path);
            }
        }
        if by_operands {
            self.each(&arguments.operands, |walk, path| walk.works_in(state, path));
        }
    }

    /// The same for words that may be paths, behind options too.
    pub(super) fn steered_by_words(&mut self, state: &State, words: &[String]) {
        for word in words {
            let path = match word.split_once('=') {
                Some((_, value)) => value,
                None if word.starts_with('-') => word.get(2..).unwrap_or_default(),
                None => word,
            };
            self.works_in(state, path);
        }
    }
}
