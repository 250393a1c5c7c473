//! Metadata of an output by name.

use std::collections::BTreeMap;
use std::collections::btree_map::{IntoIter, Iter};
use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Metadata of an output by name. Dereferences to a map, and does not allocate while it is empty.
///
/// # Examples
/// ```
/// use tool_core::ToolOutput;
///
/// let mut output = ToolOutput::text("3 lines");
/// output.metadata.insert("lines".to_owned(), 3.into());
///
/// assert_eq!(output.metadata["lines"], 3);
/// ```
#[derive(Clone, Default)]
#[expect(
    clippy::box_collection,
    reason = "usually empty, and an empty map is more expensive to move and drop than `None`"
)]
pub struct Notes(Option<Box<BTreeMap<String, Value>>>);

impl Deref for Notes {
    type Target = BTreeMap<String, Value>;

    fn deref(&self) -> &Self::Target {
        static NONE: BTreeMap<String, Value> = BTreeMap::new();
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for Notes {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.get_or_insert_default()
    }
}

impl Extend<(String, Value)> for Notes {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, notes: I) {
        for (key, value) in notes {
            self.insert(key, value);
        }
    }
}

impl FromIterator<(String, Value)> for Notes {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(notes: I) -> Self {
        let mut collected = Self::default();
        collected.extend(notes);
        collected
    }
}

impl From<BTreeMap<String, Value>> for Notes {
    fn from(notes: BTreeMap<String, Value>) -> Self {
        Self((!notes.is_empty()).then(|| Box::new(notes)))
    }
}

impl<const N: usize> From<[(String, Value); N]> for Notes {
    fn from(notes: [(String, Value); N]) -> Self {
        notes.into_iter().collect()
    }
}

impl IntoIterator for Notes {
    type Item = (String, Value);
    type IntoIter = IntoIter<String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.map(|notes| *notes).unwrap_or_default().into_iter()
    }
}

impl<'n> IntoIterator for &'n Notes {
    type Item = (&'n String, &'n Value);
    type IntoIter = Iter<'n, String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Notes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for Notes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Notes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emptied_notes_equal_new_ones() {
        let mut emptied = Notes::from([("a".to_owned(), 1.into())]);
        emptied.remove("a");

        assert_eq!(emptied, Notes::default());
        assert_eq!(serde_json::to_string(&emptied).unwrap(), "{}");
        assert_eq!(serde_json::from_str::<Notes>("{}").unwrap(), emptied);
    }

    #[test]
    fn survive_json_in_order() {
        let notes = Notes::from([("b".to_owned(), 2.into()), ("a".to_owned(), 1.into())]);

        let stored = serde_json::to_string(&notes).unwrap();

        assert_eq!(stored, r#"{"a":1,"b":2}"#);
        assert_eq!(serde_json::from_str::<Notes>(&stored).unwrap(), notes);
        let names: Vec<String> = notes.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
