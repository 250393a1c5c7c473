//! Reports of recorded runs as HTML pages.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{RecordedRun, kind};
use crate::Prices;

const PAGE: &str = include_str!("report/page.html");
const STYLE: &str = include_str!("report/page.css");
const SCRIPT: &str = include_str!("report/page.js");

/// Maximum size in bytes of the data in a page.
const MAX_BYTES: usize = 900_000;
/// Limits in characters for each string. The first one for which the page is small enough applies.
const TEXT_LIMITS: [usize; 7] = [20_000, 8_000, 4_000, 2_000, 1_000, 400, 100];
/// Limits for the number of entries, if truncated strings do not suffice.
const ENTRY_LIMITS: [usize; 3] = [4_000, 1_000, 200];

/// Report of recorded runs as one HTML page, which needs no network.
///
/// The page has under 1 MB: long content is truncated and followed by its length. All content of the run is
/// shown as text; a content security policy permits only the page's own script and style.
///
/// # Examples
/// ```no_run
/// use agent_loop::{Prices, RecordedRun, RunReport};
///
/// let recorded = RecordedRun::read("run.jsonl")?;
/// let page = RunReport::new([&recorded]).prices(Prices::new(3.0, 15.0)).to_html();
/// # Ok::<_, agent_loop::RunFileError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RunReport<'r> {
    runs: Vec<&'r RecordedRun>,
    prices: Option<Prices>,
}

impl<'r> RunReport<'r> {
    /// Creates a report of one or more runs, such as the runs of one conversation in order, without prices.
    pub fn new(runs: impl IntoIterator<Item = &'r RecordedRun>) -> Self {
        Self {
            runs: runs.into_iter().collect(),
            prices: None,
        }
    }

    /// Sets the prices for the cost of each turn and of the run.
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// Returns the page.
    pub fn to_html(&self) -> String {
        let policy = format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
            source_hash(SCRIPT),
            source_hash(STYLE)
        );
        let parts = [
            ("{{policy}}", policy.as_str()),
            ("{{style}}", STYLE),
            ("{{run}}", &self.data()),
            ("{{script}}", SCRIPT),
        ];
        let mut page = String::new();
        let mut rest = PAGE;
        for (mark, content) in parts {
            let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
            page.push_str(before);
            page.push_str(content);
            rest = after;
        }
        page + rest
    }

    /// Returns the run as JSON without `<`, so that it cannot end its element.
    fn data(&self) -> String {
        let entries = self.runs.iter().flat_map(|run| run.entries());
        let shown = entries.filter(|entry| kind(entry) != "model_requested");
        let shown: Vec<Value> = shown.map(without_copies).collect();
        let texts = TEXT_LIMITS.map(|text| (text, usize::MAX));
        let few = ENTRY_LIMITS.map(|entries| (100, entries));
        let mut data = String::new();
        for (text, entries) in texts.into_iter().chain(few) {
            let ends = shown.len().saturating_sub(entries / 2);
            let kept = shown.iter().enumerate();
            let kept = kept.filter(|(at, _)| *at < entries.div_ceil(2) || *at >= ends);
            let entries: Vec<Value> = kept.map(|(_, entry)| truncated(entry, text)).collect();
            let run = json!({"prices": self.prices, "entries": entries});
            // `</script>` inside a tool result would end the element, and the rest would be markup.
            data = run.to_string().replace('<', "\\u003c");
            if data.len() <= MAX_BYTES {
                break;
            }
        }
        data
    }
}

/// Returns the source of a content security policy for an inline script or style.
fn source_hash(content: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(content)))
}

/// Removes content that is also in other entries. Of the data of a result, only a diff is shown.
fn without_copies(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Some(result) = entry.get_mut("result").and_then(Value::as_object_mut)
        && let Some(data) = result.remove("data")
        && let Some(diff) = data.get("diff").filter(|diff| diff.is_string())
    {
        result.insert("data".to_owned(), json!({"diff": diff}));
    }
    if kind(&entry) == "transcript_replaced"
        && let Some(members) = entry.as_object_mut()
    {
        members.remove("transcript");
    }
    entry
}

/// Truncates all strings to `most` characters.
fn truncated(value: &Value, most: usize) -> Value {
    match value {
        Value::String(text) => {
            let Some((end, _)) = text.char_indices().nth(most) else {
                return value.clone();
            };
            let mut short = text.get(..end).unwrap_or_default().to_owned();
            // Writing to a `String` cannot fail.
            let _ = write!(short, "… ({} characters)", text.chars().count());
            Value::String(short)
        }
        Value::Array(items) => items.iter().map(|item| truncated(item, most)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), truncated(member, most)))
            .collect(),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests;
