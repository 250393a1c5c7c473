//! Index of definitions by their words.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;
use serde::Serialize;
use serde_json::Value;

use super::words::{first_sentence, stems, trigrams};
use crate::ToolDefinition;
use crate::text::words;

/// Weights of the words of a name, of the first sentence of a description, and of names and descriptions of parameters.
/// They were chosen with two public collections of tools and tasks, as were the numbers below.
const WEIGHTS: [f64; 4] = [4.0, 1.0, 1.0, 0.75];

/// How much a repeated word adds, and how much a long definition loses.
const SATURATION: f64 = 1.5;
const LENGTH: f64 = 0.5;

/// Share of the trigrams of names, which find misspelled and joined words.
const TRIGRAMS: f64 = 0.25;

/// Levels of parameters that are read.
const MAX_DEPTH: usize = 4;

/// A tool that a search found.
///
/// # Examples
/// ```
/// use tool_core::ToolDefinition;
/// use tool_core::search::ToolIndex;
///
/// let tools = [ToolDefinition::new("get_weather", "Returns the weather of a city.", serde_json::json!({}))];
/// let found = ToolIndex::new(&tools).search("weather", 5);
/// assert_eq!((found[0].name.as_str(), found[0].score > 0.0), ("get_weather", true));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FoundTool {
    /// Name of the tool.
    pub name: String,
    /// How well the tool fits: greater is better. Only scores of one search can be compared.
    pub score: f64,
}

/// Index of tools by the words of their names, descriptions and parameters (BM25 with trigrams of names).
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::ToolDefinition;
/// use tool_core::search::ToolIndex;
///
/// let tool = |name, description| ToolDefinition::new(name, description, json!({"type": "object"}));
/// let index = ToolIndex::new(&[
///     tool("create_issue", "Creates an issue in a repository."),
///     tool("send_mail", "Sends a message to a person."),
/// ]);
/// assert_eq!(index.search("report a bug as a new issue", 1)[0].name, "create_issue");
/// ```
#[derive(Debug, Clone, Default)]
pub struct ToolIndex {
    names: Vec<String>,
    words: Postings<String>,
    trigrams: Postings<[char; 3]>,
    /// Weighted number of words of each tool, and of all of them.
    lengths: Vec<f64>,
    total: f64,
}

impl ToolIndex {
    /// Reads the definitions.
    #[must_use]
    pub fn new(definitions: &[ToolDefinition]) -> Self {
        let mut index = Self::default();
        let mut seen = Seen::default();
        for definition in definitions {
            index.add(definition, &mut seen);
        }
        index
    }

