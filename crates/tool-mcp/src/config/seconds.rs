//! Durations in configurations.

use std::time::Duration;

use serde_json::Value;

/// Longest accepted duration.
const LONGEST: Duration = Duration::from_hours(24);

/// Parses a number of seconds, or a string such as `500ms`, `30s` or `5m`.
///
/// Numbers of 1,000 or more are milliseconds, because the files of some clients use them.
pub(super) fn parse(value: &Value) -> Option<Duration> {
    let duration = match value {
        Value::Number(number) => match number.as_f64()? {
            milliseconds if milliseconds >= 1000.0 => seconds(milliseconds / 1000.0)?,
            whole => seconds(whole)?,
        },
        Value::String(text) => parse_text(text.trim())?,
        _ => return None,
    };
    (duration > Duration::ZERO && duration <= LONGEST).then_some(duration)
}

fn parse_text(text: &str) -> Option<Duration> {
    let (digits, scale) = if let Some(digits) = text.strip_suffix("ms") {
        (digits, 0.001)
    } else if let Some(digits) = text.strip_suffix('s') {
        (digits, 1.0)
    } else {
        (text.strip_suffix('m')?, 60.0)
    };
    seconds(digits.trim().parse::<f64>().ok()? * scale)
}

fn seconds(value: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(value).ok()
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
