//! Models of real providers.

use std::env;
use std::time::Duration;

use agent_loop::{HttpModel, HttpModelError};
use provider_adapters::{ModelSettings, Options, Provider};

use super::ProviderOptions;

/// Returns the model of the options, and prints a line for each setting that the provider changes.
///
/// # Errors
/// Returns a one-line message if an option or the key is missing.
pub fn model(options: &ProviderOptions) -> Result<HttpModel, String> {
    let provider = options.provider.unwrap_or(Provider::OpenAi);
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
    let asked = Options::default().with_gemini_model(options.gemini_model);
    let model = with_settings(model, provider, options)
        .with_options(asked)
        .with_stream(options.stream);
    match key(provider) {
        Some(key) => model.with_key(&key).map_err(|error| error.to_string()),
        // Self-hosted servers usually require no key; the providers do.
        None if given.is_some() || provider == Provider::Ollama => Ok(model),
        None => Err(format!(
            "{provider} requires a key; set {}, or set --base-url to a server that requires none",
            provider.key_variable().unwrap_or("its variable")
        )),
    }
}

fn with_settings(mut model: HttpModel, provider: Provider, options: &ProviderOptions) -> HttpModel {
    let mut settings = ModelSettings::default();
    settings.max_output_tokens = options.max_answer_tokens;
    settings.temperature = options.temperature;
    settings.effort = options.effort;
    if let Some(timeout) = options.timeout.map(Duration::from_secs) {
        model = model.with_idle_timeout(timeout);
        if !options.stream {
            model = model.with_timeout(timeout);
        }
    }
    for loss in provider.endpoint().sampling(&settings).1 {
        eprintln!("error: --{} is changed: {}", loss.keyword, loss.detail);
    }
    model.with_settings(settings)
}

fn key(provider: Provider) -> Option<String> {
    let key = env::var(provider.key_variable()?).ok()?;
    Some(key.trim().to_owned()).filter(|key| !key.is_empty())
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