    fn add<'d>(&mut self, definition: &'d ToolDefinition, seen: &mut Seen<'d>) {
        let tool = self.names.len();
        let mut length = 0.0;
        let first = first_sentence(definition.description());
        let [of_name, of_sentence, of_parameter, of_description] = WEIGHTS;
        let mut read = |text: &'d str, weight: f64| {
            for word in words(text) {
                let stems = seen.entry(word).or_insert_with(|| {
                    let stems = stems(word).into_iter();
                    stems.map(|stem| self.words.number(stem)).collect()
                });
                for stem in &*stems {
                    self.words.add(*stem, tool, weight);
                    length += weight;
                }
            }
        };
        read(definition.name(), of_name);
        read(first, of_sentence);
        for_each_parameter(
            definition.input_schema(),
            MAX_DEPTH,
            &mut |name, description| {
                read(name, of_parameter);
                read(description, of_description);
            },
        );
        let grams = trigrams(definition.name());
        // A short name that has the same trigrams fits better.
        #[expect(clippy::cast_precision_loss, reason = "names are short")]
        let share = 1.0 / (grams.len() as f64 + 1.0).sqrt();
        for gram in grams {
            let gram = self.trigrams.number(gram);
            self.trigrams.add(gram, tool, share);
        }
        self.names.push(definition.name().to_owned());
        self.lengths.push(length);
        self.total += length;
    }

    /// Returns the best `limit` tools for a description of what the tool should do, the best first; fewer if fewer tools
    /// have a word of the query.
    ///
    /// The query `select:read,edit` returns the tools with these names.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<FoundTool> {
        if let Some(names) = query.trim().strip_prefix("select:") {
            return self.named(names, limit);
        }
        let scores = self.scores(query);
        let mut found: Vec<(f64, &str)> = (scores.into_iter().zip(&self.names))
            .filter(|(score, _)| *score > 0.0)
            .map(|(score, name)| (score, name.as_str()))
            .collect();
        let better = |left: &(f64, &str), right: &(f64, &str)| {
            right.0.total_cmp(&left.0).then_with(|| left.1.cmp(right.1))
        };
        if limit > 0 && limit < found.len() {
            found.select_nth_unstable_by(limit, better);
        }
        found.truncate(limit);
        found.sort_unstable_by(better);
        let found = found
            .into_iter()
            .map(|(score, name)| (name.to_owned(), score));
        found
            .map(|(name, score)| FoundTool { name, score })
            .collect()
    }

    fn named(&self, names: &str, limit: usize) -> Vec<FoundTool> {
        let wanted = names.split(',').map(str::trim);
        let known = wanted.filter(|wanted| self.names.iter().any(|name| name == wanted));
        let found = |name: &str| FoundTool {
            name: name.to_owned(),
            score: 1.0,
        };
        known.take(limit).map(found).collect()
    }

    fn scores(&self, query: &str) -> Vec<f64> {
        let mut scores = vec![0.0; self.names.len()];
        #[expect(clippy::cast_precision_loss, reason = "there are not 2^52 tools")]
        let count = self.names.len() as f64;
        // Each word counts once, and in one order, because sums of floats depend on it.
        let mut words: Vec<String> = words(query).flat_map(stems).collect();
        words.sort_unstable();
        words.dedup();
        self.words
            .score(&words, count, &mut scores, |tool, weight| {
                let length = self.lengths.get(tool).copied().unwrap_or_default();
                let penalty = 1.0 - LENGTH + LENGTH * length * count / self.total;
                weight * (SATURATION + 1.0) / (weight + SATURATION * penalty)
            });
        let mut similar = vec![0.0; self.names.len()];
        self.trigrams
            .score(&trigrams(query), count, &mut similar, |_, share| share);
        let best = |scores: &[f64]| scores.iter().copied().fold(0.0, f64::max);
        let (most, most_similar) = (best(&scores), best(&similar));
        if most_similar > 0.0 {
            let scale = TRIGRAMS * if most > 0.0 { most } else { 1.0 } / most_similar;
            for (score, similar) in scores.iter_mut().zip(similar) {
                *score += scale * similar;
            }
        }
        scores
    }
}

/// Numbers of the stems of each word that was read. Most words of a definition are in many others too.
type Seen<'d> = HashMap<&'d str, Vec<usize>, RandomState>;

/// Tools by a feature, each with its weight.
#[derive(Debug, Clone)]
struct Postings<F> {
    numbers: HashMap<F, usize, RandomState>,
    tools: Vec<Vec<(usize, f64)>>,
}

impl<F> Default for Postings<F> {
    fn default() -> Self {
        Self {
            numbers: HashMap::default(),
            tools: Vec::new(),
        }
    }
}

impl<F: Eq + Hash> Postings<F> {
    /// Returns the number of a feature.
    fn number(&mut self, feature: F) -> usize {
        *self.numbers.entry(feature).or_insert_with(|| {
            self.tools.push(Vec::new());
            self.tools.len() - 1
        })
    }

    /// Adds a weight to the feature of a tool. Tools come in order.
    fn add(&mut self, number: usize, tool: usize, weight: f64) {
        let Some(tools) = self.tools.get_mut(number) else {
            return;
        };
        match tools.last_mut() {
            Some((last, sum)) if *last == tool => *sum += weight,
            _ => tools.push((tool, weight)),
        }
    }

    /// Adds what each feature of the query is worth to the scores of its tools; a rare one is worth more.
    fn score(
        &self,
        query: &[F],
        count: f64,
        scores: &mut [f64],
        worth: impl Fn(usize, f64) -> f64,
    ) {
        let numbers = query.iter().filter_map(|feature| self.numbers.get(feature));
        for postings in numbers.filter_map(|number| self.tools.get(*number)) {
            #[expect(clippy::cast_precision_loss, reason = "there are not 2^52 tools")]
            let having = postings.len() as f64;
            let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            for (tool, weight) in postings {
                if let Some(score) = scores.get_mut(*tool) {
                    *score += rarity * worth(*tool, *weight);
                }
            }
        }
    }
}

/// Passes the name and the description of each parameter, down to `depth` levels.
fn for_each_parameter<'s>(
    schema: &'s Value,
    depth: usize,
    read: &mut impl FnMut(&'s str, &'s str),
) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let description = property.get("description").and_then(Value::as_str);
        read(name, description.unwrap_or_default());
        if depth > 1 {
            for_each_parameter(property, depth - 1, read);
        }
    }
    if let Some(items) = schema.get("items").filter(|_| depth > 1) {
        for_each_parameter(items, depth - 1, read);
    }
}
