//! A conversation with any provider is valid for every other provider.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{Block, Content, Message, Provider, ToolMessage, Transcript, decode, encode};

/// Returns one response per provider, with all kinds of content.
fn answers() -> Vec<Message> {
    let answers = chat_answers().into_iter().chain(other_answers());
    answers
        .map(|(provider, response)| decode(provider, &response, None).unwrap().into())
        .collect()
}

fn chat_answers() -> Vec<(Provider, Value)> {
    let call = json!({"id": "a:1/2", "type": "function", "function": {"name": "fs/read", "arguments": "{\"k\":1}"}});
    let chat = |member: &str, thought: Value| {
        let message = json!({"content": "I read.", member: thought, "tool_calls": [call, call]});
        json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    };
    let thinking = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]);
    let details = json!([{"type": "reasoning.text", "text": "Hm."}]);
    vec![
        (Provider::DeepSeek, chat("reasoning_content", json!("Hm."))),
        (Provider::OpenRouter, chat("reasoning_details", details)),
        (
            Provider::Copilot,
            chat("reasoning_opaque", json!("c2VhbA==")),
        ),
        (Provider::Mistral, chat("content", thinking)),
        (
            Provider::Cohere,
            json!({"message": {"tool_plan": "I read.", "tool_calls": [call]}}),
        ),
        (
            Provider::OpenAi,
            json!({"choices": [{"message": {"tool_calls": [
                {"id": "c", "type": "custom", "custom": {"name": "shell", "input": "ls"}},
            ]}}]}),
        ),
    ]
}

fn other_answers() -> Vec<(Provider, Value)> {
    let input = json!({"k": 1});
    vec![
        (
            Provider::OpenAiResponses,
            json!({"output": [
                {"type": "reasoning", "id": "rs_1", "summary": []},
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "[1", "namespace": "n"},
                {"type": "web_search_call", "id": "ws_1"},
                {"type": "custom_tool_call", "call_id": "d", "name": "g", "input": "ls"},
            ]}),
        ),
        (
            Provider::Anthropic,
            json!({"content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "redacted_thinking", "data": "x"},
                {"type": "tool_use", "id": "toolu_1", "name": "read", "input": input},
            ]}),
        ),
        (
            Provider::Bedrock,
            json!({"output": {"message": {"content": [
                {"reasoningContent": {"redactedContent": "AAEC"}},
                {"toolUse": {"toolUseId": "t.1:2", "name": "read", "input": input}},
            ]}}}),
        ),
        (
            Provider::Gemini,
            json!({"candidates": [{"content": {"parts": [
                {"text": "Hm.", "thought": true, "thoughtSignature": "QQ=="}, {"functionCall": {"name": "f"}},
            ]}}]}),
        ),
        (
            Provider::Ollama,
            json!({"message": {"thinking": "Hm.", "tool_calls": [
                {"function": {"name": "read", "arguments": input}},
            ]}}),
        ),
        (
            Provider::Mcp,
            json!({"content": {"type": "text", "text": ""}}),
        ),
    ]
}

fn contents() -> impl Strategy<Value = Content> {
    prop::sample::select(vec![
        Content::from("words"),
        Content::from(" "),
        Content::from(Vec::new()),
        Content::from(vec![Block::Json {
            value: json!({"$ref": [1]}),
        }]),
        Content::from(vec![Block::Json { value: json!([1]) }, Block::text("and")]),
        Content::from(vec![Block::text("see"), Block::pdf("plan.pdf", "aGk=")]),
        Content::from(vec![Block::Image {
            media_type: "image/tiff".to_owned(),
            data: "aGk=".to_owned(),
        }]),
        Content::from(vec![
            Block::text("see"),
            Block::Image {
                media_type: "image/png".to_owned(),
                data: "iVBORw0KGgo=".to_owned(),
            },
        ]),
    ])
}

fn messages() -> impl Strategy<Value = Message> {
    let id = prop::sample::select(vec!["a:1/2", "c", "d", "toolu_1", "local_0", "t.1:2", ""]);
    let answer = (id, contents(), any::<bool>())
        .prop_map(|(id, content, failed)| ToolMessage::new(id, "f", content).with_error(failed));
    prop_oneof![
        3 => prop::sample::select(answers()),
        1 => contents().prop_map(|content| Message::System { content }),
        2 => contents().prop_map(|content| Message::User { content }),
        1 => contents().prop_map(Message::assistant),
        3 => prop::collection::vec(answer, 0..4).prop_map(|results| Message::Tool { results }),
    ]
}

/// Kind of a message or item in a body.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Calls(Vec<String>),
    Answers(Vec<String>),
    Words,
}

