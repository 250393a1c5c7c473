//! JSON of any depth, read to a depth that no schema which can be sent comes to.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer};
use serde_json::Value;

use crate::read_json::Reading;

/// The most levels that are read. A schema that is longer than the most a provider is sent stays longer, whatever
/// stands around it.
const MAX_DEPTH: usize = 126;

/// A JSON value; what is nested too deep is null.
pub(super) struct Shallow(pub(super) Value);

impl<'de> Deserialize<'de> for Shallow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Reading::shallow(MAX_DEPTH)
            .deserialize(deserializer)
            .map(Self)
    }
}
