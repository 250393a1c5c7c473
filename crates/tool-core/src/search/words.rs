//! Words of names, descriptions and queries.

use crate::text::split;

/// Words that say nothing about what a tool does, in order.
const STOP: [&str; 83] = [
    "a", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "by",
    "can", "could", "did", "do", "does", "each", "for", "from", "given", "had", "has", "have",
    "he", "her", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "me",
    "my", "no", "not", "of", "on", "or", "our", "please", "she", "should", "so", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "us",
    "use", "used", "using", "very", "via", "was", "we", "were", "what", "when", "where", "which",
    "who", "will", "with", "would", "you", "your",
];

/// First character of the scripts without spaces between words.
const UNSPACED: char = '\u{2e80}';

/// Returns the stem of a word, none of a word that says nothing, and several of a script without spaces between words.
pub(super) fn stems(word: &str) -> Vec<String> {
    let word = word.to_lowercase();
    if says_nothing(&word) {
        Vec::new()
    } else if word.chars().any(|character| character >= UNSPACED) {
        pairs(&word)
    } else {
        vec![stem(word)]
    }
}

fn says_nothing(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Returns each three consecutive characters of the words, which have a blank on both sides: in order, each once.
pub(super) fn trigrams(text: &str) -> Vec<[char; 3]> {
    let mut trigrams = Vec::new();
    for word in split(text).filter(|word| !says_nothing(word)) {
        let (mut first, mut second) = (None, ' ');
        for third in word.chars().chain([' ']) {
            trigrams.extend(first.map(|first| [first, second, third]));
            (first, second) = (Some(second), third);
        }
    }
    trigrams.sort_unstable();
    trigrams.dedup();
    trigrams
}

/// Returns the first sentence or line.
pub(super) fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let is_last = characters
            .peek()
            .is_none_or(|(_, next)| next.is_whitespace());
        if character == '\n'
            || character == '。'
            || (matches!(character, '.' | '!' | '?') && is_last)
        {
            return text.get(..at).unwrap_or(text);
        }
    }
    text
}

fn pairs(word: &str) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    let pairs = characters.windows(2).map(|pair| pair.iter().collect());
    match characters.len() {
        1 => vec![word.to_owned()],
        _ => pairs.collect(),
    }
}

/// Endings of English words, the longer ones first, and what replaces them.
const ENDINGS: [(&str, &str); 7] = [
    ("ies", "y"),
    ("sses", "ss"),
    ("edly", ""),
    ("ing", ""),
    ("ed", ""),
    ("ly", ""),
    ("s", ""),
];

/// Removes the ending of an English word, so that `files`, `file` and `filing` are equal. Equality is enough: nobody reads
/// the result.
fn stem(mut word: String) -> String {
    const LEAST: usize = 3;
    if word.len() <= LEAST {
        return word;
    }
    let fits = |(ending, _): &&(&str, &str)| {
        let rest = word.strip_suffix(ending);
        // Not of `class`, `status` or `analysis`.
        let is_kept = *ending == "s" && ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
        rest.is_some_and(|rest| rest.len() >= LEAST) && !is_kept
    };
    if let Some((ending, replacement)) = ENDINGS.iter().find(fits) {
        word.truncate(word.len() - ending.len());
        word.push_str(replacement);
    }
    if word.len() > LEAST && word.ends_with('e') {
        word.pop();
    }
    let mut last = word.chars().rev();
    if let (Some(one), Some(two)) = (last.next(), last.next())
        && one == two
        && word.len() > LEAST
        && !matches!(one, 'l' | 's')
    {
        word.pop();
    }
    if word.len() > LEAST && word.ends_with('y') {
        word.pop();
        word.push('i');
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_in_order() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn words_of_identifiers() {
        for (text, words) in [
            ("readFile", vec!["read", "file"]),
            ("HTTPServer2", vec!["http", "server2"]),
            ("github__create_issue", vec!["github", "create", "issue"]),
            ("e-mail: Ünïcode", vec!["e", "mail", "ünïcode"]),
            ("…", vec![]),
        ] {
            assert_eq!(split(text).collect::<Vec<_>>(), words, "{text}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            vec!["file", "files", "filing", "filed"],
            vec!["query", "queries"],
            vec!["run", "running", "runs"],
            vec!["class", "classes"],
            vec!["status"],
        ] {
            let first = stem(forms[0].to_owned());
            for form in &forms {
                assert_eq!(stem((*form).to_owned()), first, "{form}");
            }
        }
    }

    #[test]
    fn scripts_without_blanks_are_compared_by_pairs() {
        assert_eq!(stems("搜索网页"), ["搜索", "索网", "网页"]);
        assert_eq!(stems("図"), ["図"]);
        assert_eq!(stems("The"), [""; 0]);
    }

    #[test]
    fn trigrams_have_the_blanks_around_words() {
        assert_eq!(
            trigrams("Is ab a_ab x"),
            [[' ', 'a', 'b'], [' ', 'x', ' '], ['a', 'b', ' ']]
        );
    }

    #[test]
    fn first_sentence_ends_at_a_stop_or_line() {
        for (text, first) in [
            ("Reads a file. At most 50 KB.", "Reads a file"),
            ("Reads v1.2 files\nand more", "Reads v1.2 files"),
            ("搜索。网页", "搜索"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
