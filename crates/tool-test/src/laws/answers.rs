//! Laws about what a tool answers to good arguments and to bad ones.

use serde_json::Value;
use tool_core::error::ErrorReport;
use tool_core::{ErrorCode, Registry, Tool, ToolResult};

use super::spy::Spy;
use super::{Broken, generate};

/// What a text says that was cut, one of these.
const MARKS: [&str; 6] = ["…", "truncated", "more", "cut", "left out", "limit"];

pub(super) async fn check(registry: &Registry, spy: &Spy, tool: &dyn Tool) -> Vec<Broken> {
    let mut broken = Vec::new();
    let definition = tool.definition().clone();
    let (name, schema) = (definition.name(), definition.input_schema());
    for (parameter, arguments) in generate::invalid(schema) {
        let before = spy.runs();
        let result = registry.execute(name, arguments.clone()).await;
        broken.extend(refusal(&result, &parameter, &arguments));
        if spy.runs() > before {
            broken.push(Broken::new(
                "invalid arguments never reach the tool",
                arguments.to_string(),
            ));
        }
    }
    for arguments in generate::valid(schema) {
        let result = registry.execute(name, arguments.clone()).await;
        broken.extend(answer(&result, schema, &arguments));
    }
    broken
}

pub(super) fn refusal(result: &ToolResult, parameter: &str, arguments: &Value) -> Option<Broken> {
    let Some(error) = &result.error else {
        return Some(Broken::new(
            "invalid arguments are refused",
            arguments.to_string(),
        ));
    };
    let names_it = error.message.contains(&format!("`{parameter}`"));
    (!names_it).then(|| {
        Broken::new(
            "an error names the parameter as the model sees it",
            format!("`{parameter}` in {}", error.message),
        )
    })
}

fn answer(result: &ToolResult, schema: &Value, arguments: &Value) -> Option<Broken> {
    if result.metadata.bytes_dropped > 0 {
        let detail = format!("{} bytes too many", result.metadata.bytes_dropped);
        return Some(Broken::new("the output keeps within its limit", detail));
    }
    match &result.error {
        Some(error) => failure(error, schema, arguments),
        None => (!says_that_it_is_cut(result))
            .then(|| Broken::new("an output that was cut says so", arguments.to_string())),
    }
}

fn failure(error: &ErrorReport, schema: &Value, arguments: &Value) -> Option<Broken> {
    if error.code == ErrorCode::Panic {
        return Some(Broken::new(
            "no arguments make the tool panic",
            arguments.to_string(),
        ));
    }
    if error.message.trim().is_empty() {
        return Some(Broken::new(
            "every error says what is wrong",
            error.code.to_string(),
        ));
    }
    let code = error.code.as_str();
    let is_code =
        |letter: char| letter.is_ascii_lowercase() || letter == '_' || letter.is_ascii_digit();
    if code.is_empty() || !code.chars().all(is_code) {
        return Some(Broken::new(
            "every error has a code",
            format!("`{code}` is none: {}", error.message),
        ));
    }
    let parameter = error.parameter.as_deref()?;
    (!is_shown(schema, parameter)).then(|| {
        Broken::new(
            "an error names the parameter as the model sees it",
            format!("there is no `{parameter}`: {}", error.message),
        )
    })
}

/// Whether the model knows the parameter, or the one that this is a part of, such as `items[2].name`.
fn is_shown(schema: &Value, parameter: &str) -> bool {
    let whole = parameter.split(['.', '[', '/']).next().unwrap_or(parameter);
    let Some(properties) = schema.get("properties") else {
        return true;
    };
    properties.get(whole).is_some() || properties.get(parameter).is_some()
}

fn says_that_it_is_cut(result: &ToolResult) -> bool {
    let was_cut = result
        .data
        .as_ref()
        .and_then(|data| data.get("truncated"))
        .is_some_and(|cut| cut == true);
    if !was_cut || !result.warnings.is_empty() {
        return true;
    }
    let text = result.text().to_lowercase();
    MARKS.iter().any(|mark| text.contains(mark))
}
