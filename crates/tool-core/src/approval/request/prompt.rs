//! The prompt of a request.

use std::fmt;

use serde_json::{Map, Value};

use super::ApprovalRequest;
use crate::approval::preview::visible;
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

/// Writes the prompt for a person: the permissions that approval gives, then every argument, of long ones both ends and the
/// number of omitted characters. Permissions and commands are complete: the omitted part could be the dangerous one. The
/// alternate form, `{:#}`, shows only the size of `content`, `old_string` and `new_string`, and the permissions after the risk.
impl fmt::Display for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_short = f.alternate();
        self.write_details(f, is_short)?;
        f.write_str("\nApprove? (y/n/always): ")
    }
}

impl ApprovalRequest {
    /// Returns what a form or a page shows above its own buttons: the prompt without its question, and the preview of the
    /// changes.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::approval::{ApprovalRequest, Preview};
    /// use tool_core::{RiskLevel, ToolDefinition};
    ///
    /// let definition = ToolDefinition::new("write_file", "Writes a file.", json!({}));
    /// let arguments = json!({"path": "notes.txt"});
    /// let mut request = ApprovalRequest::new("call_1", &definition, arguments, RiskLevel::SafeWrite);
    /// request.preview = Some(Preview::diff("-one\n+two\n"));
    /// assert_eq!(request.details(), "\
    /// Tool: write_file
    /// Parameters:
    ///   path: notes.txt
    /// Risk level: safe_write
    ///
    /// -one
    /// +two
    /// ");
    /// ```
    pub fn details(&self) -> String {
        let mut details = String::new();
        // Cannot fail: a string takes everything.
        let _ = self.write_details(&mut details, false);
        match &self.preview {
            Some(preview) => format!("{details}\n{preview}"),
            None => details,
        }
    }

    fn write_details(&self, f: &mut dyn fmt::Write, is_short: bool) -> fmt::Result {
        if !is_short {
            self.write_grants(f)?;
        }
        writeln!(f, "Tool: {}\nParameters:", visible(&self.tool))?;
        let members = self.arguments.as_object().map(ordered).unwrap_or_default();
        for (name, value) in members.iter().take(MAX_LISTED) {
            let short: String = name.chars().take(MAX_NAME).collect();
            let value = if is_short && SIZE_ONLY.contains(name) {
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
        writeln!(f, "Risk level: {}", self.risk)?;
        if is_short {
            self.write_grants(f)?;
        }
        Ok(())
    }

    fn write_grants(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        if self.grants.is_empty() {
            return Ok(());
        }
        let grants: Vec<String> = self.grants.iter().map(|grant| separable(grant)).collect();
        writeln!(f, "Approval gives: {}", grants.join("; "))
    }

    fn write_files(&self, f: &mut dyn fmt::Write) -> fmt::Result {
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
    // Long strings last, so that they do not push the short parameters out of sight.
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

/// Returns a grant on one line. A name with `;` is quoted, so that it does not look like several grants.
fn separable(grant: &str) -> String {
    // Quoted, because a path with `;` would look like two permissions.
    if grant.contains([';', '"']) {
        visible(&format!("{grant:?}"))
    } else {
        visible(grant)
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
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{CallPlan, RiskLevel, ToolDefinition};

    fn request(arguments: Value) -> ApprovalRequest {
        let definition = ToolDefinition::new("f", "F", json!({}));
        ApprovalRequest::new("1", &definition, arguments, RiskLevel::Dangerous)
    }

    fn prompt(arguments: Value, files: Vec<String>) -> String {
        let mut request = request(arguments);
        request.files_affected = files;
        request.to_string()
    }

    fn with_grants(grants: &[&str]) -> ApprovalRequest {
        let grants = grants.iter().map(|grant| (*grant).to_owned());
        let mut request = request(json!({}));
        request.grants = grants.collect();
        request
    }

    #[test]
    fn preview_is_not_part_of_prompt() {
        let definition = ToolDefinition::new("create_file", "Creates.", json!({}));
        let arguments = json!({"content": "x".repeat(20), "path": "hello.py"});
        let plan = CallPlan::of(RiskLevel::SafeWrite).writes("hello.py");
        let mut request = ApprovalRequest::new("1", &definition, arguments, plan);
        request.preview = Some(crate::approval::Preview::diff("+xxx"));

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
    fn escapes_every_invisible_character() {
        let table = [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{2028}',
            '\u{202e}',
            '\u{2060}',
            '\u{2065}',
            '\u{2800}',
            '\u{3164}',
            '\u{fe00}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e01ef}',
            '\u{a0}',
            '\u{2003}',
            '\u{202f}',
            '\u{3000}',
            '\u{7f}',
            '\u{9b}',
        ];
        for letter in table {
            let name = format!("a{letter}.txt");
            let code = format!("a\\u{{{:x}}}.txt", u32::from(letter));

            let mut request = request(json!({"path": name, (name.as_str()): {"in": [name]}}));
            request.files_affected = vec![name.clone()];
            request.grants = vec![format!("write:{name}")];
            request.reason = Some(name);

            for prompt in [request.to_string(), format!("{request:#}")] {
                assert!(!prompt.contains(letter), "{prompt:?}");
                assert_eq!(prompt.matches(&code).count(), 6, "{prompt}");
            }
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
    fn grants_are_first_or_after_the_risk() {
        let request = with_grants(&["network", "write:~/x"]);

        assert_eq!(
            request.to_string(),
            "Approval gives: network; write:~/x\nTool: f\nParameters:\nRisk level: dangerous\n\n\
            Approve? (y/n/always): "
        );
        assert_eq!(
            format!("{request:#}"),
            "Tool: f\nParameters:\nRisk level: dangerous\nApproval gives: network; write:~/x\n\n\
            Approve? (y/n/always): "
        );
    }

    #[test]
    fn grants_are_complete_and_distinct() {
        let long = format!("write:/{}/end", "é".repeat(5000));
        let many: Vec<String> = (0..300).map(|n| format!("write:/{n}/")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (grants, shown) in [
            (vec![long.as_str()], long.clone()),
            (many.clone(), many.join("; ")),
            (
                vec!["write:/a; network"],
                r#""write:/a; network""#.to_owned(),
            ),
            (vec!["write:/a\nTool: x"], r"write:/a\nTool: x".to_owned()),
            (vec!["write:/a\u{202e}b"], r"write:/a\u{202e}b".to_owned()),
        ] {
            let line = format!("Approval gives: {shown}\n");

            let request = with_grants(&grants);

            assert!(request.to_string().starts_with(&line), "{request}");
            assert!(format!("{request:#}").contains(&line), "{request:#}");
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

            let mut request = request(Value::Object(members));
            request.grants = vec![file.clone()];
            request.files_affected = vec![file];
            let prompt = request.to_string();

            prop_assert_eq!(prompt.lines().count(), count + 7);
            prop_assert!(prompt.chars().all(|letter| letter == '\n' || !letter.is_control()));
        }
    }
}