fn texts(values: &[&Value]) -> Vec<String> {
    let text = |value: &&Value| value.as_str().map(str::to_owned);
    values.iter().filter_map(text).collect()
}

/// Returns the values at `place` in each block of a message.
fn under<'m>(message: &'m Value, list: &str, place: &str) -> Vec<&'m Value> {
    let blocks = message.pointer(list);
    let blocks = match blocks {
        Some(Value::Array(blocks)) => blocks.iter().collect(),
        Some(block) => vec![block],
        None => Vec::new(),
    };
    blocks
        .into_iter()
        .filter_map(|block| block.pointer(place))
        .collect()
}

fn step(message: &Value) -> Step {
    let calls: Vec<&Value> = [("/tool_calls", "/id"), ("/content", "/toolUse/toolUseId")]
        .iter()
        .flat_map(|(list, place)| under(message, list, place))
        .chain(typed(message, &["tool_use"], "id"))
        .chain(typed_item(message, &["function_call", "custom_tool_call"]))
        .collect();
    let answers: Vec<&Value> = under(message, "/content", "/toolResult/toolUseId")
        .into_iter()
        .chain(typed(message, &["tool_result"], "tool_use_id"))
        .chain(typed(message, &["tool_result"], "toolUseId"))
        .chain(message.get("tool_call_id"))
        .chain(typed_item(
            message,
            &["function_call_output", "custom_tool_call_output"],
        ))
        .collect();
    match (calls.is_empty(), answers.is_empty()) {
        (false, _) => Step::Calls(texts(&calls)),
        (true, false) => Step::Answers(texts(&answers)),
        (true, true) => Step::Words,
    }
}

fn typed<'m>(message: &'m Value, kinds: &[&str], key: &str) -> Vec<&'m Value> {
    let blocks = under(message, "/content", "");
    let of_kind = |block: &&Value| {
        block["type"]
            .as_str()
            .is_some_and(|kind| kinds.contains(&kind))
    };
    blocks
        .into_iter()
        .filter(of_kind)
        .filter_map(|block| block.get(key))
        .collect()
}

fn typed_item<'m>(item: &'m Value, kinds: &[&str]) -> Option<&'m Value> {
    let kind = item.get("type")?.as_str()?;
    kinds.contains(&kind).then(|| item.get("call_id")).flatten()
}

/// Returns the steps. Consecutive steps of one kind are merged, because some providers use one
/// message or item each.
fn steps(body: &Value) -> Vec<Step> {
    let list = body.get("messages").or_else(|| body.get("input"));
    let mut steps: Vec<Step> = Vec::new();
    for message in list.and_then(Value::as_array).into_iter().flatten() {
        // Items of the provider and, in `input`, messages of the model may appear between calls.
        let is_own = matches!(
            message["type"].as_str(),
            Some("reasoning" | "web_search_call")
        );
        if is_own || body.get("input").is_some() && message["role"] == "assistant" {
            continue;
        }
        match (steps.last_mut(), step(message)) {
            (Some(Step::Calls(ids)), Step::Calls(more))
            | (Some(Step::Answers(ids)), Step::Answers(more)) => ids.extend(more),
            (_, step) => steps.push(step),
        }
    }
    steps
}

