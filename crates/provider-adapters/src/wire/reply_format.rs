//! Native JSON answers of a provider.

use serde_json::{Map, Value, json};

use super::endpoint::{Endpoint, ReplyFormat, insert_at};

impl Endpoint {
    /// Returns the members of a request body that require an answer that matches `schema`. `None` if the provider does
    /// not support it together with tools.
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::Provider;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object"});
    /// let body = Provider::Anthropic.endpoint().reply_format(&schema);
    /// let format = json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}});
    /// assert_eq!(body.map(|body| json!(body)), Some(format));
    /// assert_eq!(Provider::Gemini.endpoint().reply_format(&schema), None);
    /// ```
    #[must_use]
    pub fn reply_format(&self, schema: &Value) -> Option<Map<String, Value>> {
        let (pointer, format) = match self.answer {
            ReplyFormat::None => return None,
            ReplyFormat::ResponseFormat => (
                "/response_format",
                json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}),
            ),
            ReplyFormat::TextFormat => (
                "/text/format",
                // Strict is the default there, but the schema isn't converted to the strict subset.
                json!({"type": "json_schema", "name": "answer", "schema": schema, "strict": false}),
            ),
            ReplyFormat::OutputConfig => (
                "/output_config/format",
                json!({"type": "json_schema", "schema": schema}),
            ),
        };
        let mut body = Map::new();
        insert_at(&mut body, pointer, format);
        Some(body)
    }
}
