//! Who may call a tool: the model, and code that it has written.

use serde_json::{Map, Value};
use tool_core::LossKind;

use crate::StrictMode;
use crate::schema::{self, Losses};
use crate::wire::{Asked, Draft};

/// The model itself.
const DIRECT: &str = "direct";

/// The tool as its callers allow it to be asked for, with those that are told.
pub(super) fn settle<'a>(
    asked: Asked<'a>,
    losses: &mut Losses,
) -> (Asked<'a>, Option<&'a [String]>) {
    let callers = asked.callers();
    if !callers.is_some_and(|callers| callers.iter().any(|caller| caller != DIRECT)) {
        return (asked, callers);
    }
    if schema::is_recursive(asked.definition.input_schema()) {
        let detail = "code cannot call a tool whose schema goes on inside itself, so that the model itself does";
        losses.add("", "allowed_callers", LossKind::Degraded, detail);
        return (asked, None);
    }
    if asked.strict == StrictMode::On {
        let detail = "sent without strict: a tool that code calls cannot be strict";
        losses.add("", "strict", LossKind::Degraded, detail);
    }
    let strict = StrictMode::Off;
    (Asked { strict, ..asked }, callers)
}

/// Leaves several calls at once allowed where code calls tools.
pub(super) fn leave_parallel(draft: &mut Draft) {
    let mut tools = draft.tools.iter().filter_map(|(_, tool)| tool.as_object());
    if draft.parallel == Some(false) && tools.any(is_called_by_code) {
        draft.parallel = None;
        draft.degrade(
            "parallel_tool_calls",
            "the provider cannot be told to ask for one call at a time while code calls tools",
        );
    }
}

fn is_called_by_code(tool: &Map<String, Value>) -> bool {
    let callers = tool.get("allowed_callers").and_then(Value::as_array);
    callers.is_some_and(|callers| callers.iter().any(|caller| caller != DIRECT))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ProviderTools, ToolDefinition};

    use crate::{Options, Provider};

    use super::*;

    fn convert(options: Options, schema: Value) -> ProviderTools {
        let options = options.with_allowed_callers("f", ["code_execution_20260120"]);
        let tool = ToolDefinition::new("f", "F", schema);
        Provider::Anthropic.with_options(options).convert(&[tool])
    }

    fn keywords(converted: &ProviderTools) -> Vec<&str> {
        let losses = converted.losses.iter();
        losses.map(|loss| loss.keyword.as_str()).collect()
    }

    #[test]
    fn a_tool_that_code_calls_is_not_strict() {
        for (mode, lost) in [(StrictMode::Auto, vec![]), (StrictMode::On, vec!["strict"])] {
            let converted = convert(Options::default().with_strict(mode), json!({}));

            assert_eq!(
                converted.tools,
                json!([{
                    "name": "f",
                    "description": "F",
                    "input_schema": {"type": "object", "properties": {}},
                    "allowed_callers": ["code_execution_20260120"],
                }])
            );
            assert_eq!(keywords(&converted), lost);
        }
    }

    #[test]
    fn code_calls_no_tool_whose_schema_goes_on_inside_itself() {
        let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});

        let converted = convert(Options::default(), schema);

        assert_eq!(converted.tools[0].get("allowed_callers"), None);
        assert_eq!(keywords(&converted), ["allowed_callers"]);
    }

    #[test]
    fn one_call_at_a_time_cannot_be_asked_for_while_code_calls() {
        let one_at_a_time = Options::default().with_parallel(Some(false));

        let by_code = convert(one_at_a_time.clone(), json!({}));
        let direct = Provider::Anthropic
            .with_options(one_at_a_time.with_allowed_callers("f", ["direct"]))
            .convert(&[ToolDefinition::new("f", "F", json!({}))]);

        assert_eq!(by_code.request["tool_choice"], json!({"type": "auto"}));
        assert_eq!(keywords(&by_code), ["parallel_tool_calls"]);
        assert_eq!(
            direct.request["tool_choice"]["disable_parallel_tool_use"],
            json!(true)
        );
    }
}
