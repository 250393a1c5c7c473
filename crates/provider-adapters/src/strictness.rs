//! Choice between the strict and the plain form of a tool.

use serde_json::Value;
use tool_core::LossKind;

use crate::schema::Losses;
use crate::{Object, StrictMode};

/// Converts a schema to a form of the provider and records the losses.
pub(crate) type ConvertSchema = fn(&Value, &mut Losses) -> Result<Value, String>;

/// Returns the schema to send and whether it is strict.
///
/// `fits_budget` returns `true` if the request may contain another strict tool with this schema.
pub(crate) fn choose(
    (mode, schema): (StrictMode, &Value),
    (strict, plain): (
        impl Fn(&Value, &mut Losses) -> Result<Value, String>,
        ConvertSchema,
    ),
    fits_budget: impl Fn(&Value) -> bool,
    losses: &mut Losses,
) -> Result<(Value, bool), String> {
    if mode == StrictMode::Off {
        return Ok((plain(schema, losses)?, false));
    }
    let mut strict_losses = losses.trial();
    // On trial: losses of a strict form that is not sent would only confuse.
    let converted = strict(schema, &mut strict_losses).unwrap_or_else(|reason| {
        strict_losses.record_not_strict("", "strict", &reason);
        Value::Null
    });
    if strict_losses.not_strict().is_none() && !fits_budget(&converted) {
        let detail = "the strict tools of one request would exceed the provider's limits";
        strict_losses.record_not_strict("", "strict", detail);
    }
    match strict_losses.not_strict() {
        None if mode == StrictMode::On || strict_losses.only_described() => {
            losses.extend(strict_losses);
            return Ok((converted, true));
        }
        Some(reason) if mode == StrictMode::On => {
            let detail = format!("sent without strict: {}", reason.detail);
            losses.add(&reason.pointer, &reason.keyword, LossKind::Degraded, detail);
        }
        _ => {}
    }
    Ok((plain(schema, losses)?, false))
}

/// Remaining capacity of one request for strict tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StrictBudget {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl Default for StrictBudget {
    fn default() -> Self {
        // Limits of Anthropic for one request, which Bedrock shares. Other providers have limits per schema only.
        Self {
            tools: 20,
            optional: 24,
            unions: 16,
        }
    }
}

impl StrictBudget {
    /// Returns the capacity after sending `tool`. Only strict tools use capacity.
    pub(crate) fn after(self, strict: bool, tool: &Value) -> Self {
        // The tool is converted already, so the schema is at the place of its dialect.
        let schema = ["/input_schema", "/toolSpec/inputSchema/json"]
            .iter()
            .find_map(|place| tool.pointer(place));
        match schema {
            Some(schema) if strict => self.deduct(schema).unwrap_or(self),
            _ => self,
        }
    }

    /// Returns `true` if there is capacity for another strict tool with this schema.
    pub(crate) fn can_add(self, schema: &Value) -> bool {
        self.deduct(schema).is_some()
    }

    fn deduct(self, schema: &Value) -> Option<Self> {
        let (mut optional, mut unions) = (0, 0);
        crate::schema::visit_all(schema, &mut |object| {
            optional += optional_properties(object);
            let union =
                object.contains_key("anyOf") || object.get("type").is_some_and(Value::is_array);
            unions += usize::from(union);
        });
        Some(Self {
            tools: self.tools.checked_sub(1)?,
            optional: self.optional.checked_sub(optional)?,
            unions: self.unions.checked_sub(unions)?,
        })
    }
}

fn optional_properties(object: &Object) -> usize {
    let count = |keyword: &str| match object.get(keyword) {
        Some(Value::Object(named)) => named.len(),
        Some(Value::Array(list)) => list.len(),
        _ => 0,
    };
    count("properties").saturating_sub(count("required"))
}

#[cfg(test)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the fakes have the signature of `ConvertSchema`"
)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lossless(schema: &Value, _: &mut Losses) -> Result<Value, String> {
        Ok(json!({"strict": schema}))
    }

    fn weaker(schema: &Value, losses: &mut Losses) -> Result<Value, String> {
        losses.add("/oneOf", "oneOf", LossKind::Widened, "weaker");
        Ok(json!({"strict": schema}))
    }

    fn not_strict(schema: &Value, losses: &mut Losses) -> Result<Value, String> {
        losses.record_not_strict("/a", "type", "no form");
        Ok(schema.clone())
    }

    fn failing(_: &Value, _: &mut Losses) -> Result<Value, String> {
        Err("too large".to_owned())
    }

    fn plain(schema: &Value, _: &mut Losses) -> Result<Value, String> {
        Ok(schema.clone())
    }

    #[test]
    fn strictness_depends_on_mode_and_losses() {
        for (mode, strict, is_strict, losses) in [
            (StrictMode::Auto, lossless as ConvertSchema, true, 0),
            (StrictMode::Auto, weaker, false, 0),
            (StrictMode::Auto, not_strict, false, 0),
            (StrictMode::Auto, failing, false, 0),
            (StrictMode::On, weaker, true, 1),
            (StrictMode::On, not_strict, false, 1),
            (StrictMode::Off, lossless, false, 0),
        ] {
            let mut recorded = Losses::new("f");

            let schema = json!({});
            let chosen = choose((mode, &schema), (strict, plain), |_| true, &mut recorded).unwrap();

            assert_eq!(
                (chosen.1, recorded.distinct().len()),
                (is_strict, losses),
                "{mode:?}"
            );
        }
    }

    #[test]
    fn sends_tools_over_strict_limits_plain_with_loss() {
        let mut recorded = Losses::new("f");

        let schema = json!({});
        let chosen = choose(
            (StrictMode::On, &schema),
            (lossless, plain),
            |_| false,
            &mut recorded,
        );

        assert_eq!(chosen, Ok((json!({}), false)));
        assert_eq!(recorded.distinct()[0].action, LossKind::Degraded);
    }

    #[test]
    fn allows_at_most_twenty_strict_tools() {
        let tool = json!({"input_schema": {"type": "object", "properties": {}}});

        let left = (0..20).fold(StrictBudget::default(), |left, _| left.after(true, &tool));

        assert!(!left.can_add(&tool["input_schema"]));
        assert!(StrictBudget::default().can_add(&tool["input_schema"]));
    }

    #[test]
    fn counts_optional_parameters() {
        let schema = json!({"properties": {"a": {}, "b": {}}, "required": ["a"]});

        assert_eq!(
            StrictBudget::default()
                .deduct(&schema)
                .map(|left| left.optional),
            Some(23)
        );
    }
}
