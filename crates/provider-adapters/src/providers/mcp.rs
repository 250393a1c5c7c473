//! Tools and sampling of the Model Context Protocol, 2025-11-25.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use tool_core::{Hints, LossKind, ResourceContents};

use crate::decoded::{Choice, RawArguments, ReceivedCall, read};
use crate::schema::{self, Losses};
use crate::stream::{Accumulator, CompleteResponse, DeltaSink, PushError};
use crate::transcript::{
    AssistantTurn, Conversation, ImageRules, Turn, TurnPart, WireResult, hoist_system,
};
use crate::wire::{
    Draft, Endpoint, Extras, Framing, IdRule, NameRule, SourceTool, Strictness, Wire, WireChoice,
    WireTool, member, tools_beside,
};
use crate::{Block, DecodeError, Finish, Object, Reasoning};

pub(crate) const WIRE: Wire = Wire {
    name: "mcp",
    endpoint: Endpoint {
        path: "",
        framing: Framing::Binary,
        usage: &[],
        ..Endpoint::CHAT_COMPLETIONS
    },
    names: NameRule::Protocol,
    ids: IdRule::Free,
    // Servers check arguments themselves; the protocol has no strict mode and no limit of tools.
    strictness: Strictness::Never,
    max_tools: None,
    max_description: None,
    extras: Extras {
        audio: &["audio/"],
        images: ImageRules::ANY,
        resources: true,
        ..Extras::NONE
    },
    tool,
    request,
    body: tools_beside,
    decode,
    accumulator: || Box::<Message>::default(),
    encode,
};

fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let mut tool = source.named();
    if let Some(title) = source.definition.title() {
        tool.insert("title".to_owned(), title.into());
    }
    let schema = readable(source.definition.input_schema(), losses);
    let input = of_objects(&schema)
        .map_err(|kind| format!("the schema has type {kind}; arguments must be an object"))?;
    tool.insert("inputSchema".to_owned(), input);
    let output = output(&source, losses);
    tool.extend(output.map(|schema| ("outputSchema".to_owned(), schema)));
    if source.options.tool_type {
        tool.insert("type".to_owned(), "tool".into());
    }
    let hints = annotations(source.definition.hints());
    tool.insert("annotations".to_owned(), hints);
    Ok(WireTool::plain(tool))
}

/// Returns the output schema if it describes an object.
fn output(source: &SourceTool<'_>, losses: &mut Losses) -> Option<Value> {
    let given = source.output_schema(losses)?;
    let mut trial = losses.trial();
    let described = of_objects(&readable(given, &mut trial));
    if !trial.is_empty() {
        let detail = "dangling references are removed, so any value is allowed there";
        losses.add("", "outputSchema", LossKind::Widened, detail);
    }
    if let Err(kind) = &described {
        let detail = format!("the output has type {kind}; only objects can have a schema");
        losses.add("", "outputSchema", LossKind::Dropped, detail);
    }
    described.ok()
}

/// Returns the schema unchanged, unless clients would reject the tool because of references without a target, or keywords
/// of an older draft without `$schema`.
fn readable<'s>(given: &'s Value, losses: &mut Losses) -> Cow<'s, Value> {
    let is_older = is_older(given);
    let mut schema = if is_older {
        schema::modernized(given)
    } else {
        schema::mark(given)
    };
    let mut trial = losses.trial();
    schema::drop_dangling_pointers(&mut schema, &mut trial);
    if trial.is_empty() && !is_older {
        return Cow::Borrowed(given);
    }
    losses.extend(trial);
    Cow::Owned(schema::unmark(schema))
}

fn is_older(schema: &Value) -> bool {
    let draft = schema.get("$schema").and_then(Value::as_str);
    // A client that reads `$schema` knows the draft, in which these keywords are valid.
    if draft.is_some_and(|draft| draft.contains("/draft-0")) {
        return false;
    }
    let mut found = false;
    schema::visit_all(schema, &mut |object| {
        let bounds = ["exclusiveMinimum", "exclusiveMaximum"];
        let flag = |keyword: &&str| object.get(*keyword).is_some_and(Value::is_boolean);
        found |= bounds.iter().any(flag) || object.get("items").is_some_and(Value::is_array);
    });
    found
}

