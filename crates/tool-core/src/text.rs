//! Small pieces of text work that several files need.

/// The beginning of `text`, at most `max_bytes`, cut after a line where there is one, else after a character.
pub(crate) fn head(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let end = text.floor_char_boundary(max_bytes);
    let cut = text.get(..end).unwrap_or_default();
    match cut.rfind('\n') {
        Some(at) => cut.get(..=at).unwrap_or(cut),
        None => cut,
    }
}

/// `text` on one line and at most `max_chars` long, with `…` where something was cut.
pub(crate) fn short(text: &str, max_chars: usize) -> String {
    let is_short = text.len() <= max_chars && text.is_ascii();
    if is_short && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return text.to_owned();
    }
    let mut one_line: String = text
        .chars()
        .take(max_chars)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(max_chars).is_some() {
        one_line.push('…');
    }
    one_line
}

/// A number with commas between its thousands: `1,204`.
pub(crate) fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The name in `known` that is nearest to `name`, if it is near enough to be a slip.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let name = fold(name);
    let length = name.chars().count();
    let most = 1 + length / 3;
    let near = |candidate: &'k str| {
        let most = most.min(candidate.chars().count().checked_sub(1)?);
        let folded = fold(candidate);
        // So many letters at least must be put in or taken out.
        if folded.chars().count().abs_diff(length) > most || most == 0 && folded != name {
            return None;
        }
        let distance = distance(&name, &folded);
        (distance <= most).then_some((distance, candidate))
    };
    known
        .into_iter()
        .take(1000)
        .filter_map(near)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Small letters only, at most 64 of them, so that `filePath` and `file_path` are the same.
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

/// How many letters must be put in, taken out or replaced to make one text of the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut above_left = index;
        let mut left_cell = index + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left_cell);
        for (other, above) in right.iter().zip(row.iter().skip(1)) {
            let replaced = above_left + usize::from(letter != *other);
            left_cell = replaced.min(left_cell + 1).min(above + 1);
            above_left = *above;
            next.push(left_cell);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_one_that_a_slip_explains() {
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
    fn distance_counts_single_letters() {
        for (left, right, expected) in [
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("same", "same", 0),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [(7, "7"), (1204, "1,204"), (1_000_000, "1,000,000")] {
            assert_eq!(with_commas(number), text);
        }
    }

    #[test]
    fn a_head_ends_at_a_line() {
        assert_eq!(head("one\ntwo\nthree", 6), "one\n");
        assert_eq!(head("äöü", 3), "ä");
    }
}
