//! Splitting a command line into words by the quoting rules of POSIX, without expanding anything, and the way back.

use std::borrow::Cow;

/// A text whose quotes do not pair up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnbalancedQuote {
    /// A `'` without its partner.
    Single,
    /// A `"` without its partner.
    Double,
    /// A `\` with nothing behind it.
    Backslash,
}

impl UnbalancedQuote {
    /// The character that lacks its partner.
    pub(crate) fn symbol(self) -> char {
        match self {
            Self::Single => '\'',
            Self::Double => '"',
            Self::Backslash => '\\',
        }
    }
}

/// Splits `text` at blanks outside of quotes; quotes and backslashes are taken off.
pub(crate) fn split(text: &str) -> Result<Vec<String>, UnbalancedQuote> {
    let mut words = Vec::new();
    // An empty pair of quotes is a word, so a word that has begun differs from one that is empty.
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

/// Writes `words` as one line that [`split`] takes apart again, with quotes where a shell needs them.
pub(crate) fn join<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    line(words, "_-./:=@%+,")
}

/// The same for a part of a command line that was taken apart: operators and patterns stand as they are.
pub(crate) fn join_part(words: &[String]) -> String {
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
    fn words_are_split_as_a_shell_would() {
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
    fn parts_are_split_into_the_same_words() {
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
    fn nothing_is_expanded() {
        for text in [
            "$HOME", "*.rs", "~", "$(id)", "`id`", "{a,b}", "a;b", "a&&b", "#note",
        ] {
            assert_eq!(split(text).unwrap(), [text]);
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_need_it() {
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
        fn splitting_takes_back_what_joining_made(
            words in proptest::collection::vec(any::<String>(), 0..12)
        ) {
            let line = join(words.iter().map(String::as_str));

            prop_assert_eq!(split(&line), Ok(words));
        }
    }

    #[test]
    fn quotes_that_do_not_pair_up_are_refused() {
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
