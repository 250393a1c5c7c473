//! Known providers.

pub(crate) mod anthropic;
mod azure;
mod bedrock;
mod cohere;
mod copilot;
mod deepseek;
mod gemini;
mod groq;
mod mcp;
mod mistral;
mod ollama;
pub(crate) mod openai;
pub(crate) mod openai_responses;
mod openrouter;
mod xai;

use std::fmt;
use std::str::FromStr;

use crate::UnknownName;
use crate::wire::{Endpoint, Wire};

/// Wire format for tools. Each provider is a [`Dialect`](tool_core::Dialect) with default options.
///
/// # Examples
/// ```
/// use provider_adapters::Provider;
///
/// assert_eq!("anthropic".parse(), Ok(Provider::Anthropic));
/// assert_eq!(Provider::OpenAi.to_string(), "openai");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI Chat Completions.
    OpenAi,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Functions without an envelope, `{name, description, parameters}`, in Chat Completions
    /// messages.
    OpenAiFlat,
    /// Azure OpenAI Chat Completions.
    Azure,
    /// GitHub Copilot Chat Completions.
    Copilot,
    /// Groq Chat Completions.
    Groq,
    /// `DeepSeek` Chat Completions.
    DeepSeek,
    /// xAI Chat Completions.
    Xai,
    /// `OpenRouter` Chat Completions.
    OpenRouter,
    /// Mistral Chat Completions.
    Mistral,
    /// Cohere Chat, version 2.
    Cohere,
    /// Anthropic Messages.
    Anthropic,
    /// Amazon Bedrock Converse.
    Bedrock,
    /// Gemini `generateContent` with complete JSON Schemas.
    Gemini,
    /// Gemini `generateContent` with a subset of `OpenAPI` schemas.
    GeminiOpenApi,
    /// Ollama's native chat endpoint.
    Ollama,
    /// Tools and sampling of the Model Context Protocol, 2025-11-25.
    Mcp,
    /// Provider that the application defines.
    Custom(&'static Wire),
}

impl Provider {
    /// All known providers.
    pub const ALL: &[Self] = &[
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::OpenAiFlat,
        Self::Azure,
        Self::Copilot,
        Self::Groq,
        Self::DeepSeek,
        Self::Xai,
        Self::OpenRouter,
        Self::Mistral,
        Self::Cohere,
        Self::Anthropic,
        Self::Bedrock,
        Self::Gemini,
        Self::GeminiOpenApi,
        Self::Ollama,
        Self::Mcp,
    ];

    /// Returns the stable name of this provider.
    pub fn as_str(self) -> &'static str {
        self.wire().name
    }

    /// Returns the name of this provider in the OpenTelemetry conventions for generative AI
    /// (`gen_ai.provider.name`).
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::Provider;
    ///
    /// assert_eq!(Provider::Bedrock.telemetry_name(), "aws.bedrock");
    /// assert_eq!(Provider::Ollama.telemetry_name(), "ollama");
    /// ```
    pub fn telemetry_name(self) -> &'static str {
        match self {
            Self::OpenAi | Self::OpenAiResponses | Self::OpenAiFlat => "openai",
            Self::Azure => "azure.ai.openai",
            Self::Xai => "x_ai",
            Self::Mistral => "mistral_ai",
            Self::Bedrock => "aws.bedrock",
            Self::Gemini | Self::GeminiOpenApi => "gcp.gemini",
            other => other.as_str(),
        }
    }

    /// Returns the environment variable in which this provider's own tools expect the key. `None` if it needs none, or if the
    /// application defines the provider.
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::Provider;
    ///
    /// assert_eq!(Provider::Anthropic.key_variable(), Some("ANTHROPIC_API_KEY"));
    /// assert_eq!(Provider::Ollama.key_variable(), None);
    /// ```
    pub fn key_variable(self) -> Option<&'static str> {
        Some(match self {
            Self::OpenAi | Self::OpenAiResponses | Self::OpenAiFlat => "OPENAI_API_KEY",
            Self::Azure => "AZURE_OPENAI_API_KEY",
            Self::Copilot => "GITHUB_TOKEN",
            Self::Groq => "GROQ_API_KEY",
            Self::DeepSeek => "DEEPSEEK_API_KEY",
            Self::Xai => "XAI_API_KEY",
            Self::OpenRouter => "OPENROUTER_API_KEY",
            Self::Mistral => "MISTRAL_API_KEY",
            Self::Cohere => "COHERE_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Bedrock => "AWS_BEARER_TOKEN_BEDROCK",
            Self::Gemini | Self::GeminiOpenApi => "GEMINI_API_KEY",
            Self::Ollama | Self::Mcp | Self::Custom(_) => return None,
        })
    }

    /// Returns the HTTP API of this provider.
    pub const fn endpoint(self) -> &'static Endpoint {
        &self.wire().endpoint
    }

    /// Returns the dialect. Nothing else distinguishes providers.
    pub const fn wire(self) -> &'static Wire {
        match self {
            Self::OpenAi => &openai::WIRE,
            Self::OpenAiResponses => &openai_responses::WIRE,
            Self::OpenAiFlat => &openai::FLAT_WIRE,
            Self::Azure => &azure::WIRE,
            Self::Copilot => &copilot::WIRE,
            Self::Groq => &groq::WIRE,
            Self::DeepSeek => &deepseek::WIRE,
            Self::Xai => &xai::WIRE,
            Self::OpenRouter => &openrouter::WIRE,
            Self::Mistral => &mistral::WIRE,
            Self::Cohere => &cohere::WIRE,
            Self::Anthropic => &anthropic::WIRE,
            Self::Bedrock => &bedrock::WIRE,
            Self::Gemini => &gemini::WIRE,
            Self::GeminiOpenApi => &gemini::OPENAPI_WIRE,
            Self::Ollama => &ollama::WIRE,
            Self::Mcp => &mcp::WIRE,
            Self::Custom(wire) => wire,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Provider {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        UnknownName::find(text, "a known provider", Self::ALL, Self::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_name_of_every_provider() {
        for provider in Provider::ALL {
            assert_eq!(provider.as_str().parse(), Ok(*provider));
        }
    }
}
