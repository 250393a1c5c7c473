//! Callers of a tool: the model, and code that it writes.

use serde_json::Value;
use tool_core::LossKind;

use crate::schema::{self, Losses};
use crate::wire::{Draft, SourceTool};
use crate::{Object, StrictMode};

/// The model itself.
const DIRECT: &str = "direct";

/// Returns the tool with the strict mode that its callers allow, and the callers to send.
pub(super) fn settle<'a>(
    source: SourceTool<'a>,
    losses: &mut Losses,
) -> (SourceTool<'a>, Option<&'a [String]>) {
    let callers = source.callers();
    if !callers.is_some_and(|callers| callers.iter().any(|caller| caller != DIRECT)) {
        return (source, callers);
    }
    if schema::is_recursive(source.definition.input_schema()) {
        let detail = "code cannot call a tool with a recursive schema; only the model may call it";
        losses.add("", "allowed_callers", LossKind::Degraded, detail);
        return (source, None);
    }
    if source.strict == StrictMode::On {
        let detail = "the tool is not strict because code may call it";
        losses.add("", "strict", LossKind::Degraded, detail);
    }
    let strict = StrictMode::Off;
    (SourceTool { strict, ..source }, callers)
}

/// Allows parallel calls if code may call a tool, because the provider requires them.
pub(super) fn leave_parallel(draft: &mut Draft<'_>) {
    let mut tools = draft.tools.iter().filter_map(|(_, tool)| tool.as_object());
    if draft.parallel == Some(false) && tools.any(is_called_by_code) {
        draft.parallel = None;
        let detail = "the provider cannot disable parallel calls if code may call a tool";
        draft.degrade("parallel_tool_calls", detail);
    }
}

fn is_called_by_code(tool: &Object) -> bool {
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
    fn tool_with_code_caller_is_not_strict() {
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
    fn drops_code_callers_of_recursive_schema() {
        let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});

        let converted = convert(Options::default(), schema);

        assert_eq!(converted.tools[0].get("allowed_callers"), None);
        assert_eq!(keywords(&converted), ["allowed_callers"]);
    }

    #[test]
    fn keeps_parallel_calls_with_code_callers() {
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
