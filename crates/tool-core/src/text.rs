//! Text helpers.

pub(crate) use tool_json::text::{short, with_commas};

/// Returns `text` up to its last newline, unless that would lose more than half of it.
pub(crate) fn to_line_boundary(text: &str) -> &str {
    match text.rfind('\n') {
        Some(at) if at + 1 >= text.len() / 2 => text.get(..=at).unwrap_or(text),
        _ => text,
    }
}

/// Returns the words in lowercase. Identifiers such as `readFile`, `HTTPServer` and `read_file` are several words.
pub(crate) fn split(text: &str) -> impl Iterator<Item = String> {
    words(text).map(str::to_lowercase)
}

/// Returns the words as they are written.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|character: char| !character.is_alphanumeric());
    parts.flat_map(|mut part| {
        std::iter::from_fn(move || {
            let (word, rest) = part.split_at(end_of_word(part));
            part = rest;
            (!word.is_empty()).then_some(word)
        })
    })
}

/// Returns where the first word of an identifier without separators ends.
fn end_of_word(identifier: &str) -> usize {
    let mut characters = identifier.char_indices().peekable();
    let mut before = characters.next().map(|(_, first)| first);
    while let Some((at, character)) = characters.next() {
        let follows = |before: char| before.is_lowercase() || before.is_numeric();
        let leads = |after: &(usize, char)| after.1.is_lowercase();
        if character.is_uppercase()
            && (before.is_some_and(follows) || characters.peek().is_some_and(leads))
        {
            return at;
        }
        before = Some(character);
    }
    identifier.len()
}

/// Escapes a name for a JSON pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the most similar name in `known`, if it is similar enough for a typing error.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let name = fold(name);
    let length = name.chars().count();
    // A suggestion that shares less than two thirds of the letters would confuse the model.
    let most = 1 + length / 3;
    let near = |candidate: &'k str| {
        let most = most.min(candidate.chars().count().checked_sub(1)?);
        let folded = fold(candidate);
        // The difference in length is a lower bound of the distance.
        if folded.chars().count().abs_diff(length) > most || most == 0 && folded != name {
            return None;
        }
        let distance = distance(&name, &folded);
        (distance <= most).then_some((distance, candidate))
    };
    known
        .into_iter()
        // A registry may have thousands of names, and a hostile model may ask for unknown ones all day.
        .take(1000)
        .filter_map(near)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the first 64 letters and digits in lower case, so that `filePath` and `file_path` are equal.
fn fold(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric()).take(64);
    let mut folded = String::with_capacity(name.len().min(64));
    if name.is_ascii() {
        folded.extend(letters.map(|letter| letter.to_ascii_lowercase()));
    } else {
        folded.extend(letters.flat_map(char::to_lowercase));
    }
    folded
}

/// Returns the Levenshtein distance.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (1..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let (mut above_left, mut left_cell) = (index, index + 1);
        for (other, cell) in right.iter().zip(&mut row) {
            let replaced = above_left + usize::from(letter != *other);
            above_left = *cell;
            left_cell = replaced.min(left_cell + 1).min(above_left + 1);
            *cell = left_cell;
        }
    }
    row.last().copied().unwrap_or_else(|| left.chars().count())
}

/// Returns the end of an error about an unknown name, which suggests the most similar one.
pub(crate) fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_differs_by_typing_error() {
        let known = ["path", "start_line", "end_line"];

        for (name, expected) in [
            ("pth", Some("path")),
            ("startLine", Some("start_line")),
            ("colour", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }

    #[test]
    fn distance_counts_single_characters() {
        for (left, right, expected) in [
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("same", "same", 0),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
        }
    }
}
