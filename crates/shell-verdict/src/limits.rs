//! Limits of the filter.
//!
//! A part beyond a limit is not examined, so each limit raises the finding `limit`, which at least
//! asks. Only the limits of the total work end the walk; at the others it continues, so that a stricter
//! finding after the limit still counts.

/// Maximum size of a command in bytes, and maximum number of arguments. Longer scripts belong in a
/// file, and the time of a check grows with the size.
pub(super) const MAX_BYTES: usize = 64 * 1024;
/// Maximum nesting depth of commands, words and evaluated text together. Each level takes stack, and
/// threads have 2 MiB by default.
pub(super) const MAX_NESTING: usize = 64;
/// Maximum number of simple commands to check. Each one takes microseconds, and nested loops that change
/// the directory double them. Ends the walk.
pub(super) const MAX_STEPS: usize = 4_000;
/// Maximum work for words, paths and evaluated text, in bytes, because a short command can expand
/// to a long one: 8 times the largest input. Ends the walk.
pub(super) const MAX_WORK: usize = 512 * 1024;
/// Maximum number of distinct commands in a judgement, because hosts compare each one with their
/// policy.
pub(super) const MAX_LISTED_COMMANDS: usize = 1000;

/// Number of findings of a [`Judgement`](crate::Judgement) after which it keeps only findings with
/// another rule or other grants.
///
/// This shortens what a person or a policy reads, and never changes the verdict, the rules or the
/// grants.
pub const MAX_FINDINGS: usize = 64;
/// Maximum length of a part in a finding, in characters: a line of a terminal. Only shortens what a
/// person reads.
pub(super) const MAX_PART: usize = 80;

/// Work for the classification of a path, in addition to the bytes of its directory: about that of
/// 64 bytes of a word. Not a limit.
pub(super) const PATH_WORK: usize = 64;
/// Work for an argument of a command, in addition to its bytes. Not a limit.
pub(super) const ARGUMENT_WORK: usize = 12;
