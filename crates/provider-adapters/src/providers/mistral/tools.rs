//! Request members. Tools are converted as for Chat Completions.

use crate::Object;
use crate::providers::openai;
use crate::wire::{Draft, WireChoice};

pub(super) fn request(draft: &mut Draft<'_>) -> Object {
    if draft.choice == WireChoice::None {
        // Models that receive tools, but must not call them, write calls into their text.
        draft.tools.clear();
    }
    let mut extra = openai::compatible_request(draft);
    if draft.choice == WireChoice::Required {
        extra.insert("tool_choice".to_owned(), "any".into());
    }
    extra
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider, ToolChoice};

    #[test]
    fn converts_every_tool_choice() {
        let tools = ["f", "g", "h"].map(|name| ToolDefinition::new(name, "", json!({})));
        let one = json!({"type": "function", "function": {"name": "f"}});
        for (choice, word, sent) in [
            (ToolChoice::Auto, json!("auto"), 3),
            (ToolChoice::None, Value::Null, 0),
            (ToolChoice::Required, json!("any"), 3),
            (ToolChoice::named(["f"]), one, 3),
            (ToolChoice::named(["f", "g"]), json!("any"), 2),
        ] {
            let options = Options::default().with_choice(choice.clone());

            let converted = Provider::Mistral.with_options(options).convert(&tools);

            let actual = converted.request.get("tool_choice").cloned();
            assert_eq!(actual.unwrap_or_default(), word, "{choice:?}");
            assert_eq!(converted.tools.as_array().map(Vec::len), Some(sent));
        }
    }
}
