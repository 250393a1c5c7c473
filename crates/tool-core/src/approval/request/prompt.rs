//! The block that asks a person.

use std::fmt;

use serde_json::{Map, Value};

use super::ApprovalRequest;
use crate::approval::visible::visible;
use crate::text::with_commas;

/// Parameters that are shown by their size only.
const SIZE_ONLY: [&str; 3] = ["content", "old_string", "new_string"];
/// Characters of one parameter, or of one path, that are shown whole. Of a longer one the end is shown as well: what
/// harms may stand behind a long beginning.
const MAX_WHOLE: usize = 1000;
const HEAD: usize = 700;
const TAIL: usize = 250;
/// Characters of a parameter's name that are shown.
const MAX_NAME: usize = 64;
/// Parameters and files that are shown.
const MAX_LISTED: usize = 100;

impl fmt::Display for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Tool: {}\nParameters:", visible(&self.tool))?;
        let members = self.arguments.as_object().map(ordered).unwrap_or_default();
        for (name, value) in members.iter().take(MAX_LISTED) {
            let short: String = name.chars().take(MAX_NAME).collect();
            writeln!(f, "  {}: {}", visible(&short), shown(name, value))?;
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

/// The members with the long ones last, so that what matters is read first.
fn ordered(members: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut listed: Vec<(&str, &Value)> = members
        .iter()
        .map(|(name, value)| (name.as_str(), value))
        .collect();
    listed.sort_by_key(|(name, _)| SIZE_ONLY.iter().position(|long| long == name));
    listed
}

fn shown(name: &str, value: &Value) -> String {
    match value {
        Value::String(content) if SIZE_ONLY.contains(&name) => format!("<{} bytes>", content.len()),
        Value::String(content) => both_ends(content),
        other => both_ends(&other.to_string()),
    }
}

fn both_ends(text: &str) -> String {
    // Bytes are no fewer than characters, so most texts need not be counted.
    let count = if text.len() <= MAX_WHOLE {
        0
    } else {
        text.chars().count()
    };
    if count <= MAX_WHOLE {
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
    fn a_preview_does_not_change_the_block() {
        let definition = ToolDefinition::new("create_file", "Creates.", json!({}));
        let arguments = json!({"content": "x".repeat(20), "path": "hello.py"});
        let request = ApprovalRequest::new("1", &definition, arguments, RiskLevel::SafeWrite)
            .unwrap()
            .with_files(vec!["hello.py".to_owned()])
            .with_preview(Some(crate::approval::Preview::diff("+xxx")));

        assert_eq!(request.to_string(), include_str!("prompt.txt"));
    }

    #[test]
    fn what_a_terminal_obeys_is_shown_and_cannot_forge_a_line() {
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
    fn the_end_of_a_long_parameter_is_shown_too() {
        let command = format!("true {}; rm -rf x", "é".repeat(5000));

        let prompt = prompt(json!({"command": command}), Vec::new());

        assert!(prompt.contains("é [… 4,065 characters …] é"), "{prompt}");
        assert!(prompt.contains("; rm -rf x\n"), "{prompt}");
    }

    #[test]
    fn many_parameters_and_files_are_counted() {
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
        fn no_name_no_value_and_no_path_adds_a_line(
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
