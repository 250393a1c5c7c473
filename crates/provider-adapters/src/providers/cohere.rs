//! Cohere Chat, version 2: Chat Completions with a plan before the calls, and other streams.

use serde_json::{Map, Value, json};

use crate::decoded::{Choice, StreamError, read};
use crate::providers::openai;
use crate::schema;
use crate::stream::{
    Accumulator, Blocks, CallChunk, Calls, CompleteResponse, DeltaSink, PushError, append, merge,
};
use crate::transcript::{AssistantTurn, Conversation, Turn, TurnPart, WireResult, result_text};
use crate::wire::{
    Draft, Endpoint, IdRule, StreamSwitch, Strictness, UsageFields, Wire, WireChoice,
};
use crate::{Block, DecodeError, Finish, Object, Reasoning, StrictMode};

pub(crate) const WIRE: Wire = Wire {
    name: "cohere",
    endpoint: Endpoint {
        version: Some("v2"),
        path: "chat",
        stream_switch: StreamSwitch::Flag,
        token_limit: "/max_tokens",
        temperature: ("/temperature", 1.0),
        stop: ("/stop_sequences", 5),
        effort: "",
        usage: &[
            UsageFields {
                input: &["/usage/tokens/input_tokens"],
                output: &["/usage/tokens/output_tokens"],
                ..USAGE
            },
            UsageFields {
                input: &["/usage/billed_units/input_tokens"],
                output: &["/usage/billed_units/output_tokens"],
                ..USAGE
            },
        ],
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.cohere.com")
    },
    ids: IdRule::Short,
    strictness: Strictness::OfRequest,
    max_tools: None,
    request,
    decode,
    accumulator: || Box::<Chat>::default(),
    encode,
    ..openai::COMPATIBLE_WIRE
};

const USAGE: UsageFields = UsageFields {
    cached: &["/usage/cached_tokens"],
    ..UsageFields::NONE
};

/// Type of reasoning that contains the plan before the calls.
const PLAN: &str = "tool_plan";

/// Maximum number of fields in all strict tools of one request. Not documented.
const MAX_FIELDS: usize = 200;

/// Converts a tool. Strict mode applies to the request instead of a tool.
/// Returns the tool choice, which is omitted for `auto`, and the switch for strict tools.
fn request(draft: &mut Draft<'_>) -> Object {
    draft.keep_chosen();
    draft.record_parallel_loss();
    let word = match &draft.choice {
        WireChoice::Auto => None,
        WireChoice::None => Some("NONE"),
        WireChoice::Required | WireChoice::Named(_) => Some("REQUIRED"),
    };
    let mut extra = Object::new();
    extra.extend(word.map(|word| ("tool_choice".to_owned(), word.into())));
    if draft.options.strict == StrictMode::On {
        match unsupported_choice(draft) {
            None => {
                extra.insert("strict_tools".to_owned(), true.into());
            }
            Some(reason) => draft.degrade("strict", reason),
        }
    }
    extra
}

/// Returns the reason why the tools cannot be strict.
fn unsupported_choice(draft: &Draft<'_>) -> Option<String> {
    let mut fields = 0;
    for (wire, tool) in &draft.tools {
        let parameters = tool.pointer("/function/parameters").unwrap_or(&Value::Null);
        let required = parameters.get("required").and_then(Value::as_array);
        // Cohere rejects a strict request with a tool that has no required parameter.
        if required.is_none_or(Vec::is_empty) {
            return Some(format!(
                "the tools are not strict because `{wire}` has no required parameter"
            ));
        }
        schema::visit_all(parameters, &mut |object| {
            let properties = object.get("properties").and_then(Value::as_object);
            fields += properties.map_or(0, Object::len);
        });
    }
    (fields > MAX_FIELDS).then(|| {
        format!(
            "the tools are not strict because they have {fields} fields; at most {MAX_FIELDS} are allowed"
        )
    })
}

fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let Some(error) = read::error(response) {
        return Ok(vec![read::failed(error)]);
    }
    let message = match response.get("message") {
        Some(Value::Object(message)) => message,
        Some(Value::String(message)) => {
            return Ok(vec![read::failed(StreamError::new("error", message))]);
        }
        _ => return Err(DecodeError::NoAnswer("message")),
    };
    let finish_raw = read::optional_text(response, "finish_reason");
    let finish = finish(finish_raw.as_deref());
    let failed = || {
        let word = finish_raw.as_deref().unwrap_or("error");
        StreamError::new(word, "the provider stopped the response with an error")
    };
    let mut choice = Choice {
        error: (finish == Finish::Error).then(failed),
        finish,
        finish_raw,
        ..Choice::default()
    };
    take_message(&mut choice, message);
    Ok(vec![choice])
}

