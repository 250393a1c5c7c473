//! Settings of a model that have the same meaning for all providers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tool_core::{ConversionLoss, LossKind};

use super::endpoint::{Endpoint, insert_at};
use crate::UnknownName;

/// Reasoning effort of a model.
///
/// # Examples
/// ```
/// use provider_adapters::Effort;
///
/// assert_eq!("high".parse(), Ok(Effort::High));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Short reasoning.
    Low,
    /// Medium reasoning.
    Medium,
    /// Long reasoning.
    High,
}

impl Effort {
    /// Returns `low`, `medium` or `high`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl std::str::FromStr for Effort {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let all = [Self::Low, Self::Medium, Self::High];
        UnknownName::find(text, "an effort", &all, Self::as_str)
    }
}

/// Settings of a model that have the same meaning for all providers. A setting without a value
/// keeps the provider's default.
///
/// # Examples
/// ```
/// use provider_adapters::{Effort, ModelSettings, Provider};
/// use serde_json::json;
///
/// let settings = ModelSettings::default().with_temperature(0.2).with_effort(Effort::Low);
/// let (body, losses) = Provider::OpenAiResponses.endpoint().sampling(&settings);
/// assert_eq!(json!(body), json!({"temperature": 0.2, "reasoning": {"effort": "low"}}));
/// assert!(losses.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
#[must_use]
pub struct ModelSettings {
    /// Maximum number of output tokens.
    pub max_output_tokens: Option<u32>,
    /// Randomness from 0 to 2. A larger value than the provider's maximum is reduced to it.
    pub temperature: Option<f64>,
    /// Reasoning effort.
    pub effort: Option<Effort>,
    /// Stop sequences.
    pub stop: Vec<String>,
}

impl ModelSettings {
    /// Sets the maximum number of output tokens.
    pub fn with_max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the randomness, from 0 to 2.
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Sets the reasoning effort.
    pub fn with_effort(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// Sets the stop sequences.
    pub fn with_stop<W: Into<String>>(mut self, sequences: impl IntoIterator<Item = W>) -> Self {
        self.stop = sequences.into_iter().map(Into::into).collect();
        self
    }

    /// Returns these settings, overridden by the values that are set in `other`.
    pub fn overridden_by(&self, other: &Self) -> Self {
        let stop = if other.stop.is_empty() { self } else { other };
        Self {
            max_output_tokens: other.max_output_tokens.or(self.max_output_tokens),
            temperature: other.temperature.or(self.temperature),
            effort: other.effort.or(self.effort),
            stop: stop.stop.clone(),
        }
    }
}

impl Endpoint {
    /// Returns the members of a request body for sampling, and the settings that the provider does not support.
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::{ModelSettings, Provider};
    /// use serde_json::json;
    ///
    /// let settings = ModelSettings::default().with_temperature(1.5).with_stop(["END"]);
    /// let (body, losses) = Provider::Anthropic.endpoint().sampling(&settings);
    /// assert_eq!(json!(body), json!({"stop_sequences": ["END"]}));
    /// assert_eq!(losses[0].keyword, "temperature");
    /// ```
    pub fn sampling(&self, settings: &ModelSettings) -> (Map<String, Value>, Vec<ConversionLoss>) {
        let mut members = Members::default();
        if let Some(temperature) = settings.temperature {
            members.temperature(self, temperature);
        }
        if let Some(effort) = settings.effort {
            members.set("effort", self.effort, effort.as_str().into());
        }
        if !settings.stop.is_empty() {
            members.stop(self, &settings.stop);
        }
        (members.body, members.losses)
    }
}

#[derive(Default)]
struct Members {
    body: Map<String, Value>,
    losses: Vec<ConversionLoss>,
}

impl Members {
    fn temperature(&mut self, endpoint: &Endpoint, temperature: f64) {
        let (pointer, most) = endpoint.temperature;
        // JSON has no such number: `Value::from` would convert it to null.
        if !temperature.is_finite() {
            self.record_loss("temperature", LossKind::Dropped, "the value is not finite");
            return;
        }
        let allowed = temperature.clamp(0.0, most);
        if (allowed - temperature).abs() > f64::EPSILON {
            let detail = format!("{temperature} is outside 0 to {most}");
            self.record_loss("temperature", LossKind::Degraded, &detail);
        }
        self.set("temperature", pointer, allowed.into());
    }

