//! Ollama's native chat endpoint.

use serde_json::{Map, Value, json};
use tool_core::LossKind;

use crate::decoded::{Choice, ReceivedCall, read};
use crate::providers::openai;
use crate::schema::{self, Losses};
use crate::stream::{
    Accumulator, CompleteResponse, DeltaSink, PushError, append, copy_members, merge,
};
use crate::transcript::{
    AssistantTurn, Conversation, ImageRules, Turn, TurnFields, WireCall, WireResult, joined,
    reasoning_text, result_text,
};
use crate::wire::{
    Draft, Endpoint, Extras, Framing, IdRule, NameRule, SourceTool, StreamSwitch, Strictness,
    UsageFields, Wire, WireChoice, WireTool, tools_beside,
};
use crate::{Block, DecodeError, Finish, Object, Reasoning, StreamError};

pub(crate) const WIRE: Wire = Wire {
    name: "ollama",
    endpoint: Endpoint {
        version: Some("api"),
        path: "chat",
        stream_switch: StreamSwitch::OnOrOff,
        framing: Framing::Lines,
        token_limit: "/options/num_predict",
        temperature: ("/options/temperature", 2.0),
        stop: ("/options/stop", usize::MAX),
        effort: "/think",
        usage: &[UsageFields {
            input: &["/prompt_eval_count"],
            output: &["/eval_count"],
            ..UsageFields::NONE
        }],
        ..Endpoint::CHAT_COMPLETIONS.at("http://127.0.0.1:11434")
    },
    // The server checks neither names nor ids; templates of the models insert them as text.
    names: NameRule::Free,
    ids: IdRule::Free,
    strictness: Strictness::Never,
    max_tools: None,
    max_description: None,
    extras: Extras {
        images: ImageRules::OLLAMA,
        ..Extras::NONE
    },
    tool,
    request,
    body: tools_beside,
    decode,
    accumulator: || Box::<Chat>::default(),
    encode,
};

/// Keywords that the server keeps. It drops others silently.
const KNOWN: [&str; 7] = [
    "anyOf",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "type",
];

/// Keywords that the server keeps at the root, and the description, which is sent separately.
const ROOT: [&str; 4] = ["description", "properties", "required", "type"];

pub(crate) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let schema = source.definition.input_schema();
    let (parameters, rules) = reduced_schema(schema, losses)?;
    let mut function = Object::new();
    function.insert("name".to_owned(), source.wire.into());
    let description = source.definition.description().into();
    function.insert("description".to_owned(), description);
    if !rules.is_empty() {
        schema::append(&mut function, &rules);
    }
    function.insert("parameters".to_owned(), parameters);
    let mut tool = crate::wire::member("function", function.into());
    tool.insert("type".to_owned(), "function".into());
    Ok(WireTool::plain(tool))
}

/// Returns the schema, and text about its root for the description of the tool.
fn reduced_schema(given: &Value, losses: &mut Losses) -> Result<(Value, String), String> {
    let mut schema = schema::modernized(given);
    // The server keeps `$defs` only at the root and drops `$ref`, so a reference would mean any value.
    schema::inline(&mut schema, losses)?;
    schema::root_object(&mut schema, losses)?;
    schema::merge_all_of(&mut schema, losses);
    // Convert the root first, so that no text is added to a description that is not sent.
    let rules = match &mut schema {
        Value::Object(root) => root_rules(root, losses),
        _ => String::new(),
    };
    schema::outer_first(&mut schema, &mut |object| schema::simplify(object, losses));
    schema::inner_first(&mut schema, &mut |object| {
        // `const` is among the keywords that the server drops silently.
        schema::const_to_enum(object);
        describe_map(object, losses);
        schema::keep_only(object, &KNOWN, losses);
        schema::require_known(object, losses);
    });
    Ok((schema::unmark(schema), rules))
}

/// Removes keywords from the root that the server drops. Returns text for those that a description
/// can express.
fn root_rules(root: &mut Object, losses: &mut Losses) -> String {
    if root.shift_remove("description").is_some() {
        let detail = "the provider does not support this keyword";
        losses.add_at(root, "description", LossKind::Dropped, detail);
    }
    describe_map(root, losses);
    schema::keep_only(root, &ROOT, losses);
    match root.shift_remove("description") {
        Some(Value::String(rules)) => rules,
        _ => String::new(),
    }
}