/// Returns the schema with `object` as the root type. Returns the actual type as an error if it
/// allows no objects.
fn of_objects(schema: &Value) -> Result<Value, String> {
    let mut root = match schema {
        Value::Object(root) => root.clone(),
        Value::Bool(true) => Object::new(),
        _ => return Err("nothing".to_owned()),
    };
    let kind = root.get("type");
    let takes_objects = match kind {
        None => true,
        Some(Value::Array(kinds)) => kinds.contains(&"object".into()),
        Some(kind) => kind == "object",
    };
    if !takes_objects {
        return Err(kind.unwrap_or(&Value::Null).to_string());
    }
    // MCP requires exactly this type at the root, so neither a missing type nor a list is enough.
    root.insert("type".to_owned(), "object".into());
    Ok(Value::Object(root))
}

/// Sends all four hints, because the protocol's defaults are the most dangerous values.
fn annotations(hints: Hints) -> Value {
    json!({
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    })
}

/// Returns the tool choice of a sampling request, which cannot name tools.
fn request(draft: &mut Draft<'_>) -> Object {
    draft.record_parallel_loss();
    draft.keep_chosen();
    let mode = match &draft.choice {
        WireChoice::Auto => "auto",
        WireChoice::None => "none",
        WireChoice::Required | WireChoice::Named(_) => "required",
    };
    member("toolChoice", json!({"mode": mode}))
}

fn decode(message: &Object) -> Result<Vec<Choice>, DecodeError> {
    if let Some(error) = read::error(message) {
        return Ok(vec![read::failed(error)]);
    }
    let inner = ["params", "result"]
        .into_iter()
        .find_map(|key| read::object(message, key));
    let body = inner.unwrap_or(message);
    if let (None, Some(Value::String(name))) = (body.get("content"), body.get("name")) {
        return Ok(vec![requested_call(message, name, body.get("arguments"))]);
    }
    let content = body
        .get("content")
        .ok_or(DecodeError::NoAnswer("content"))?;
    Ok(vec![sampled(body, content)])
}

/// Returns the call of a `tools/call` request, with the id of the request.
fn requested_call(message: &Object, name: &str, arguments: Option<&Value>) -> Choice {
    let id = match message.get("id") {
        Some(Value::String(id)) => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    Choice {
        calls: vec![ReceivedCall {
            id,
            name: name.to_owned(),
            arguments: RawArguments::from_field(arguments),
            provider_data: None,
        }],
        finish: Finish::Calls,
        finish_raw: read::optional_text(message, "method"),
        ..Choice::default()
    }
}

fn sampled(result: &Object, content: &Value) -> Choice {
    let finish_raw = read::optional_text(result, "stopReason");
    let mut choice = Choice {
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        ..Choice::default()
    };
    match content {
        Value::Object(block) => take(&mut choice, block),
        _ => read::objects(result, "content").for_each(|block| take(&mut choice, block)),
    }
    choice
}

/// Key of a block that is sent back unchanged.
const BLOCK: &str = "mcp_block";

fn take(choice: &mut Choice, block: &Object) {
    match read::text(block, "type") {
        "text" => choice.push_text(read::text(block, "text")),
        "tool_use" => choice.push_call(ReceivedCall::read(block, "id", "input")),
        // Pictures and sounds that the model made, and kinds that a later version adds.
        _ => choice.push_reasoning(Reasoning::kept(BLOCK, block)),
    }
}

fn finish(reason: Option<&str>) -> Finish {
    match reason {
        Some("endTurn" | "stopSequence") => Finish::Stop,
        Some("toolUse") => Finish::Calls,
        Some("maxTokens") => Finish::Length,
        _ => Finish::Other,
    }
}

/// Message that contains the response.
#[derive(Debug, Default)]
struct Message(Option<Object>);

impl Accumulator for Message {
    fn push(&mut self, event: &Object, _feed: &mut DeltaSink<'_>) -> Result<(), PushError> {
        // Progress notifications precede the response.
        if decode(event).is_ok() {
            self.0 = Some(event.clone());
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.0.is_some()
    }

    fn finish(&mut self) -> CompleteResponse {
        CompleteResponse {
            response: self.0.take().unwrap_or_default(),
            ..CompleteResponse::default()
        }
    }
}

fn encode(conversation: &mut Conversation) -> Value {
    let system = hoist_system(conversation);
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        let (role, content) = match turn {
            Turn::System { .. } => continue,
            Turn::User { blocks, .. } => ("user", blocks.iter().map(block).collect()),
            // Results are separate, because a message with results may not contain anything else.
            Turn::Results(answers) => ("user", answers.iter().map(result).collect()),
            Turn::Assistant(turn) => ("assistant", assistant(turn, conversation)),
        };
        if !content.is_empty() {
            messages.push(json!({"role": role, "content": schema::one_or_list(content)}));
        }
    }
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert("systemPrompt".to_owned(), system.join("\n\n").into());
    }
    body.insert("messages".to_owned(), messages.into());
    Value::Object(body)
}

