//! Run with a real model.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use agent_loop::{AgentLoop, HttpModel, HttpModelError, ModelRetry, TerminalApprover};
use examples::terminal::Bar;
use provider_adapters::Provider;
use tool_core::approval::{Effect, Policy, Rule, Verdict};
use tool_core::{CancellationToken, Registry, RiskLevel};
use tools_builtin::{Kit, Workspace, toolsets};

use crate::options::Options;
use crate::{complain, drive, exit_code, record, report};

const TASK: &str =
    "Describe the content of this directory in a few sentences. Read files before you answer.";
const SYSTEM: &str =
    "You work in one directory with the given tools. Paths are relative to it. Be brief.";
const AS_JSON: &str = "Your final answer is one JSON object or array, without any other text.";

/// Performs the task with the standard tools. Writing requires approval at the terminal.
///
/// # Errors
/// Returns a one-line message if the run cannot start or its result cannot be written.
pub async fn run(options: &Options, stop: &CancellationToken) -> Result<ExitCode, String> {
    let workspace = options.open_workspace()?;
    let provider = options.provider.unwrap_or(Provider::OpenAi);
    let model = model(options, provider)?;
    let bar = if options.json {
        Bar::on_stderr()
    } else {
        Bar::new()
    };
    let registry = registry(workspace, bar.clone())?;
    let task = options.task.as_deref().unwrap_or(TASK);
    bar.say(task);
    let system = if options.json {
        format!("{SYSTEM} {AS_JSON}")
    } else {
        SYSTEM.to_owned()
    };
    let agent = AgentLoop::new(registry, model)
        .system(system)
        .retry(ModelRetry::attempts(options.attempts));
    let (agent, saved) = record::recorded(agent, options)?;
    let outcome = drive(
        agent,
        |agent| record::start(agent, task, saved, options),
        options,
        bar,
        stop,
    )
    .await;
    if let (Some(file), Some(answer)) = (&options.report, &outcome.answer) {
        report::keep(file, format!("{answer}\n").as_bytes())?;
    }
    Ok(exit_code(&outcome))
}

fn registry(workspace: Workspace, bar: Bar) -> Result<Registry, String> {
    let toolset = toolsets::standard(&Kit::new(workspace)).map_err(|error| error.to_string())?;
    // The plan is part of the conversation, not a file of the user.
    let plan = Rule::new("plan", "todo_manager", Effect::Allow);
    let policy = Policy::default()
        .with_verdict(RiskLevel::SafeWrite, Verdict::Ask)
        .with_rule(plan);
    let builder = Registry::builder()
        .policy(policy)
        .approver(approver(bar))
        .toolset(&toolset)
        .map_err(|error| error.to_string())?;
    Ok(builder.build())
}

/// Prompts where the progress is shown.
fn approver(bar: Bar) -> TerminalApprover {
    let approver = if bar.is_on_stderr() {
        TerminalApprover::new().on_stderr()
    } else {
        TerminalApprover::new()
    };
    approver.before_prompt(move || bar.hide())
}

fn model(options: &Options, provider: Provider) -> Result<HttpModel, String> {
    let given = options.base_url.as_deref();
    let name = options.model.as_deref().or(default_model(provider));
    let name = name.ok_or(format!("set --model; {provider} has no default"))?;
    // An empty URL is rejected after the check for providers without an HTTP API.
    let base_url = given.or(provider.endpoint().base_url).unwrap_or_default();
    let model = HttpModel::new(provider, name, base_url).map_err(|error| match error {
        HttpModelError::BaseUrl if given.is_none() => {
            format!("{provider} has a separate URL for each customer; set --base-url")
        }
        other => other.to_string(),
    })?;
    let asked = provider_adapters::Options::default().with_gemini_model(options.gemini_model);
    let model = with_settings(model, options)
        .with_options(asked)
        .with_stream(options.stream);
    match key(provider) {
        Some(key) => model.with_key(&key).map_err(|error| error.to_string()),
        // Self-hosted servers usually require no key; the providers do.
        None if given.is_some() || provider == Provider::Ollama => Ok(model),
        None => Err(format!(
            "{provider} requires a key; set {}, or set --base-url to a server that requires none",
            key_name(provider).unwrap_or("its variable")
        )),
    }
}

fn with_settings(mut model: HttpModel, options: &Options) -> HttpModel {
    if let Some(tokens) = options.max_answer_tokens {
        model = model.with_max_output_tokens(tokens);
    }
    if let Some(temperature) = options.temperature {
        model = model.with_temperature(temperature);
    }
    if let Some(effort) = options.effort {
        model = model.with_effort(effort);
    }
    if let Some(timeout) = options.timeout.map(Duration::from_secs) {
        model = model.with_idle_timeout(timeout);
        if !options.stream {
            model = model.with_timeout(timeout);
        }
    }
    for loss in model.losses() {
        complain(&format!("--{} is changed: {}", loss.keyword, loss.detail));
    }
    model
}

fn key(provider: Provider) -> Option<String> {
    let key = env::var(key_name(provider)?).ok()?;
    Some(key.trim().to_owned()).filter(|key| !key.is_empty())
}

fn key_name(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::OpenAi | Provider::OpenAiResponses => Some("OPENAI_API_KEY"),
        Provider::Azure => Some("AZURE_OPENAI_API_KEY"),
        Provider::Copilot => Some("GITHUB_TOKEN"),
        Provider::Groq => Some("GROQ_API_KEY"),
        Provider::DeepSeek => Some("DEEPSEEK_API_KEY"),
        Provider::Xai => Some("XAI_API_KEY"),
        Provider::OpenRouter => Some("OPENROUTER_API_KEY"),
        Provider::Mistral => Some("MISTRAL_API_KEY"),
        Provider::Cohere => Some("COHERE_API_KEY"),
        Provider::Bedrock => Some("AWS_BEARER_TOKEN_BEDROCK"),
        Provider::Anthropic => Some("ANTHROPIC_API_KEY"),
        Provider::Gemini | Provider::GeminiOpenApi => Some("GEMINI_API_KEY"),
        _ => None,
    }
}

/// Returns the default model of a provider.
fn default_model(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::OpenAi | Provider::OpenAiResponses => Some("gpt-4.1-mini"),
        Provider::Anthropic => Some("claude-sonnet-4-5"),
        Provider::Gemini | Provider::GeminiOpenApi => Some("gemini-2.5-flash"),
        Provider::Ollama => Some("qwen3"),
        _ => None,
    }
}
