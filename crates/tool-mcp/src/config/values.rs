//! Values of configuration files that have another form than the fields.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use tool_core::{RiskLevel, Secret};

/// Longest accepted duration.
const LONGEST: Duration = Duration::from_hours(24);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string")]
enum Scalar {
    Text(String),
    // Other clients accept numbers and booleans as values of variables.
    Number(serde_json::Number),
    Flag(bool),
}

pub(super) fn secrets<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Secret<String>>, D::Error> {
    let values = BTreeMap::<String, Scalar>::deserialize(deserializer)?;
    let values = values.into_iter().map(|(name, value)| {
        let text = match value {
            Scalar::Text(text) => text,
            Scalar::Number(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
        };
        (name, Secret::new(text))
    });
    Ok(values.collect())
}

pub(super) fn secret<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Secret<String>>, D::Error> {
    String::deserialize(deserializer).map(|text| Some(Secret::new(text)))
}

/// Reads risks by pattern, in the order of the file: the first match applies.
pub(super) fn risks<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, RiskLevel)>, D::Error> {
    let risks = Map::deserialize(deserializer)?.into_iter();
    let risks = risks.map(|(pattern, risk)| Ok((pattern, RiskLevel::deserialize(risk)?)));
    risks
        .collect::<Result<_, serde_json::Error>>()
        .map_err(Error::custom)
}

pub(super) fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    NonZeroUsize::deserialize(deserializer).map(NonZeroUsize::get)
}

pub(super) fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let expected = "expected a number of seconds above 0, or a string such as \"500ms\" or \"5m\"";
    parse(&Value::deserialize(deserializer)?).ok_or_else(|| Error::custom(expected))
}

pub(super) fn optional_duration<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}

/// Numbers of 1,000 or more are milliseconds, because the files of some clients use them.
fn parse(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => match number.as_f64()? {
            milliseconds if milliseconds >= 1000.0 => milliseconds / 1000.0,
            seconds => seconds,
        },
        Value::String(text) => {
            let text = text.trim();
            let at = text.find(|c: char| c.is_ascii_alphabetic())?;
            let (number, unit) = text.split_at(at);
            let scale = match unit {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                _ => return None,
            };
            number.trim().parse::<f64>().ok()? * scale
        }
        _ => return None,
    };
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    (duration > Duration::ZERO && duration <= LONGEST).then_some(duration)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parses_seconds_and_units() {
        for (value, milliseconds) in [
            (json!(30), Some(30_000)),
            (json!(0.5), Some(500)),
            (json!(600_000), Some(600_000)),
            (json!("250ms"), Some(250)),
            (json!("2 m"), Some(120_000)),
            (json!("5s"), Some(5_000)),
            (json!(0), None),
            (json!(-1), None),
            (json!("soon"), None),
            (json!("1e99s"), None),
            (json!(true), None),
        ] {
            assert_eq!(
                parse(&value),
                milliseconds.map(Duration::from_millis),
                "{value}"
            );
        }
    }
}
