//! Word splitting and joining with POSIX quoting rules, without expansions.

use std::borrow::Cow;

/// Reason for rejecting a line with an unbalanced quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnbalancedQuote {
    /// Unclosed `'`.
    Single,
    /// Unclosed `"`.
    Double,
    /// Trailing `\`.
    Backslash,
}

impl UnbalancedQuote {
    /// Returns the unbalanced character.
    pub fn symbol(self) -> char {
        match self {
            Self::Single => '\'',
            Self::Double => '"',
            Self::Backslash => '\\',
        }
    }
}

/// Splits `text` at whitespace outside quotes, and removes quotes and backslashes.
///
/// # Errors
/// Returns [`UnbalancedQuote`] if a quote is not closed or a backslash ends `text`.
pub fn split(text: &str) -> Result<Vec<String>, UnbalancedQuote> {
    let mut words = Vec::new();
    // An empty pair of quotes is a word, so distinguish an empty word from no word.
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => single_quoted(&mut letters, word.get_or_insert_default())?,
            '"' => double_quoted(&mut letters, word.get_or_insert_default())?,
            '\\' => match letters.next().ok_or(UnbalancedQuote::Backslash)? {
                '\n' => {}
                escaped => word.get_or_insert_default().push(escaped),
            },
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Joins `words` into a line that [`split`] splits into the same words, with quotes if a shell
/// needs them.
pub fn join<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    line(words, "_-./:=@%+,")
}

/// Like [`join`], but leaves operators and patterns unquoted.
pub fn join_part(words: &[String]) -> String {
    line(words.iter().map(String::as_str), "_-./:=@%+,?*<>[]")
}

fn line<'w>(words: impl IntoIterator<Item = &'w str>, plain: &str) -> String {
    let quoted = |word: &'w str| {
        let is_plain = |letter: char| letter.is_alphanumeric() || plain.contains(letter);
        if !word.is_empty() && word.chars().all(is_plain) {
            return Cow::Borrowed(word);
        }
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn single_quoted(
    letters: &mut impl Iterator<Item = char>,
    word: &mut String,
) -> Result<(), UnbalancedQuote> {
    for letter in letters {
        if letter == '\'' {
            return Ok(());
        }
        word.push(letter);
    }
    Err(UnbalancedQuote::Single)
}

fn double_quoted(
    letters: &mut impl Iterator<Item = char>,
    word: &mut String,
) -> Result<(), UnbalancedQuote> {
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return Ok(()),
            '\\' => match letters.next().ok_or(UnbalancedQuote::Double)? {
                '\n' => {}
                escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                other => word.extend(['\\', other]),
            },
            other => word.push(other),
        }
    }
    Err(UnbalancedQuote::Double)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_words_like_a_shell() {
        for (text, words) in [
            ("", &[][..]),
            (" \t\n ", &[]),
            ("build --no-restore", &["build", "--no-restore"]),
            ("  a   b  ", &["a", "b"]),
            ("'a b' c", &["a b", "c"]),
            (r#""a b" c"#, &["a b", "c"]),
            (r#"a"b c"'d e'f"#, &["ab cd ef"]),
            ("'' \"\"", &["", ""]),
            (r"a\ b", &["a b"]),
            (r"'a\b'", &[r"a\b"]),
            (r#""a\"b\\c\$d""#, &[r#"a"b\c$d"#]),
            (r#""a\nb""#, &[r"a\nb"]),
            ("a\\\nb", &["ab"]),
            ("\"a\\\nb\"", &["ab"]),
            ("'it'\\''s'", &["it's"]),
            ("größe 'ein Wort'", &["größe", "ein Wort"]),
        ] {
            assert_eq!(split(text).unwrap(), words, "{text:?}");
        }
    }

    #[test]
    fn split_inverts_join_part() {
        for (words, line) in [
            (&["git", "status"][..], "git status"),
            (&["commit", "-m", "it's done"], r"commit -m 'it'\''s done'"),
            (&["", "a;b", "$x"], "'' 'a;b' '$x'"),
            (&[">", "./?"], "> ./?"),
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();

            assert_eq!(join_part(&words), line);
            assert_eq!(split(line).unwrap(), words);
        }
    }

    #[test]
    fn split_expands_nothing() {
        for text in [
            "$HOME", "*.rs", "~", "$(id)", "`id`", "{a,b}", "a;b", "a&&b", "#note",
        ] {
            assert_eq!(split(text).unwrap(), [text]);
        }
    }

    #[test]
    fn join_quotes_words_if_needed() {
        for (words, line) in [
            (&["git", "log", "-n1", "a/b.rs"][..], "git log -n1 a/b.rs"),
            (
                &["echo", "", "a b", "it's", "$HOME"],
                r"echo '' 'a b' 'it'\''s' '$HOME'",
            ),
        ] {
            assert_eq!(join(words.iter().copied()), line);
        }
    }

    proptest! {
        #[test]
        fn split_inverts_join(
            words in proptest::collection::vec(any::<String>(), 0..12)
        ) {
            let line = join(words.iter().map(String::as_str));

            prop_assert_eq!(split(&line), Ok(words));
        }
    }

    #[test]
    fn rejects_unbalanced_quotes() {
        for (text, unbalanced) in [
            ("it's", UnbalancedQuote::Single),
            ("say \"hi", UnbalancedQuote::Double),
            ("\"a\\", UnbalancedQuote::Double),
            ("a\\", UnbalancedQuote::Backslash),
        ] {
            assert_eq!(split(text).unwrap_err(), unbalanced, "{text:?}");
        }
    }
}
