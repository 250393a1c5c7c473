//! Models of real providers by command line options.

#[cfg(feature = "http")]
mod model;

use clap::Args;
use provider_adapters::{Effort, Provider};

#[cfg(feature = "http")]
pub use model::model;

/// Provider, model and settings of a real model.
#[derive(Debug, Args)]
pub struct ProviderOptions {
    /// Provider of a real model, such as openai, anthropic, gemini or ollama. The key is read from
    /// the provider's usual variable, such as `OPENAI_API_KEY`.
    #[arg(long, value_name = "P")]
    pub provider: Option<Provider>,
    /// Name of the model.
    #[arg(long, value_name = "M", requires = "provider")]
    pub model: Option<String>,
    /// Treat the model on openrouter as a Gemini model.
    #[arg(long, requires = "provider")]
    pub gemini_model: bool,
    /// Base URL of the provider, such as `http://127.0.0.1:8080/v1`.
    #[arg(long, value_name = "U", requires = "provider")]
    pub base_url: Option<String>,
    /// Print the model's text as it arrives. Bedrock does not stream.
    #[arg(long, requires = "provider")]
    pub stream: bool,
    /// Maximum number of tokens of one reply.
    #[arg(long, value_name = "N", requires = "provider")]
    pub max_answer_tokens: Option<u32>,
    /// Randomness of the model, from 0 to 2.
    #[arg(long, value_name = "X", requires = "provider")]
    pub temperature: Option<f64>,
    /// Reasoning effort: low, medium or high.
    #[arg(long, value_name = "E", requires = "provider")]
    pub effort: Option<Effort>,
    /// Maximum time without data in seconds; for replies that are not streamed, the maximum time of
    /// the complete reply.
    #[arg(long, value_name = "SECONDS", requires = "provider", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
    /// Maximum number of requests per turn. Failed requests are repeated.
    #[arg(long, value_name = "N", requires = "provider", default_value_t = 3)]
    pub attempts: u32,
}