/// Reads the parts of the content in their order, the plan that the model wrote before its calls, and the calls.
fn take_message(choice: &mut Choice, message: &Object) {
    choice.push_text(read::text(message, "content"));
    for part in read::objects(message, "content") {
        match read::text(part, "type") {
            "thinking" => choice.push_reasoning(
                Reasoning::new(read::text(part, "thinking"))
                    .with_provider_data(Some(part.clone().into())),
            ),
            "text" => choice.push_text(read::text(part, "text")),
            _ => choice.push_reasoning(Reasoning::kept(PART, part)),
        }
    }
    let plan = read::text(message, PLAN);
    if !plan.is_empty() {
        let data = json!({"type": PLAN});
        choice.push_reasoning(Reasoning::new(plan).with_provider_data(Some(data)));
    }
    read::objects(message, "tool_calls").for_each(|call| choice.push_call(openai::call(call)));
}

/// Key of a part that is sent back unchanged.
const PART: &str = "cohere_part";

fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("COMPLETE" | "STOP_SEQUENCE") => Finish::Stop,
        Some("TOOL_CALL") => Finish::Calls,
        Some("MAX_TOKENS") => Finish::Length,
        Some("ERROR" | "TIMEOUT") => Finish::Error,
        _ => Finish::Other,
    }
}

/// Stream of Chat, version 2.
#[derive(Debug, Default)]
struct Chat {
    blocks: Blocks,
    plan: Object,
    calls: Calls,
    /// Members of the `message-end` event.
    reported: Object,
    error: Option<StreamError>,
    has_ended: bool,
}

impl Chat {
    fn add_content(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let Some(Value::Object(content)) =
            message(event).and_then(|reported| reported.get("content"))
        else {
            return Ok(());
        };
        let block = self.blocks.open(read::number(event, "index"), sink)?;
        for (key, value) in content {
            match value {
                Value::String(text) if key == "text" || key == "thinking" => {
                    append(&mut block.value, key, text);
                }
                other => {
                    block.value.insert(key.clone(), other.clone());
                }
            }
        }
        sink.text(0, read::text(content, "text"));
        sink.reasoning(0, read::text(content, "thinking"));
        Ok(())
    }

    /// Adds a call delta. `tool_calls` is a single call instead of an array.
    fn add_call(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let reported = message(event).and_then(|reported| reported.get("tool_calls"));
        // The API sends one call as an object, unlike in complete responses.
        let call = match reported {
            Some(Value::Array(calls)) => calls.first(),
            other => other,
        };
        let Some(Value::Object(call)) = call else {
            return Ok(());
        };
        self.calls.next_event();
        let entry = CallChunk::read(call).at(read::number(event, "index"));
        self.calls.push(0, entry, sink)
    }
}

fn message(event: &Object) -> Option<&Object> {
    event.get("delta")?.get("message")?.as_object()
}

impl Accumulator for Chat {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        match read::text(event, "type") {
            // A start event has the members of the first delta, so both are added.
            "content-start" | "content-delta" => self.add_content(event, sink)?,
            "content-end" => self.blocks.close(read::number(event, "index")),
            "tool-plan-delta" => {
                let plan = message(event).map_or("", |reported| read::text(reported, PLAN));
                append(&mut self.plan, PLAN, plan);
                sink.reasoning(0, plan);
            }
            "tool-call-start" | "tool-call-delta" => self.add_call(event, sink)?,
            "tool-call-end" => self.calls.close(read::number(event, "index")),
            "message-end" => {
                merge(&mut self.reported, event.get("delta"));
                self.has_ended = true;
            }
            _ => {
                let message = || read::optional_text(event, "message");
                let error = read::error(event)
                    .or_else(|| message().map(|message| StreamError::new("error", message)));
                self.error = error.or(self.error.take());
            }
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn finish(&mut self) -> CompleteResponse {
        let (content, _) = self
            .blocks
            .finish(|block| Value::Object(std::mem::take(&mut block.value)));
        let (calls, open) = std::mem::take(&mut self.calls).into_wire();
        let mut message = std::mem::take(&mut self.plan);
        message.extend([
            ("content".to_owned(), content),
            ("tool_calls".to_owned(), json!(calls)),
        ]);
        let mut response = std::mem::take(&mut self.reported);
        let reported = read::error(&response);
        response.shift_remove("error");
        response.insert("message".to_owned(), Value::Object(message));
        CompleteResponse {
            response,
            error: self.error.take().or(reported),
            open,
        }
    }
}

fn encode(conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { text, .. } => messages.push(json!({"role": "system", "content": text})),
            Turn::User { blocks, .. } => messages.push(openai::user(&blocks)),
            Turn::Assistant(turn) => messages.extend(assistant(turn, conversation)),
            Turn::Results(answers) => {
                messages.extend(answers.iter().map(result));
                let images = openai::image_turn(&answers, conversation);
                messages.extend(images.map(|blocks| openai::user(&blocks)));
            }
        }
    }
    json!({"messages": messages})
}

