//! Limits of the filter.

/// Maximum size of a command in bytes.
pub(super) const MOST_BYTES: usize = 64 * 1024;
/// Maximum nesting depth of commands, words and evaluated text together.
pub(super) const MOST_NESTING: usize = 64;
/// Maximum number of simple commands to check.
pub(super) const MOST_STEPS: usize = 20_000;
/// Maximum commands and bytes of work for a second pass with another shell. Larger input requires
/// approval.
pub(super) const MOST_FOR_FURTHER_SHELLS: (usize, usize) = (2_000, 128 * 1024);
/// Maximum bytes of generated words, because a short command can expand to a long one.
pub(super) const MOST_WORK: usize = 1024 * 1024;
/// Maximum words of a brace expansion, and of loop items that are checked separately.
pub(super) const MOST_ALTERNATIVES: usize = 64;
/// Maximum size of a tracked value in bytes. Longer values are unknown.
pub(super) const MOST_VALUE_BYTES: usize = 4 * 1024;
/// Maximum number of tracked variables. Beyond it, all are unknown.
pub(super) const MOST_VARIABLES: usize = 64;
/// Maximum number of tracked functions. Other names may also be programs.
pub(super) const MOST_FUNCTIONS: usize = 64;
/// Maximum bytes of evaluated text (`eval` and similar) for one command.
pub(super) const MOST_TEXT_BYTES: usize = 4 * 64 * 1024;
/// Maximum number of possible working directories at one point.
pub(super) const MOST_DIRECTORIES: usize = 8;
/// Maximum number of distinct commands in a judgement.
pub(super) const MOST_LISTED_COMMANDS: usize = 1000;
