//! The prompt of a request.

use std::fmt;

use serde_json::{Map, Value};

use super::ApprovalRequest;
use crate::approval::visible::visible;
use crate::text::with_commas;

/// Arguments that are listed last, and shown only by their size in the alternate form.
const SIZE_ONLY: [&str; 3] = ["content", "old_string", "new_string"];
/// Arguments that are never truncated: each part of a command may be the dangerous one.
const COMPLETE: [&str; 2] = ["arguments", "command"];
/// Maximum number of characters of a parameter or path. Of a longer one, both ends are shown: the end may be the
/// dangerous part.
const MAX_CHARS: usize = 1000;
const HEAD: usize = 700;
const TAIL: usize = 250;
/// Maximum number of characters of a parameter name.
const MAX_NAME: usize = 64;
/// Maximum number of parameters, and of files.
const MAX_LISTED: usize = 100;

/// Writes the prompt for a person: every argument, of long ones both ends and the number of omitted characters, and commands
/// completely. The alternate form, `{:#}`, shows only the size of `content`, `old_string` and `new_string`.
impl fmt::Display for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Tool: {}\nParameters:", visible(&self.tool))?;
        let members = self.arguments.as_object().map(ordered).unwrap_or_default();
        for (name, value) in members.iter().take(MAX_LISTED) {
            let short: String = name.chars().take(MAX_NAME).collect();
            let value = if f.alternate() && SIZE_ONLY.contains(name) {
                size(value)
            } else {
                shown(name, value)
            };
            writeln!(f, "  {}: {value}", visible(&short))?;
        }
        if members.len() > MAX_LISTED {
            let more = with_commas(members.len() - MAX_LISTED);
            writeln!(f, "  [… {more} parameters more]")?;
        }
        self.write_files(f)?;
        if let Some(reason) = &self.reason {
            writeln!(f, "Reason: {}", both_ends(reason))?;
        }
        write!(f, "Risk level: {}\n\nApprove? (y/n/always): ", self.risk)
    }
}

impl ApprovalRequest {
    fn write_files(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.files_affected.is_empty() {
            return Ok(());
        }
        let listed = self.files_affected.iter().take(MAX_LISTED);
        let mut files: Vec<String> = listed.map(|file| both_ends(file)).collect();
        if self.files_affected.len() > MAX_LISTED {
            let more = with_commas(self.files_affected.len() - MAX_LISTED);
            files.push(format!("[… {more} more]"));
        }
        writeln!(f, "Files affected: {}", files.join(", "))
    }
}

/// Returns the members, long ones last.
fn ordered(members: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut listed: Vec<(&str, &Value)> = members
        .iter()
        .map(|(name, value)| (name.as_str(), value))
        .collect();
    listed.sort_by_key(|(name, _)| SIZE_ONLY.iter().position(|long| long == name));
    listed
}

fn shown(name: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if COMPLETE.contains(&name) {
        visible(&text)
    } else {
        both_ends(&text)
    }
}

fn size(value: &Value) -> String {
    match value {
        Value::String(text) => format!("<{} bytes>", text.len()),
        other => shown("", other),
    }
}

fn both_ends(text: &str) -> String {
    // There are at least as many bytes as characters, so short text need not be counted.
    let count = if text.len() <= MAX_CHARS {
        0
    } else {
        text.chars().count()
    };
    if count <= MAX_CHARS {
        return visible(text);
    }
    let place = |skipped| text.char_indices().nth(skipped).map_or(0, |(at, _)| at);
    let head = text.get(..place(HEAD)).unwrap_or_default();
    let tail = text.get(place(count - TAIL)..).unwrap_or_default();
    let hidden = with_commas(count - HEAD - TAIL);
    format!(
        "{} [… {hidden} characters …] {}",
        visible(head),
        visible(tail)
    )
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{RiskLevel, ToolDefinition};

    fn prompt(arguments: Value, files: Vec<String>) -> String {
        let definition = ToolDefinition::new("f", "F", json!({}));
        ApprovalRequest::new("1", &definition, arguments, RiskLevel::Dangerous)
            .unwrap()
            .with_files(files)
            .to_string()
    }

    #[test]
    fn preview_is_not_part_of_prompt() {
        let definition = ToolDefinition::new("create_file", "Creates.", json!({}));
        let arguments = json!({"content": "x".repeat(20), "path": "hello.py"});
        let request = ApprovalRequest::new("1", &definition, arguments, RiskLevel::SafeWrite)
            .unwrap()
            .with_files(vec!["hello.py".to_owned()])
            .with_preview(Some(crate::approval::Preview::diff("+xxx")));

        let alternate = format!("{request:#}");
        assert_eq!(alternate, include_str!("prompt.txt"));
        let content = format!("content: {}\n", "x".repeat(20));
        assert_eq!(
            request.to_string(),
            alternate.replace("content: <20 bytes>\n", &content)
        );
    }

    #[test]
    fn escapes_control_characters() {
        for (command, seen) in [
            ("ls\nRisk level: read_only", r"ls\nRisk level: read_only"),
            ("ls\u{1b}[2K\rcat", r"ls\u{1b}[2K\rcat"),
            ("a\u{202e}b\u{200b}c", r"a\u{202e}b\u{200b}c"),
            ("größe 漢字 🙂", "größe 漢字 🙂"),
        ] {
            let prompt = prompt(json!({"command": command}), Vec::new());

            assert!(prompt.contains(&format!("  command: {seen}\n")), "{prompt}");
        }
    }

    #[test]
    fn long_parameters_show_both_ends() {
        for name in ["text", "content"] {
            let text = format!("true {}; rm -rf x", "é".repeat(5000));

            let prompt = prompt(json!({name: text}), Vec::new());

            assert!(prompt.contains("é [… 4,065 characters …] é"), "{prompt}");
            assert!(prompt.contains("; rm -rf x\n"), "{prompt}");
        }
    }

    #[test]
    fn commands_are_shown_completely() {
        let command = format!("true {}; rm -rf x; {}", "é".repeat(5000), "a".repeat(5000));
        for name in ["command", "arguments"] {
            let prompt = prompt(json!({name: command}), Vec::new());

            assert!(prompt.contains(&format!("  {name}: {command}\n")), "{name}");
        }
    }

    #[test]
    fn counts_omitted_parameters_and_files() {
        let many: Map<String, Value> = (0..150).map(|n| (format!("p{n:03}"), json!(n))).collect();
        let files = (0..101).map(|n| format!("f{n}")).collect();

        let prompt = prompt(Value::Object(many), files);

        assert!(
            prompt.contains("  p099: 99\n  [… 50 parameters more]\n"),
            "{prompt}"
        );
        assert!(prompt.contains("f99, [… 1 more]\n"), "{prompt}");
    }

    proptest! {
        #[test]
        fn untrusted_text_adds_no_lines(
            names in proptest::collection::hash_set(any::<String>(), 0..4),
            value in any::<String>(),
            file in any::<String>(),
        ) {
            let count = names.len();
            let members: Map<String, Value> = names
                .into_iter()
                .map(|name| (name, json!(value)))
                .collect();

            let prompt = prompt(Value::Object(members), vec![file]);

            prop_assert_eq!(prompt.lines().count(), count + 6);
            prop_assert!(prompt.chars().all(|letter| letter == '\n' || !letter.is_control()));
        }
    }
}
