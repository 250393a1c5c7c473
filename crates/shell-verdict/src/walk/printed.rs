//! Text printed by `echo` and `printf`.

use super::super::limits::MAX_WORK;
use super::super::parse::{EscapeDialect, UNKNOWN, decode_escapes};
use super::super::value::{Origin, Stream, Value};

/// Returns the printed text.
pub(super) fn printed(name: &str, arguments: &[Value]) -> Stream {
    let texts: Option<Vec<&str>> = arguments.iter().map(Value::literal).collect();
    let origin = arguments
        .iter()
        .filter_map(Value::origin)
        .max()
        .unwrap_or(Origin::Unknown);
    let unknown = Stream::Unknown(origin);
    let Some(texts) = texts else { return unknown };
    let text = if name == "printf" {
        printf(&texts)
    } else {
        echoed(&texts)
    };
    text.filter(|text| !text.contains(UNKNOWN))
        .map_or(unknown, Stream::Text)
}

fn echoed(texts: &[&str]) -> Option<String> {
    let is_option = |text: &&&str| {
        text.strip_prefix('-').is_some_and(|rest| {
            !rest.is_empty() && rest.chars().all(|letter| "neE".contains(letter))
        })
    };
    let options = texts.iter().take_while(is_option).count();
    let (options, words) = texts.split_at(options);
    if options.iter().any(|option| option.contains('E'))
        && options.iter().any(|option| option.contains('e'))
    {
        return None;
    }
    let text = words.join(" ")
        + if options.iter().any(|option| option.contains('n')) {
            ""
        } else {
            "\n"
        };
    if options.iter().any(|option| option.contains('e')) {
        return Some(decode_escapes(&text, EscapeDialect::Echo));
    }
    // Shells differ in escapes.
    (!text.contains('\\')).then_some(text)
}

fn printf(texts: &[&str]) -> Option<String> {
    let texts = texts.strip_prefix(&["--"]).unwrap_or(texts);
    let (format, arguments) = texts.split_first()?;
    if format.starts_with('-') {
        return None;
    }
    let format = decode_escapes(format, EscapeDialect::Quoted);
    let mut arguments = arguments.iter();
    let mut text = String::new();
    loop {
        let before = arguments.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            match letters.next()? {
                '%' => text.push('%'),
                's' => text.push_str(arguments.next().unwrap_or(&"")),
                'b' => text.push_str(&decode_escapes(
                    arguments.next().unwrap_or(&""),
                    EscapeDialect::Argument,
                )),
                'd' => text.push_str(
                    arguments
                        .next()
                        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?,
                ),
                _ => return None,
            }
        }
        // The caller counts the text, and stops at this size.
        if arguments.len() == 0 || arguments.len() == before || text.len() > MAX_WORK {
            return Some(text);
        }
    }
}
