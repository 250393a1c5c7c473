//! What the tools answered so far, read from the conversation.

use std::collections::HashMap;

use agent_loop::ModelError;
use provider_adapters::{Block, Content, Message, ToolAnswer, Transcript};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::spots::Spot;
use super::{LIST, SEARCHES, read_id, search_id};

/// The answers by the ids of their calls.
pub(super) struct Findings<'t>(HashMap<&'t str, &'t ToolAnswer>);

/// What `list_files` gives.
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

/// What `search_code` gives.
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

/// A piece of a file that was read, or why it could not be.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) path: String,
    pub(super) first_line: usize,
    /// The text, and whether a limit cut it.
    pub(super) text: Result<(String, bool), String>,
}

#[derive(Deserialize)]
struct Read {
    content: String,
    truncated: bool,
}

impl<'t> Findings<'t> {
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        let answers = transcript.iter().filter_map(|message| match message {
            Message::Tool { results } => Some(results),
            _ => None,
        });
        let by_id = |answer: &'t ToolAnswer| (answer.call_id.as_str(), answer);
        Self(answers.flatten().map(by_id).collect())
    }

    /// Whether a call was answered.
    pub(super) fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// The text of an answer; an error when the call failed, because the survey cannot go on without it.
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

    /// The hits of each search, in the order of the searches; nothing where none was made.
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

    /// What was read at the spots. A file that cannot be read is told of, and stops nothing.
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
            |error| ModelError::Other(format!("the answer to `{id}` cannot be read: {error}"));
        serde_json::from_str(&text).map(Some).map_err(unreadable)
    }

    fn warnings(&self, id: &str) -> Vec<String> {
        let answer = self.0.get(id);
        let blocks = answer.map(|answer| texts(answer)).unwrap_or_default();
        blocks.into_iter().skip(1).collect()
    }
}

fn first_text(answer: &ToolAnswer) -> String {
    texts(answer).into_iter().next().unwrap_or_default()
}

fn texts(answer: &ToolAnswer) -> Vec<String> {
    match &answer.content {
        Content::Text(text) => vec![text.clone()],
        Content::Blocks(blocks) => blocks.iter().filter_map(Block::to_text).collect(),
    }
}
