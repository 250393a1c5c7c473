//! Escapes of lone surrogates, which are not JSON text, although programs write them that cut text between two halves.

/// Length of `\uXXXX`.
pub const ESCAPE: usize = 6;

/// Escape of the character that replaces what is not Unicode.
pub const REPLACEMENT: &[u8] = b"\\ufffd";

/// Returns JSON text with lone surrogates replaced, and their number; `None` if there are none.
pub fn replace(json: &[u8]) -> Option<(Vec<u8>, usize)> {
    let lone = positions(json);
    let mut replaced = json.to_vec();
    for (at, _) in &lone {
        if let Some(escape) = replaced.get_mut(*at..at + ESCAPE) {
            escape.copy_from_slice(REPLACEMENT);
        }
    }
    (!lone.is_empty()).then_some((replaced, lone.len()))
}

/// Returns the positions of the escapes of lone surrogates in JSON text, with their code units.
pub fn positions(json: &[u8]) -> Vec<(usize, u16)> {
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(next) = json.get(at..).and_then(backslash) {
        at += next;
        at += match code_unit(json, at) {
            Some(0xD800..=0xDBFF)
                if matches!(code_unit(json, at + ESCAPE), Some(0xDC00..=0xDFFF)) =>
            {
                2 * ESCAPE
            }
            Some(unit @ 0xD800..=0xDFFF) => {
                lone.push((at, unit));
                ESCAPE
            }
            // With the escaped character: the second backslash of `\\` begins no escape.
            _ => 2,
        };
    }
    lone
}

fn backslash(text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| *byte == b'\\')
}

/// Returns the code unit of the escape at `at`.
fn code_unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_lone_surrogates() {
        for (json, expected) in [
            (r#""plain \u0041 \n""#, None),
            (r#""\ud83d\ude00""#, None),
            (r#""\\ud800""#, None),
            (r#""\ud8"#, None),
            (r#""\uD83D\uDE00\ud83d""#, Some(r#""\uD83D\uDE00\ufffd""#)),
            (r#""\udc00\ud800""#, Some(r#""\ufffd\ufffd""#)),
            (r#""\ud800\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            (r#""\ud800\u0041""#, Some(r#""\ufffd\u0041""#)),
            (r#""\ud800\"#, Some(r#""\ufffd\"#)),
        ] {
            let replaced = replace(json.as_bytes()).map(|(text, _)| text);

            assert_eq!(replaced.as_deref(), expected.map(str::as_bytes), "{json}");
        }
    }
}
