//! Schemas as providers take them: a row of small passes, each with one thing to do.

mod losses;

pub(crate) use losses::Losses;
pub(crate) fn strip_added_nulls(
    _: &serde_json::Value,
    _: &mut serde_json::Map<String, serde_json::Value>,
) {
}
