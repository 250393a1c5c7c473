//! Tool results so far, read from the conversation.

use std::collections::HashMap;

use agent_loop::ModelError;
use provider_adapters::{Block, Content, Message, ToolMessage, Transcript};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::spots::Spot;
use super::{LIST, SEARCHES, read_id, search_id};

/// Results by call id.
pub(super) struct Findings<'t>(HashMap<&'t str, &'t ToolMessage>);

/// Output of `list_files`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Listing {
    pub(super) files: Vec<ListedFile>,
    pub(super) truncated: bool,
    #[serde(skip)]
    pub(super) warnings: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ListedFile {
    pub(super) path: String,
    pub(super) size: u64,
}

/// Output of `search_code`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Hits {
    pub(super) matches: Vec<Hit>,
    pub(super) total_matches: usize,
    pub(super) files_searched: usize,
    pub(super) truncated: bool,
    #[serde(skip)]
    pub(super) warnings: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hit {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) text: String,
}

/// Part of a file, or an error.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) path: String,
    pub(super) first_line: usize,
    /// Text, and whether it was truncated.
    pub(super) text: Result<(String, bool), String>,
}

#[derive(Deserialize)]
struct Read {
    content: String,
    truncated: bool,
}

impl<'t> Findings<'t> {
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        let answers = transcript
            .messages()
            .iter()
            .filter_map(|message| match message {
                Message::Tool { results } => Some(results),
                _ => None,
            });
        let by_id = |answer: &'t ToolMessage| (answer.call_id.as_str(), answer);
        Self(answers.flatten().map(by_id).collect())
    }

    /// Returns `true` if a call has a result.
    pub(super) fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// Returns the text of a result, or an error if the call failed, because the survey cannot
    /// continue without it.
    pub(super) fn success_of(&self, id: &str) -> Result<Option<String>, ModelError> {
        let Some(answer) = self.0.get(id) else {
            return Ok(None);
        };
        let text = first_text(answer);
        if answer.is_error {
            return Err(ModelError::Other(format!(
                "`{}` failed: {text}",
                answer.name
            )));
        }
        Ok(Some(text))
    }

    pub(super) fn listing(&self) -> Result<Option<Listing>, ModelError> {
        let listing = self.data::<Listing>(LIST)?;
        let warnings = self.warnings(LIST);
        Ok(listing.map(|listing| Listing {
            warnings,
            ..listing
        }))
    }

    /// Returns the hits of each search, in order; empty if there were no searches.
    pub(super) fn searches(&self) -> Result<Vec<Hits>, ModelError> {
        let mut found = Vec::with_capacity(SEARCHES.len());
        for index in 0..SEARCHES.len() {
            let id = search_id(index);
            if let Some(hits) = self.data::<Hits>(&id)? {
                let warnings = self.warnings(&id);
                found.push(Hits { warnings, ..hits });
            }
        }
        Ok(found)
    }

    /// Returns the text at the spots. Files that cannot be read are reported and do not stop the
    /// survey.
    pub(super) fn excerpts(&self, spots: &[Spot]) -> Result<Vec<Excerpt>, ModelError> {
        let mut excerpts = Vec::with_capacity(spots.len());
        for (index, spot) in spots.iter().enumerate() {
            let id = read_id(index);
            let text = match self.0.get(id.as_str()) {
                Some(answer) if answer.is_error => Err(first_text(answer)),
                _ => match self.data::<Read>(&id)? {
                    Some(read) => Ok((read.content, read.truncated)),
                    None => continue,
                },
            };
            excerpts.push(Excerpt {
                path: spot.path.clone(),
                first_line: spot.first_line,
                text,
            });
        }
        Ok(excerpts)
    }

    fn data<T: DeserializeOwned>(&self, id: &str) -> Result<Option<T>, ModelError> {
        let Some(text) = self.success_of(id)? else {
            return Ok(None);
        };
        let unreadable =
            |error| ModelError::Other(format!("the result of `{id}` cannot be parsed: {error}"));
        serde_json::from_str(&text).map(Some).map_err(unreadable)
    }

    fn warnings(&self, id: &str) -> Vec<String> {
        let answer = self.0.get(id);
        let blocks = answer.map(|answer| texts(answer)).unwrap_or_default();
        blocks.into_iter().skip(1).collect()
    }
}

fn first_text(answer: &ToolMessage) -> String {
    texts(answer).into_iter().next().unwrap_or_default()
}

fn texts(answer: &ToolMessage) -> Vec<String> {
    match &answer.content {
        Content::Text(text) => vec![text.clone()],
        Content::Blocks(blocks) => blocks.iter().filter_map(Block::to_text).collect(),
    }
}
