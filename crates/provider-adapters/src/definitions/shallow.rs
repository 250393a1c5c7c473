//! JSON values with a depth limit above that of valid schemas.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer};
use serde_json::Value;

use crate::json_reader::JsonReader;

/// Maximum number of levels to read. Exceeds the maximum depth of a schema including the objects
/// around it, so that conversion still detects a schema that is too deep.
const MAX_DEPTH: usize = 126;

/// JSON value in which members below [`MAX_DEPTH`] are null.
pub(super) struct ShallowValue(pub(super) Value);

impl<'de> Deserialize<'de> for ShallowValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        JsonReader::shallow(MAX_DEPTH)
            .deserialize(deserializer)
            .map(Self)
    }
}
