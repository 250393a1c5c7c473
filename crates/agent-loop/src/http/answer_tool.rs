//! Tool that returns the final answer, for providers without a native form.

use std::sync::Arc;

use provider_adapters::{Finish, MessagePart, ProviderDialect};
use serde_json::Value;
use tool_core::{Dialect, ProviderTools, Registry, RiskLevel, ToolDefinition};

use crate::{ModelCall, ModelReply};

const NAME: &str = "final_answer";
const DESCRIPTION: &str =
    "Returns the final answer to the user. Call it once, after all other calls, and alone.";

/// Converts the tools and the answer tool. Returns `None` if the schema is not an object schema, or
/// if a tool has the same name.
pub(super) fn with_answer(
    dialect: &ProviderDialect,
    tools: &Registry,
    schema: &Value,
) -> Option<Arc<ProviderTools>> {
    if schema.get("type")? != "object" || tools.get(NAME).is_some() {
        return None;
    }
    let answer = ToolDefinition::new(NAME, DESCRIPTION, schema.clone());
    let mut definitions = tools.list();
    definitions.push(answer.with_risk(RiskLevel::ReadOnly));
    Some(Arc::new(dialect.convert(&definitions)))
}

/// Replaces a call of the answer tool with the text of the answer. If there are other calls, they
/// run first, and the model calls it again.
pub(super) fn answered(mut reply: ModelReply) -> ModelReply {
    let Some(answer) = reply.calls.iter().find(|call| is_answer(call)) else {
        return reply;
    };
    let text = answer.call.arguments.to_text();
    remove_answers(&mut reply);
    if reply.calls.is_empty() {
        reply.text = text;
        // The order lists the replaced text.
        reply.order.clear();
        if reply.finish == Finish::Calls {
            reply.finish = Finish::Stop;
        }
    }
    reply
}

fn is_answer(call: &ModelCall) -> bool {
    call.call.name == NAME
}

/// Removes the calls of the answer tool, with their places in the order.
fn remove_answers(reply: &mut ModelReply) {
    let mut calls = reply.calls.iter();
    reply.order.retain(|part| {
        let is_call = *part == MessagePart::Call;
        !is_call || !calls.next().is_some_and(is_answer)
    });
    reply.calls.retain(|call| !is_answer(call));
}

#[cfg(test)]
mod tests {
    use provider_adapters::Reasoning;
    use serde_json::json;
    use tool_core::ToolCall;

    use super::*;

    #[test]
    fn answer_call_becomes_text_unless_others_follow() {
        let answer = || ToolCall::new(NAME, json!({"total": 3}));
        let other = || ToolCall::new("add", json!({}));

        let alone = answered(ModelReply::calls([answer()]));
        let both = answered(ModelReply::calls([answer(), other()]));

        assert_eq!(alone, ModelReply::text("{\"total\":3}"));
        assert_eq!((both.text.as_str(), both.calls.len()), ("", 1));
        assert_eq!(both.finish, Finish::Calls);
    }

    #[test]
    fn other_calls_keep_their_order_and_reasoning() {
        use MessagePart::{Call, Reasoning as Thought};
        let call = |name: &str| ToolCall::new(name, json!({}));
        let mut reply = ModelReply::calls([call(NAME), call("add"), call("list"), call(NAME)]);
        reply.reasoning = ["1", "2"].map(Reasoning::new).to_vec();
        reply.order = vec![Thought, Call, Call, Thought, Call, Call];

        let left = answered(reply);

        let names: Vec<&str> = left.calls.iter().map(|asked| &*asked.call.name).collect();
        assert_eq!(names, ["add", "list"]);
        assert_eq!(left.order, [Thought, Call, Thought, Call]);
    }

    #[test]
    fn answer_replaces_text_and_calls() {
        let mut reply =
            ModelReply::calls([ToolCall::new(NAME, json!({"total": 3}))]).with_text("Done:");
        reply.reasoning = vec![Reasoning::new("1")];
        reply.order = vec![
            MessagePart::Text { bytes: 5 },
            MessagePart::Reasoning,
            MessagePart::Call,
        ];

        let answer = answered(reply);

        assert_eq!(
            (answer.text.as_str(), answer.order),
            ("{\"total\":3}", vec![])
        );
    }
}