/// Returns an error unless all calls are followed by their results in order, with unique ids.
fn answered_in_order(steps: &[Step]) -> Result<(), String> {
    let mut used = std::collections::HashSet::new();
    for (at, step) in steps.iter().enumerate() {
        let next = steps.get(at + 1);
        match step {
            Step::Calls(ids) if next != Some(&Step::Answers(ids.clone())) => {
                return Err(format!("calls {ids:?} are followed by {next:?}"));
            }
            Step::Calls(ids) if !ids.iter().all(|id| used.insert(id.clone())) => {
                return Err(format!("duplicate ids {ids:?}"));
            }
            Step::Answers(ids)
                if at == 0 || steps.get(at - 1) != Some(&Step::Calls(ids.clone())) =>
            {
                return Err(format!("results {ids:?} have no calls"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns `true` if the provider accepts the call id.
fn takes_id(provider: Provider, id: &str) -> bool {
    let (also, most) = match provider {
        Provider::Anthropic | Provider::Copilot | Provider::OpenRouter => ("_-", 64),
        Provider::Bedrock => ("_-.:", 64),
        Provider::Mistral => {
            return id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        }
        Provider::Azure => return (1..=40).contains(&id.chars().count()),
        Provider::Ollama | Provider::Mcp => return true,
        _ => return (1..=64).contains(&id.chars().count()),
    };
    let legal = |letter: char| letter.is_ascii_alphanumeric() || also.contains(letter);
    (1..=most).contains(&id.len()) && id.chars().all(legal)
}

/// Returns violations of rules that only some providers have.
fn particular_issues(provider: Provider, body: &Value) -> Vec<String> {
    let messages: Vec<&Value> = under(body, "/messages", "");
    let roles: Vec<&str> = messages
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    let pairs = roles.windows(2);
    let mut faults: Vec<String> = match provider {
        Provider::Anthropic | Provider::Bedrock => pairs
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| format!("consecutive roles {pair:?}"))
            .collect(),
        Provider::Mistral => pairs
            .filter(|pair| *pair == ["tool", "user"])
            .map(|_| "user message after results".to_owned())
            .collect(),
        _ => Vec::new(),
    };
    let alternates = matches!(provider, Provider::Anthropic | Provider::Bedrock);
    if alternates && roles.first().is_some_and(|role| *role != "user") {
        faults.push("assistant message first".to_owned());
    }
    faults.extend(
        messages
            .into_iter()
            .filter_map(|message| message_fault(provider, message)),
    );
    faults
}

fn message_fault(provider: Provider, message: &Value) -> Option<String> {
    let content = &message["content"];
    let is_empty =
        *content == json!([]) || (*content == json!("") && message.get("tool_calls").is_none());
    let may_be = provider == Provider::Ollama || message["role"] == "tool";
    let is_plain_chat = message["role"] == "assistant" && content.is_string();
    if is_empty && !may_be && !is_plain_chat {
        return Some(format!("empty message {message}"));
    }
    let kinds = under(message, "/tool_calls", "/type");
    let custom = kinds.iter().any(|kind| **kind == "custom");
    (custom && !matches!(provider, Provider::OpenAi | Provider::Azure))
        .then(|| "custom call for a provider without support".to_owned())
}

/// Returns the members with reasoning that another provider does not accept.
fn foreign_thoughts(provider: Provider, body: &Value) -> Vec<&'static str> {
    let text = body.to_string();
    let own: &[(&str, &[Provider])] = &[
        ("\"reasoning_content\"", &[Provider::DeepSeek]),
        ("\"reasoning_details\"", &[Provider::OpenRouter]),
        ("\"reasoning_opaque\"", &[Provider::Copilot]),
        ("\"reasoningContent\"", &[Provider::Bedrock]),
        ("\"redacted_thinking\"", &[Provider::Anthropic]),
        ("\"encrypted_content\"", &[Provider::OpenAiResponses]),
        ("\"web_search_call\"", &[Provider::OpenAiResponses]),
        ("\"tool_plan\"", &[Provider::Cohere]),
        ("\"signature\"", &[Provider::Anthropic]),
        ("\"namespace\"", &[Provider::OpenAiResponses]),
    ];
    own.iter()
        .filter(|(member, takers)| text.contains(member) && !takers.contains(&provider))
        .map(|(member, _)| *member)
        .collect()
}

proptest! {
    #![proptest_config(super::cases(48))]

    #[test]
    fn history_of_any_provider_is_valid_for_all(messages in prop::collection::vec(messages(), 0..8)) {
        let transcript = Transcript::from(messages);
        for provider in Provider::ALL {
            let body = encode(*provider, &transcript, None).body;

            prop_assert_eq!(particular_issues(*provider, &body), Vec::<String>::new(), "{}: {}", provider, body);
            prop_assert_eq!(foreign_thoughts(*provider, &body), Vec::<&str>::new(), "{}: {}", provider, body);
            // These providers receive no generated ids. Separate tests cover them.
            if !matches!(provider, Provider::Gemini | Provider::GeminiOpenApi | Provider::Ollama) {
                let steps = steps(&body);
                prop_assert_eq!(answered_in_order(&steps), Ok(()), "{}: {}", provider, body);
                for id in steps.iter().flat_map(|step| match step {
                    Step::Calls(ids) => ids.as_slice(),
                    _ => &[],
                }) {
                    prop_assert!(takes_id(*provider, id), "{}: {}", provider, id);
                }
            }
        }
    }

    #[test]
    fn gemini_results_match_calls(messages in prop::collection::vec(messages(), 0..8)) {
        let body = encode(Provider::Gemini, &Transcript::from(messages), None).body;

        let contents: Vec<&Value> = under(&body, "/contents", "");
        for (at, content) in contents.iter().enumerate() {
            let names = |content: &Value, key: &str| -> Vec<Value> {
                under(content, "/parts", &format!("/{key}/name")).into_iter().cloned().collect()
            };
            let calls = names(content, "functionCall");
            let answers = contents.get(at + 1).map(|next| names(next, "functionResponse"));
            prop_assert!(calls.is_empty() || answers == Some(calls), "{}", body);
        }
    }
}
