//! Limits of the filter.

/// Maximum size of a command in bytes.
pub(super) const MAX_BYTES: usize = 64 * 1024;
/// Maximum nesting depth of commands, words and evaluated text together.
pub(super) const MAX_NESTING: usize = 64;
/// Maximum number of simple commands to check, including those of repeated loops and calls.
pub(super) const MAX_STEPS: usize = 4_000;
/// Maximum bytes of generated words, because a short command can expand to a long one.
pub(super) const MAX_WORK: usize = 512 * 1024;
/// Maximum words of a brace expansion, and of loop items that are checked separately.
pub(super) const MAX_ALTERNATIVES: usize = 64;
/// Maximum size of a tracked value in bytes. Longer values are unknown.
pub(super) const MAX_VALUE_BYTES: usize = 4 * 1024;
/// Maximum number of tracked variables and of tracked functions.
pub(super) const MAX_VARIABLES: usize = 64;
/// Maximum number of possible working directories at one point.
pub(super) const MAX_DIRECTORIES: usize = 6;
/// Maximum number of distinct commands in a judgement.
pub(super) const MAX_LISTED_COMMANDS: usize = 1000;
/// Number of findings of a [`Judgement`](crate::Judgement) after which it keeps only findings with
/// another rule or other grants.
///
/// This shortens what a person or a policy reads, and never changes the verdict, the rules or the
/// grants.
pub const MAX_FINDINGS: usize = 64;