fn block(block: &Block) -> Value {
    match block {
        Block::Image { media_type, data } => {
            json!({"type": "image", "data": data, "mimeType": media_type})
        }
        Block::Audio { media_type, data } => {
            json!({"type": "audio", "data": data, "mimeType": media_type})
        }
        Block::Resource {
            uri,
            media_type,
            contents,
        } => resource(uri, media_type.as_deref(), contents),
        other => json!({"type": "text", "text": other.to_text().unwrap_or_default()}),
    }
}

fn resource(uri: &str, media_type: Option<&str>, contents: &ResourceContents) -> Value {
    let (key, data) = match contents {
        ResourceContents::Text(text) => ("text", text),
        ResourceContents::Blob(data) => ("blob", data),
    };
    let mut resource = Map::from_iter([("uri".to_owned(), uri.into())]);
    resource.extend(media_type.map(|kind| ("mimeType".to_owned(), kind.into())));
    resource.insert(key.to_owned(), data.as_str().into());
    json!({"type": "resource", "resource": resource})
}

fn assistant(mut turn: AssistantTurn, conversation: &mut Conversation) -> Vec<Value> {
    let detail = "the protocol does not support reasoning";
    conversation.keep_own_reasoning(&mut turn, detail, |reasoning| reasoning.is_kept(BLOCK));
    let parts = turn.parts.into_iter();
    let blocks = parts.filter_map(|part| match part {
        TurnPart::Reasoning(kept) => kept.into_block(BLOCK),
        TurnPart::Text { text, .. } if text.trim().is_empty() => None,
        TurnPart::Text { text, .. } => Some(block(&Block::text(text))),
        TurnPart::Call(call) => Some(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments,
        })),
    });
    let content: Vec<Value> = blocks.collect();
    if content.is_empty() {
        conversation.record_empty(turn.pointer);
    }
    content
}

/// Converts a result. A single JSON object is also sent as structured content.
fn result(answer: &WireResult) -> Value {
    let content: Vec<Value> = answer.content.iter().map(block).collect();
    let mut result = Map::new();
    result.insert("type".to_owned(), "tool_result".into());
    result.insert("toolUseId".to_owned(), answer.id.as_str().into());
    result.insert("content".to_owned(), content.into());
    if let [Block::Json { value }] = answer.content.as_slice()
        && value.is_object()
    {
        result.insert("structuredContent".to_owned(), value.clone());
    }
    if answer.is_error {
        result.insert("isError".to_owned(), true.into());
    }
    Value::Object(result)
}

#[cfg(test)]
mod tests;