/// Moves the schema of the values of a map to the description.
fn describe_map(object: &mut Object, losses: &mut Losses) {
    let values = object.get("additionalProperties");
    if values.is_some_and(Value::is_object) {
        schema::describe(object, &["additionalProperties"], losses);
    }
}

/// Reduces the tools to express the choice. There is no tool choice and no switch for parallel
/// calls.
pub(crate) fn request(draft: &mut Draft<'_>) -> Object {
    if draft.choice == WireChoice::None {
        draft.tools.clear();
    }
    draft.reset_forced_choice("the provider does not support a forced tool choice");
    draft.record_parallel_loss();
    Object::new()
}

pub(crate) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let Some(error) = read::error(response) {
        return Ok(vec![read::failed(error)]);
    }
    let message = read::object(response, "message").ok_or(DecodeError::NoAnswer("message"))?;
    let thought = Some(read::text(message, "thinking")).filter(|text| !text.is_empty());
    let finish_raw = read::optional_text(response, "done_reason");
    Ok(vec![Choice {
        text: read::text(message, "content").to_owned(),
        reasoning: thought.map(Reasoning::new).into_iter().collect(),
        calls: calls(message),
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        ..Choice::default()
    }])
}

/// Returns the calls, sorted by index if each call has one.
fn calls(message: &Object) -> Vec<ReceivedCall> {
    let mut calls: Vec<&Object> = read::objects(message, "tool_calls").collect();
    let index = |call: &&Object| read::number(function(call), "index");
    if calls.iter().all(|call| index(call).is_some()) {
        calls.sort_by_key(index);
    }
    calls.into_iter().map(call).collect()
}

fn function(call: &Object) -> &Object {
    match call.get("function") {
        Some(Value::Object(function)) => function,
        _ => call,
    }
}

fn call(call: &Object) -> ReceivedCall {
    openai::function(read::optional_text(call, "id"), function(call))
}

fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        _ => Finish::Other,
    }
}

/// Stream of the chat endpoint.
#[derive(Debug, Default)]
struct Chat {
    message: Object,
    calls: Vec<Value>,
    /// Other members of the response.
    members: Object,
    error: Option<StreamError>,
}

impl Chat {
    fn add(&mut self, message: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        for key in ["content", "thinking"] {
            append(&mut self.message, key, read::text(message, key));
        }
        sink.reasoning(0, read::text(message, "thinking"));
        sink.text(0, read::text(message, "content"));
        // Each line has complete calls, so nothing is joined.
        for call in read::objects(message, "tool_calls") {
            sink.count_part()?;
            let (number, called) = (self.calls.len(), function(call));
            let (id, name) = (read::text(call, "id"), read::text(called, "name"));
            sink.call(0, number, id, name);
            let arguments = match called.get("arguments") {
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => String::new(),
            };
            sink.arguments(0, number, &arguments);
            self.calls.push(Value::Object(call.clone()));
        }
        Ok(())
    }
}

impl Accumulator for Chat {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        if let Some(error) = read::error(event) {
            self.error = Some(error);
        }
        if let Some(Value::Object(message)) = event.get("message") {
            self.add(message, sink)?;
        }
        let kept = ["done", "done_reason", "prompt_eval_count", "eval_count"];
        copy_members(&mut self.members, event, &kept);
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.members.get("done") == Some(&true.into()) || self.members.contains_key("done_reason")
    }

    fn finish(&mut self) -> CompleteResponse {
        let mut message = std::mem::take(&mut self.message);
        let calls = json!(std::mem::take(&mut self.calls));
        message.insert("tool_calls".to_owned(), calls);
        let mut response = Object::new();
        merge(&mut response, Some(&json!({"message": message})));
        response.append(&mut self.members);
        CompleteResponse {
            response,
            error: self.error.take(),
            open: Vec::new(),
        }
    }
}

