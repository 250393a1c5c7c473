//! Names of time zones.

use jiff::tz::{TimeZone, db};

/// Number of names in a suggestion.
const SUGGESTIONS: usize = 3;

/// Returns the zone with this IANA name, or similar names separated by commas.
pub(crate) fn zone(name: &str) -> Result<TimeZone, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    if name.len() <= 64
        && name.chars().all(is_name)
        && let Ok(zone) = TimeZone::get(name)
    {
        return Ok(zone);
    }
    Err(similar(name))
}

/// Returns the names that share a place or a beginning with `name`.
fn similar(name: &str) -> String {
    let wanted: String = name.chars().take(64).collect();
    let wanted = wanted.to_ascii_lowercase().replace(' ', "_");
    let place = wanted.rsplit('/').next().unwrap_or_default();
    let shared = |one: &str, other: &str| {
        let pairs = one.bytes().zip(other.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let mut scored: Vec<(usize, String)> = db()
        .available()
        .map(|known| {
            let lower = known.as_str().to_ascii_lowercase();
            let own = lower.rsplit('/').next().unwrap_or_default();
            let score = shared(own, place).max(shared(&lower, &wanted) / 2);
            (usize::MAX - score, known.as_str().to_owned())
        })
        .collect();
    scored.sort();
    let names = scored.into_iter().take(SUGGESTIONS);
    let names: Vec<String> = names.map(|(_, name)| name).collect();
    if names.is_empty() {
        "Europe/Berlin".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_zone_names_similar_ones() {
        assert!(zone("Europe/Berlin").is_ok());
        assert!(zone("Berlin").unwrap_err().contains("Europe/Berlin"));
        assert!(
            zone("America/New York")
                .unwrap_err()
                .contains("America/New_York")
        );
        for name in ["../../etc/passwd", "", "Mars/Olympus", "Europe/Berlin\n"] {
            assert!(zone(name).is_err(), "{name}");
        }
    }
}
