//! Program and arguments of a command.

use serde_json::{Value, json};
use shell_verdict::words::{self, UnbalancedQuote};
use tool_core::{ToolContext, ToolError};

use super::{CommandArguments, RunCommandInput};

/// Maximum characters of a word that a warning repeats.
const MAX_WORD_CHARS: usize = 80;

/// Words that have a meaning only in a shell.
const SHELL_WORDS: [&str; 10] = ["|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1"];

/// Returns the program's name and its arguments.
pub(super) fn argv(input: &RunCommandInput) -> Result<(String, Vec<String>), ToolError> {
    let arguments = match &input.arguments {
        Some(CommandArguments::List(list)) if !list.is_empty() => list.clone(),
        Some(CommandArguments::Text(text)) if !text.trim().is_empty() => {
            words::split(text).map_err(|quote| unbalanced("arguments", quote))?
        }
        // Empty arguments count as omitted, so `{"command": "ls -l", "arguments": []}` runs `ls` with `-l`.
        _ => return command_line(&input.command),
    };
    let name = input.command.trim();
    if name.is_empty() {
        return Err(no_program());
    }
    Ok((name.to_owned(), arguments))
}

fn command_line(text: &str) -> Result<(String, Vec<String>), ToolError> {
    let mut words = words::split(text)
        .map_err(|quote| unbalanced("command", quote))?
        .into_iter();
    match words.next() {
        Some(name) if !name.is_empty() => Ok((name, words.collect())),
        _ => Err(no_program()),
    }
}

/// Returns the parameters for `command` in the same form as `input`.
pub(super) fn parameters(
    input: &RunCommandInput,
    command: &[String],
) -> Vec<(&'static str, Value)> {
    let (name, rest) = command.split_at(command.len().min(1));
    match &input.arguments {
        Some(CommandArguments::List(list)) if !list.is_empty() => {
            vec![
                ("command", json!(name.concat())),
                ("arguments", json!(rest)),
            ]
        }
        Some(CommandArguments::Text(text)) if !text.trim().is_empty() => vec![
            ("command", json!(name.concat())),
            ("arguments", json!(words::join_part(rest))),
        ],
        _ => vec![("command", json!(words::join_part(command)))],
    }
}

/// Suggestion for an unbalanced quote if arguments may be a list.
pub(crate) const CLOSE_THE_QUOTE: &str = "Close the quote. As a list, `arguments` need no quotes.";

fn no_program() -> ToolError {
    ToolError::invalid_arguments("command", "names no program")
        .suggest("Pass the name of a program, such as `ls`.")
}

fn unbalanced(parameter: &str, quote: UnbalancedQuote) -> ToolError {
    let symbol = quote.symbol();
    let sentence = format!("has an unbalanced {symbol}");
    ToolError::invalid_arguments(parameter, sentence).suggest(CLOSE_THE_QUOTE)
}

/// Warns about arguments that only a shell would interpret.
pub(super) fn warn_of_shell_words(arguments: &[String], is_split: bool, cx: &ToolContext) {
    let found = arguments
        .iter()
        .find(|word| SHELL_WORDS.contains(&word.as_str()) || (is_split && is_shell_syntax(word)));
    if let Some(word) = found {
        let word: String = word.chars().take(MAX_WORD_CHARS).collect();
        cx.warn(format!(
            "Commands run without a shell: `{word}` was passed to the program unchanged."
        ));
    }
}

/// Returns `true` if `word` looks like a redirection, a command separator or an expansion. Quotes
/// are already removed and the program may use the same syntax, so this is only worth a warning.
fn is_shell_syntax(word: &str) -> bool {
    let redirects = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    let expands = word.strip_prefix('$').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || "_{(".contains(c))
    });
    redirects.starts_with('>') || word.ends_with(';') || expands
}