fn assistant(mut turn: AssistantTurn, conversation: &mut Conversation) -> Option<Value> {
    let has_calls = turn.calls().next().is_some();
    let detail = "the provider only accepts reasoning from its own models";
    // The plan belongs to the calls, and is not a part of the content.
    conversation.keep_own_reasoning(&mut turn, detail, |reasoning| {
        kind(reasoning).is_some_and(|kind| kind != PLAN || has_calls)
    });
    conversation.record_reordered(&turn, true);
    let (mut plans, mut parts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for part in turn.parts {
        match part {
            TurnPart::Reasoning(plan) if kind(&plan) == Some(PLAN) => plans.push(plan.text),
            TurnPart::Reasoning(thought) => parts.extend(thought.into_block(PART)),
            TurnPart::Text { text, .. } => parts.push(json!({"type": "text", "text": text})),
            TurnPart::Call(call) => calls.push(openai::wire_call(call)),
        }
    }
    if parts.is_empty() && calls.is_empty() {
        conversation.record_empty(turn.pointer);
        return None;
    }
    let mut message = Map::from_iter([("role".to_owned(), "assistant".into())]);
    if !plans.is_empty() {
        message.insert(PLAN.to_owned(), plans.join("\n").into());
    }
    if !parts.is_empty() {
        message.insert("content".to_owned(), openai::texts_or_chunks(parts));
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    Some(Value::Object(message))
}

/// Returns the kind of the provider's own reasoning. Reasoning of other providers has a signature
/// or another format.
fn kind(reasoning: &Reasoning) -> Option<&str> {
    let data = reasoning.provider_data.as_ref()?;
    if reasoning.is_kept(PART) {
        return Some(PART);
    }
    let is_foreign =
        data.get("signature").is_some() || data.get("thinking").is_some_and(Value::is_array);
    let kind = data.get("type")?.as_str().filter(|_| !is_foreign);
    kind.filter(|kind| [PLAN, "thinking"].contains(kind))
}

/// Converts a result. JSON objects are sent as documents, which the model can cite.
fn result(answer: &WireResult) -> Value {
    let documents: Option<Vec<Value>> = answer.content.iter().map(document).collect();
    let content = match documents {
        Some(documents) if !answer.is_error && !documents.is_empty() => Value::Array(documents),
        _ => Value::String(result_text(answer)),
    };
    json!({"role": "tool", "tool_call_id": answer.id, "content": content})
}

fn document(block: &Block) -> Option<Value> {
    match block {
        Block::Json { value } if value.is_object() => {
            Some(json!({"type": "document", "document": {"data": value}}))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use super::*;
    use crate::{Options, Provider, ToolChoice, decode};

    fn tool(name: &str, parameters: usize) -> ToolDefinition {
        let names: Vec<String> = (0..parameters).map(|at| format!("p{at}")).collect();
        let properties: Object = names
            .iter()
            .map(|name| (name.clone(), json!({"type": "string"})))
            .collect();
        let schema = json!({"type": "object", "properties": properties, "required": names});
        ToolDefinition::new(name, "", schema)
    }

    #[test]
    fn converts_every_tool_choice() {
        let tools = ["f", "g"].map(|name| tool(name, 1));
        for (choice, word, sent) in [
            (ToolChoice::Auto, Value::Null, 2),
            (ToolChoice::None, json!("NONE"), 2),
            (ToolChoice::Required, json!("REQUIRED"), 2),
            (ToolChoice::named(["g"]), json!("REQUIRED"), 1),
        ] {
            let options = Options::default().with_choice(choice.clone());

            let converted = Provider::Cohere.with_options(options).convert(&tools);

            let actual = converted.request.get("tool_choice").cloned();
            assert_eq!(actual.unwrap_or_default(), word, "{choice:?}");
            assert_eq!(converted.tools.as_array().map(Vec::len), Some(sent));
        }
    }

    #[test]
    fn request_is_strict_if_all_tools_can_be() {
        for (tools, strict) in [
            (vec![tool("f", 1), tool("g", 199)], true),
            (vec![tool("f", 1), tool("g", 200)], false),
            (vec![tool("f", 1), tool("g", 0)], false),
        ] {
            let options = Options::default().with_strict(StrictMode::On);

            let converted = Provider::Cohere.with_options(options).convert(&tools);

            let actual = converted.request.get("strict_tools").cloned();
            assert_eq!(actual, strict.then_some(json!(true)));
            assert_eq!(converted.losses.is_empty(), strict);
        }
    }

    #[test]
    fn counts_all_tokens_instead_of_billed_units() {
        let response = json!({
            "message": {"role": "assistant", "content": [{"type": "text", "text": "a"}]},
            "finish_reason": "COMPLETE",
            "usage": {"billed_units": {"input_tokens": 1, "output_tokens": 1}, "tokens": {"input_tokens": 7, "output_tokens": 2}},
        });

        let usage = decode(Provider::Cohere, &response, None)
            .unwrap()
            .usage
            .unwrap();

        assert_eq!((usage.input_tokens, usage.output_tokens), (7, 2));
    }
}
