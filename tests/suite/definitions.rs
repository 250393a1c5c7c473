//! Conversion of the tools of published MCP servers for every provider.
//!
//! `fixtures/definitions/README.md` lists their sources.

mod collected;
mod rules;
mod schemas;

use std::collections::BTreeSet;

use collected::{Collected, collected, spread};
use provider_adapters::{Options, Provider, ProviderDialect, StrictMode};
use serde_json::Value;
use tool_core::{Dialect, ProviderTools};

/// Every how many tools one is converted: all of them, in every mode and for every provider, would take half of the time
/// of all tests. `.ci/full` sets `ALL_DEFINITIONS` and converts all.
fn step() -> usize {
    match std::env::var_os("ALL_DEFINITIONS") {
        Some(_) => 1,
        None => 10,
    }
}

/// Returns the wire name, schema and strictness of each converted tool.
fn declared(provider: Provider, converted: &ProviderTools) -> Vec<(String, Value, bool)> {
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

/// Returns violations of the provider's rules by one tool, and losses without an explanation.
fn issues(dialect: &ProviderDialect, tool: &Collected) -> Vec<String> {
    let provider = dialect.provider();
    let converted = dialect.convert(std::slice::from_ref(&tool.definition));
    let declared = declared(provider, &converted);
    let mut issues = Vec::new();
    if declared.len() + converted.refused.len() != 1 {
        issues.push("neither converted nor rejected".to_owned());
    }
    for (name, schema, strict) in &declared {
        rules::name(provider, name, &mut issues);
        if !schema.is_null() {
            rules::schema(provider, schema, *strict, &mut issues);
        }
    }
    let unexplained = converted.refused.iter().filter(|one| one.reason.is_empty());
    issues.extend(unexplained.map(|one| format!("{} is rejected without a reason", one.tool)));
    let losses = converted.losses.iter();
    let undescribed = losses.filter(|loss| loss.keyword.is_empty() || loss.detail.is_empty());
    issues.extend(undescribed.map(|loss| format!("a loss has no description: {loss:?}")));
    let place = format!(
        "{} {} {}",
        dialect.id(),
        tool.server,
        tool.definition.name()
    );
    issues
        .iter()
        .map(|fault| format!("{place}: {fault}"))
        .collect()
}

fn all_issues(providers: &[Provider]) -> Vec<String> {
    let all = collected();
    let some = spread(&all, step());
    let mut found = Vec::new();
    for provider in providers {
        for mode in [StrictMode::Auto, StrictMode::On] {
            let dialect = provider.with_options(Options::default().with_strict(mode));
            found.extend(some.iter().flat_map(|tool| issues(&dialect, tool)));
        }
    }
    found.truncate(20);
    found
}

#[test]
fn openai_accepts_every_converted_tool() {
    let providers = [
        Provider::OpenAi,
        Provider::OpenAiResponses,
        Provider::OpenAiFlat,
    ];

    assert_eq!(all_issues(&providers), Vec::<String>::new());
}

#[test]
fn strict_openai_servers_accept_every_converted_tool() {
    let providers = [
        Provider::Azure,
        Provider::DeepSeek,
        Provider::Groq,
        Provider::Xai,
    ];

    assert_eq!(all_issues(&providers), Vec::<String>::new());
}

#[test]
fn openai_compatible_servers_accept_every_converted_tool() {
    let providers = [
        Provider::Copilot,
        Provider::OpenRouter,
        Provider::Mistral,
        Provider::Cohere,
    ];

    assert_eq!(all_issues(&providers), Vec::<String>::new());
}

#[test]
fn anthropic_bedrock_and_mcp_accept_every_converted_tool() {
    let providers = [Provider::Anthropic, Provider::Bedrock, Provider::Mcp];

    assert_eq!(all_issues(&providers), Vec::<String>::new());
}

#[test]
fn gemini_and_ollama_accept_every_converted_tool() {
    let providers = [Provider::Gemini, Provider::GeminiOpenApi, Provider::Ollama];

    assert_eq!(all_issues(&providers), Vec::<String>::new());
}

#[test]
fn every_provider_is_tested_and_rejects_no_tool() {
    let definitions: Vec<Collected> = collected();
    let some = spread(&definitions, step());
    for provider in Provider::ALL {
        for tool in &some {
            let converted = provider.convert(std::slice::from_ref(&tool.definition));

            assert_eq!(converted.refused, [], "{provider} {}", tool.server);
        }
    }
}

#[test]
fn fixtures_are_large_and_permissively_licensed() {
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
