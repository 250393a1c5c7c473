//! The insides of arrays, objects and enums.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use super::Reader;
use super::error::ReadError;
use super::key::Key;
use crate::json::tape::node::{Items, Members, Node};

/// The items of an array, each of which must be read.
pub(super) struct ItemAccess<'de> {
    items: Items<'de>,
    index: usize,
}

impl<'de> ItemAccess<'de> {
    pub(super) fn new(node: Node<'de>) -> Self {
        Self {
            items: node.item_nodes(),
            index: 0,
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), ReadError> {
        match self.items.next() {
            None => Ok(()),
            Some(_) => Err(ReadError::custom("the array has more items than are known")),
        }
    }
}

impl<'de> SeqAccess<'de> for ItemAccess<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some(item) = self.items.next() else {
            return Ok(None);
        };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Reader(item))
            .map(Some)
            .map_err(|error| error.inside(&index.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        self.items.size_hint().1
    }
}

/// The members of an object, each of which must be read.
pub(super) struct MemberAccess<'de> {
    members: Members<'de>,
    value: Option<(&'de str, Node<'de>)>,
}

impl<'de> MemberAccess<'de> {
    pub(super) fn new(node: Node<'de>) -> Self {
        Self {
            members: node.member_nodes(),
            value: None,
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), ReadError> {
        match self.members.next() {
            None => Ok(()),
            Some(_) => Err(ReadError::custom(
                "the object has more members than are known",
            )),
        }
    }
}

impl<'de> MapAccess<'de> for MemberAccess<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        self.value = self.members.next();
        let Some((key, _)) = self.value else {
            return Ok(None);
        };
        seed.deserialize(Key(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        match self.value {
            Some((key, value)) => seed
                .deserialize(Reader(value))
                .map_err(|error| error.inside(key)),
            None => Err(ReadError::custom("a value was asked for before its key")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.members.size_hint().1
    }
}

/// A variant: its name alone, or an object with its name and its content.
pub(super) struct Enumerated<'de> {
    variant: &'de str,
    content: Option<Node<'de>>,
}

impl<'de> Enumerated<'de> {
    pub(super) fn of(reader: Reader<'de>) -> Result<Self, ReadError> {
        let node = reader.0;
        if let Some(variant) = node.as_str() {
            return Ok(Self {
                variant,
                content: None,
            });
        }
        let mut members = node.member_nodes();
        match (members.next(), members.next()) {
            (Some((variant, content)), None) => Ok(Self {
                variant,
                content: Some(content),
            }),
            _ => reader.mismatch("a variant's name, or an object with one member"),
        }
    }

    fn content(&self) -> Result<Reader<'de>, ReadError> {
        self.content.map(Reader).ok_or_else(|| {
            ReadError::custom(format_args!(
                "the variant `{}` lacks its content",
                self.variant
            ))
        })
    }
}

impl<'de> EnumAccess<'de> for Enumerated<'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let name = seed.deserialize(BorrowedStrDeserializer::<ReadError>::new(self.variant))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Enumerated<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.content {
            None => Ok(()),
            Some(content) => Reader(content).mismatch("the variant's name alone"),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self.content()?)
            .map_err(|error| error.inside(self.variant))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.content()?
            .deserialize_tuple(length, visitor)
            .map_err(|error| error.inside(self.variant))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.content()?
            .deserialize_struct("", fields, visitor)
            .map_err(|error| error.inside(self.variant))
    }
}