pub(crate) fn encode(conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { text, .. } => messages.push(json!({"role": "system", "content": text})),
            Turn::User { blocks, .. } => {
                let message = json!({"role": "user", "content": joined(&blocks)});
                messages.push(with_images(message, &blocks));
            }
            Turn::Assistant(turn) => messages.push(assistant(turn, conversation)),
            Turn::Results(answers) => messages.extend(answers.iter().map(result)),
        }
    }
    json!({"messages": messages})
}

fn with_images(mut message: Value, blocks: &[Block]) -> Value {
    let images: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Image { data, .. } => Some(data.as_str()),
            _ => None,
        })
        .collect();
    if let (false, Value::Object(message)) = (images.is_empty(), &mut message) {
        message.insert("images".to_owned(), images.into());
    }
    message
}

fn assistant(mut turn: AssistantTurn, conversation: &mut Conversation) -> Value {
    let detail = "the provider only accepts the text of reasoning";
    conversation.keep_own_reasoning(&mut turn, detail, |reasoning| !reasoning.text.is_empty());
    conversation.record_reordered(&turn, false);
    let TurnFields {
        reasoning,
        text,
        calls,
    } = turn.parts.into();
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), text.into());
    let thoughts = reasoning_text(&reasoning);
    if !thoughts.is_empty() {
        message.insert("thinking".to_owned(), thoughts.into());
    }
    if !calls.is_empty() {
        let calls: Value = calls.into_iter().map(wire_call).collect();
        message.insert("tool_calls".to_owned(), calls);
    }
    Value::Object(message)
}

fn wire_call(call: WireCall) -> Value {
    let mut wire = Map::new();
    if !call.local {
        wire.insert("id".to_owned(), call.id.into());
    }
    let function = json!({"name": call.name, "arguments": call.arguments});
    wire.insert("function".to_owned(), function);
    Value::Object(wire)
}

fn result(answer: &WireResult) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), "tool".into());
    // Results also carry the name, because older versions of Ollama have no ids.
    message.insert("tool_name".to_owned(), answer.name.as_str().into());
    if !answer.local {
        message.insert("tool_call_id".to_owned(), answer.id.as_str().into());
    }
    message.insert("content".to_owned(), result_text(answer).into());
    with_images(Value::Object(message), &answer.content)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use super::*;
    use crate::{Provider, decode};

    #[test]
    fn describes_keywords_that_server_drops() {
        let given = json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer", "description": "Number of items", "minimum": 1, "default": 5},
                "kind": {"const": "a"},
                "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            },
        });
        let mut losses = Losses::new("f");

        let (schema, _) = reduced_schema(&given, &mut losses).unwrap();

        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "n": {"type": "integer", "description": "Number of items. Default: 5. At least 1."},
                    "kind": {"enum": ["a"]},
                    "map": {
                        "type": "object",
                        "description": "Any key; each value matches the schema {\"type\":\"integer\"}.",
                    },
                },
            })
        );
        assert!(losses.only_described());
    }

    #[test]
    fn describes_root_keywords_in_tool_description() {
        let given =
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "minProperties": 1});
        let tool = ToolDefinition::new("f", "Does it", given);

        let converted = Provider::Ollama.convert(&[tool]);

        let function = &converted.tools[0]["function"];
        assert_eq!(function["description"], "Does it. At least 1 keys.");
        assert_eq!(converted.losses[0].action, LossKind::Described);
    }

    #[test]
    fn sorts_calls_by_index_if_all_have_one() {
        let call = |name: &str, index: Option<u64>| json!({"function": {"name": name, "index": index, "arguments": {}}});
        for (calls, names) in [
            ([call("b", Some(1)), call("a", Some(0))], ["a", "b"]),
            ([call("b", Some(1)), call("a", None)], ["b", "a"]),
        ] {
            let response = json!({"message": {"tool_calls": calls}, "done_reason": "stop"});

            let decoded = decode(Provider::Ollama, &response, None).unwrap();

            let reported: Vec<&str> = decoded
                .calls
                .iter()
                .map(|call| call.name.as_str())
                .collect();
            assert_eq!(reported, names);
        }
    }
}
