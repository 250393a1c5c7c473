//! How much the filter reads. What goes over is forbidden.

/// Bytes of one command text, 64 kB.
pub(super) const MOST_BYTES: usize = 64 * 1024;
/// Levels of nesting, of commands, words and texts within texts together.
pub(super) const MOST_NESTING: usize = 64;
/// Simple commands judged for one text.
pub(super) const MOST_STEPS: usize = 20_000;
/// Simple commands, and bytes of work, up to which a text is walked for further shells, too; a larger one is asked about.
pub(super) const MOST_FOR_FURTHER_SHELLS: (usize, usize) = (2_000, 128 * 1024);
/// Work for one text, in bytes of the words that are made and judged: over it, a short text stands for a long one.
pub(super) const MOST_WORK: usize = 1024 * 1024;
/// Words that braces make of one word, and items of a loop that are tried one by one.
pub(super) const MOST_ALTERNATIVES: usize = 64;
/// Bytes of a value that is followed; a longer one counts as unknown.
pub(super) const MOST_VALUE_BYTES: usize = 4 * 1024;
/// Variables that are followed; with more, all count as unknown.
pub(super) const MOST_VARIABLES: usize = 64;
/// Functions of which it is known that they are defined; more may be programs as well.
pub(super) const MOST_FUNCTIONS: usize = 64;
/// Bytes of text that is judged again, in `eval` and the like, over one whole judgement.
pub(super) const MOST_TEXT_BYTES: usize = 4 * 64 * 1024;
/// Working directories that are possible at a time.
pub(super) const MOST_DIRECTORIES: usize = 8;
/// Different commands in one text.
pub(super) const MOST_LISTED_COMMANDS: usize = 1000;
