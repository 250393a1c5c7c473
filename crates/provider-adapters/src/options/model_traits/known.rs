//! What is known about models, as data.

use super::ModelTraits;
use crate::Provider;

const PLAIN: ModelTraits = ModelTraits {
    name: None,
    max_tools: None,
    max_description: None,
    inline_definitions: false,
    without_tool_choice: false,
    without_forced_choice: false,
    without_error_status: false,
    without_temperature: false,
    requires_reasoning: false,
    searches_tools: false,
    images_in_results: false,
};

const UNFORCED: ModelTraits = ModelTraits {
    without_forced_choice: true,
    ..PLAIN
};

const UNSAMPLED: ModelTraits = ModelTraits {
    without_temperature: true,
    searches_tools: true,
    ..PLAIN
};

/// The models of Anthropic since Claude Opus 5.5.
const CLAUDE: ModelTraits = ModelTraits {
    without_forced_choice: true,
    ..UNSAMPLED
};

const SEARCHING: ModelTraits = ModelTraits {
    searches_tools: true,
    ..PLAIN
};

/// Models on Bedrock that are neither of Anthropic nor of Amazon.
const OF_OTHERS: ModelTraits = ModelTraits {
    without_tool_choice: true,
    without_error_status: true,
    ..PLAIN
};

const GEMINI_3: ModelTraits = ModelTraits {
    images_in_results: true,
    ..PLAIN
};

const GPT_OSS: ModelTraits = ModelTraits {
    inline_definitions: true,
    ..UNFORCED
};

const KIMI: ModelTraits = ModelTraits {
    requires_reasoning: true,
    ..UNFORCED
};

/// Traits by a part of the name. The first row that matches applies, so a family follows its members, and a later model of a
/// family gets the cautious traits of its last row.
///
/// Each row has its source, as read on 2026-11-29; `SDK` is the vendor's or a client's package, where we found no page.
#[rustfmt::skip]
const KNOWN: &[(&[&str], ModelTraits)] = &[
    // https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5, which covers Fable 5.1 too
    (&["claude-opus-5-5", "claude-fable-5-1"], CLAUDE),
    // https://platform.claude.com/docs/en/models/fable-5-2/whats-new-fable-5-2, and the same page of Fable 5.1
    (&["claude-fable-5-2", "claude-mythos-5-1", "claude-mythos-5-2"], CLAUDE),
    // https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5
    (&["claude-sonnet-5-5"], CLAUDE),
    // https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide
    (&["claude-haiku-5-5"], UNSAMPLED),
    // SDK
    (&["claude-fable-5", "claude-mythos-5", "claude-opus-5", "claude-sonnet-5"], UNSAMPLED),
    // https://openrouter.ai/docs/guides/evaluate-and-optimize/model-migrations/claude-4-7
    (&["claude-opus-4-7", "claude-opus-4-8"], UNSAMPLED),
    // https://platform.claude.com/docs/en/about-claude/models/migration-guide
    (&["claude-3", "claude-haiku-4", "claude-opus-4", "claude-sonnet-4"], PLAIN),
    // the cautious traits
    (&["claude"], CLAUDE),
    // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html
    (&["nova"], PLAIN),
    // SDK
    (&["deepseek-chat", "deepseek-v3", "mistral-large"], PLAIN),
    // https://api-docs.deepseek.com/guides/thinking_mode says that they think by default; SDK for the choice
    (&["deepseek"], UNFORCED),
    // SDK
    (&["gemini-3"], GEMINI_3),
    // https://developers.openai.com/api/docs/guides/tools-tool-search, of GPT-5.4 and later models
    (&["gpt-5-4", "gpt-5-5", "gpt-5-6", "gpt-5-7", "gpt-6"], SEARCHING),
    // SDK
    (&["gpt-oss"], GPT_OSS),
    // https://github.com/continuedev/continue/issues/11600 for the reasoning; SDK for the choice
    (&["kimi"], KIMI),
];

impl ModelTraits {
    /// Returns what is known about a model of the provider, by its name. An unknown model of a provider whose models
    /// differ gets the traits with which none of them rejects a request.
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::{ModelTraits, Provider};
    ///
    /// let traits = ModelTraits::of(Provider::Anthropic, "claude-opus-5-5");
    /// assert!(traits.without_forced_choice);
    /// assert!(!ModelTraits::of(Provider::Anthropic, "claude-opus-5").without_forced_choice);
    /// ```
    pub fn of(provider: Provider, model: &str) -> Self {
        // Bedrock writes `us.anthropic.claude-opus-5-5`, and OpenRouter `anthropic/claude-opus-5.5`.
        let name = model.to_ascii_lowercase().replace('.', "-");
        let mut known = KNOWN.iter();
        let known = known.find(|(parts, _)| parts.iter().any(|part| has_part(&name, part)));
        let traits = match (known, provider) {
            (Some((_, traits)), _) => traits,
            // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html
            (None, Provider::Bedrock) => &OF_OTHERS,
            (None, Provider::Anthropic | Provider::DeepSeek) => &UNFORCED,
            (None, _) => &PLAIN,
        };
        Self {
            name: Some(model.to_owned()),
            ..traits.clone()
        }
    }
}

/// Returns `true` if the name contains the part, not inside of a word or number.
fn has_part(name: &str, part: &str) -> bool {
    name.match_indices(part).any(|(at, _)| {
        let before = name.get(..at).and_then(|text| text.chars().next_back());
        let after = name
            .get(at + part.len()..)
            .and_then(|text| text.chars().next());
        let is_number = part.ends_with(|c: char| c.is_ascii_digit());
        let continues = is_number && after.is_some_and(|c| c.is_ascii_digit());
        !continues && !before.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_their_names_everywhere() {
        for (provider, model, expected) in [
            (Provider::Anthropic, "claude-opus-5", &UNSAMPLED),
            (Provider::Anthropic, "claude-opus-5-20260724", &UNSAMPLED),
            (Provider::Anthropic, "claude-sonnet-4-5-20250929", &PLAIN),
            (Provider::Anthropic, "claude-opus-5-5-20261001", &CLAUDE),
            (Provider::Anthropic, "claude-opus-6", &CLAUDE),
            (Provider::Anthropic, "claude-opus-50", &CLAUDE),
            (Provider::Anthropic, "some-model", &UNFORCED),
            (Provider::OpenRouter, "anthropic/claude-fable-5.2", &CLAUDE),
            (
                Provider::Bedrock,
                "us.anthropic.claude-sonnet-5-5-v1:0",
                &CLAUDE,
            ),
            (Provider::Bedrock, "amazon.nova-pro-v1:0", &PLAIN),
            (Provider::Bedrock, "meta.llama4-maverick", &OF_OTHERS),
            (Provider::DeepSeek, "deepseek-reasoner", &UNFORCED),
            (Provider::OpenAi, "gpt-5-mini", &PLAIN),
            (Provider::OpenAiResponses, "gpt-5.4-nano", &SEARCHING),
            (Provider::OpenAiResponses, "gpt-5.45", &PLAIN),
            (Provider::OpenAi, "supernova", &PLAIN),
        ] {
            let traits = ModelTraits::of(provider, model);

            let name = Some(model.to_owned());
            assert_eq!(
                traits,
                ModelTraits {
                    name,
                    ..expected.clone()
                },
                "{model}"
            );
        }
    }
}
