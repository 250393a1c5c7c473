//! The tools of published MCP servers, said to every provider.
//!
//! `fixtures/definitions/README.md` says where they come from.

mod collected;
mod rules;
mod schemas;

use std::collections::BTreeSet;

use collected::{Collected, collected, spread};
use provider_adapters::{Options, Provider, ProviderDialect, StrictMode};
use serde_json::Value;
use tool_core::{Converted, Dialect};

/// Where a tool of its own would take too long to say to everybody in every mode.
const STEP: usize = 4;

/// The wire name, the schema and the strictness of each tool that was sent.
fn declared(provider: Provider, converted: &Converted) -> Vec<(String, Value, bool)> {
    let tools = converted.tools.as_array().into_iter().flatten();
    let functions = tools.flat_map(|tool| match tool.get("functionDeclarations") {
        Some(functions) => functions.as_array().cloned().unwrap_or_default(),
        None => vec![tool.clone()],
    });
    functions
        .map(|tool| {
            let inner = ["function", "toolSpec"]
                .iter()
                .find_map(|key| tool.get(*key));
            let tool = inner.unwrap_or(&tool);
            let schema = match provider {
                Provider::Anthropic => &tool["input_schema"],
                Provider::Bedrock => &tool["inputSchema"]["json"],
                Provider::Mcp => &tool["inputSchema"],
                Provider::Gemini => &tool["parametersJsonSchema"],
                _ => &tool["parameters"],
            };
            let name = tool["name"].as_str().unwrap_or_default();
            let strict = tool["strict"].as_bool().unwrap_or_default();
            (name.to_owned(), schema.clone(), strict)
        })
        .collect()
}

/// What the provider would refuse of one tool, and what we say without a reason.
fn faults(dialect: &ProviderDialect, tool: &Collected) -> Vec<String> {
    let provider = dialect.provider();
    let converted = dialect.convert(std::slice::from_ref(&tool.definition));
    let declared = declared(provider, &converted);
    let mut faults = Vec::new();
    if declared.len() + converted.refused.len() != 1 {
        faults.push("neither said nor refused".to_owned());
    }
    for (name, schema, strict) in &declared {
        rules::name(provider, name, &mut faults);
        if !schema.is_null() {
            rules::schema(provider, schema, *strict, &mut faults);
        }
    }
    let unexplained = converted.refused.iter().filter(|one| one.reason.is_empty());
    faults.extend(unexplained.map(|one| format!("{} is refused without a reason", one.tool)));
    let losses = converted.losses.iter();
    let unsaid = losses.filter(|loss| loss.keyword.is_empty() || loss.detail.is_empty());
    faults.extend(unsaid.map(|loss| format!("a loss says nothing: {loss:?}")));
    let place = format!(
        "{} {} {}",
        dialect.id(),
        tool.server,
        tool.definition.name()
    );
    faults
        .iter()
        .map(|fault| format!("{place}: {fault}"))
        .collect()
}

fn all_faults(providers: &[Provider]) -> Vec<String> {
    let all = collected();
    let every: Vec<&Collected> = all.iter().collect();
    let some = spread(&all, STEP);
    let mut found = Vec::new();
    for provider in providers {
        for (mode, tools) in [(StrictMode::Auto, &every), (StrictMode::On, &some)] {
            let dialect = provider.with_options(Options::default().with_strict(mode));
            found.extend(tools.iter().flat_map(|tool| faults(&dialect, tool)));
        }
    }
    found.truncate(20);
    found
}

#[test]
fn openai_takes_every_tool_that_it_is_sent() {
    let providers = [
        Provider::OpenAi,
        Provider::OpenAiResponses,
        Provider::OpenAiFlat,
    ];

    assert_eq!(all_faults(&providers), Vec::<String>::new());
}

#[test]
fn servers_with_strict_tools_of_openai_take_every_tool_that_they_are_sent() {
    let providers = [
        Provider::Azure,
        Provider::DeepSeek,
        Provider::Groq,
        Provider::Xai,
    ];

    assert_eq!(all_faults(&providers), Vec::<String>::new());
}

#[test]
fn other_servers_that_speak_as_openai_does_take_every_tool_that_they_are_sent() {
    let providers = [
        Provider::Copilot,
        Provider::OpenRouter,
        Provider::Mistral,
        Provider::Cohere,
    ];

    assert_eq!(all_faults(&providers), Vec::<String>::new());
}

#[test]
fn anthropic_bedrock_and_the_protocol_take_every_tool_that_they_are_sent() {
    let providers = [Provider::Anthropic, Provider::Bedrock, Provider::Mcp];

    assert_eq!(all_faults(&providers), Vec::<String>::new());
}

#[test]
fn gemini_and_ollama_take_every_tool_that_they_are_sent() {
    let providers = [Provider::Gemini, Provider::GeminiOpenApi, Provider::Ollama];

    assert_eq!(all_faults(&providers), Vec::<String>::new());
}

#[test]
fn every_provider_is_among_those_above_and_refuses_no_tool() {
    let definitions: Vec<Collected> = collected();
    let some = spread(&definitions, STEP);
    for provider in Provider::ALL {
        for tool in &some {
            let converted = provider.convert(std::slice::from_ref(&tool.definition));

            assert_eq!(converted.refused, [], "{provider} {}", tool.server);
        }
    }
}

#[test]
fn thousands_of_tools_of_dozens_of_servers_are_here_under_licences_that_allow_it() {
    let tools = collected();

    let servers: BTreeSet<&str> = tools.iter().map(|tool| tool.server.as_str()).collect();
    let licences: BTreeSet<&str> = tools.iter().map(|tool| tool.licence.as_str()).collect();
    let names: BTreeSet<(&str, &str)> = tools
        .iter()
        .map(|tool| (tool.server.as_str(), tool.definition.name()))
        .collect();
    assert!(names.len() >= 2000, "{} tools", names.len());
    assert!(servers.len() >= 40, "{} servers", servers.len());
    let allowed = [
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "MIT",
        "MIT-0",
    ];
    let others: Vec<&&str> = licences
        .iter()
        .filter(|one| !allowed.contains(one))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}
