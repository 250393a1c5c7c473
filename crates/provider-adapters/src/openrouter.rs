//! Where `OpenRouter` differs from Chat Completions of OpenAI.

use serde_json::{Map, Value};

use crate::encode::{AssistantTurn, Conversation, IdRule};
use crate::openai::{self, Habits};
use crate::wire::Wire;

pub(crate) const WIRE: Wire = Wire {
    // Requests go on to models of many makers: the strictest rule on ids holds, and limits on tools are theirs.
    ids: IdRule::Portable,
    max_tools: None,
    // Some of the models do not see definitions.
    tool: openai::inlining_tool,
    encode,
    ..openai::COMPATIBLE_WIRE
};

fn encode(conversation: &mut Conversation) -> Value {
    let habits = Habits {
        reasoning: details,
        dropped: "the provider takes back only details that it has given",
        ..Habits::COMPATIBLE
    };
    openai::encode_by(&habits, conversation)
}

/// The details as they came.
fn details(turn: &AssistantTurn) -> Option<Map<String, Value>> {
    let given = |data: &Value| data.get("reasoning_details").cloned();
    let mut data = turn
        .reasoning
        .iter()
        .filter_map(|piece| piece.provider_data.as_ref());
    let details = data.find_map(given).filter(Value::is_array)?;
    Some(crate::request::member("reasoning_details", details))
}
