//! stub
use crate::DecodeError;
use crate::decoded::Choice;
use crate::encode::Conversation;
use crate::plan::{Asked, Spoken};
use crate::request::Draft;
use crate::schema::Losses;
use serde_json::{Map, Value, json};
pub(crate) fn tool(_asked: Asked<'_>, _losses: &mut Losses) -> Result<Spoken, String> {
    Ok(Spoken::default())
}
pub(crate) fn request(_draft: &mut Draft) -> Map<String, Value> {
    Map::new()
}
pub(crate) fn decode(_response: &Map<String, Value>) -> Result<Vec<Choice>, DecodeError> {
    Ok(vec![Choice::default()])
}
pub(crate) fn encode(_conversation: &mut Conversation) -> Value {
    json!({})
}