    fn stop(&mut self, endpoint: &Endpoint, words: &[String]) {
        let (pointer, most) = endpoint.stop;
        // Without a pointer, `set` records the loss of the whole setting.
        if words.len() > most && !pointer.is_empty() {
            let detail = format!("only the first {most} stop words are sent");
            self.record_loss("stop", LossKind::Degraded, &detail);
        }
        let words: Vec<&str> = words.iter().take(most).map(String::as_str).collect();
        self.set("stop", pointer, words.into());
    }

    fn set(&mut self, keyword: &str, pointer: &str, value: Value) {
        if pointer.is_empty() {
            let detail = "the provider does not support it";
            self.record_loss(keyword, LossKind::Dropped, detail);
        } else {
            insert_at(&mut self.body, pointer, value);
        }
    }

    fn record_loss(&mut self, keyword: &str, kind: LossKind, detail: &str) {
        self.losses
            .push(ConversionLoss::new("", "", keyword, kind, detail));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Provider;

    #[test]
    fn settings_have_place_in_every_wire() {
        let settings = ModelSettings::default()
            .with_temperature(0.5)
            .with_effort(Effort::High)
            .with_stop(["END"]);
        for (provider, expected, lost) in [
            (
                Provider::OpenAi,
                json!({"temperature": 0.5, "reasoning_effort": "high", "stop": ["END"]}),
                &[][..],
            ),
            (
                Provider::OpenAiResponses,
                json!({"temperature": 0.5, "reasoning": {"effort": "high"}}),
                &["stop"],
            ),
            (
                Provider::Anthropic,
                json!({"output_config": {"effort": "high"}, "stop_sequences": ["END"]}),
                &["temperature"],
            ),
            (
                Provider::Gemini,
                json!({"generationConfig": {"temperature": 0.5, "thinkingConfig": {"thinkingLevel": "high"}, "stopSequences": ["END"]}}),
                &[],
            ),
            (
                Provider::Ollama,
                json!({"options": {"temperature": 0.5, "stop": ["END"]}, "think": "high"}),
                &[],
            ),
            (
                Provider::Bedrock,
                json!({"inferenceConfig": {"temperature": 0.5, "stopSequences": ["END"]}}),
                &["effort"],
            ),
            (
                Provider::Cohere,
                json!({"temperature": 0.5, "stop_sequences": ["END"]}),
                &["effort"],
            ),
            (
                Provider::Mistral,
                json!({"temperature": 0.5, "stop": ["END"]}),
                &["effort"],
            ),
            (
                Provider::OpenRouter,
                json!({"temperature": 0.5, "reasoning": {"effort": "high"}, "stop": ["END"]}),
                &[],
            ),
        ] {
            let (body, losses) = provider.endpoint().sampling(&settings);

            assert_eq!(Value::Object(body), expected, "{provider}");
            let keywords: Vec<&str> = losses.iter().map(|loss| loss.keyword.as_str()).collect();
            assert_eq!(keywords, lost, "{provider}");
        }
    }

    #[test]
    fn records_reduced_and_invalid_values() {
        for (temperature, body) in [
            (1.7, json!({"temperature": 1.5})),
            (-1.0, json!({"temperature": 0.0})),
            (f64::NAN, json!({})),
        ] {
            let settings = ModelSettings::default().with_temperature(temperature);

            let (members, losses) = Provider::Mistral.endpoint().sampling(&settings);

            assert_eq!((Value::Object(members), losses.len()), (body, 1));
        }
        let many = ModelSettings::default().with_stop(["a", "b", "c", "d", "e"]);
        let (members, losses) = Provider::OpenAi.endpoint().sampling(&many);
        assert_eq!(members["stop"], json!(["a", "b", "c", "d"]));
        assert_eq!(losses.len(), 1);
    }
}
