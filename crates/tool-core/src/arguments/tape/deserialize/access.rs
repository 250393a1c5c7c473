//! The insides of arrays, objects and enums.

use serde::de::value::{BorrowedStrDeserializer, Error};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use super::key::Key;
use crate::arguments::tape::node::{Items, Members, Node};

/// The items of an array, each of which must be read.
pub(super) struct ItemAccess<'de>(Items<'de>);

impl<'de> ItemAccess<'de> {
    pub(super) fn new(node: Node<'de>) -> Self {
        Self(node.item_nodes())
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        match self.0.next() {
            None => Ok(()),
            Some(_) => Err(Error::custom("the array has more items than are known")),
        }
    }
}

impl<'de> SeqAccess<'de> for ItemAccess<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|item| seed.deserialize(item)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint().1
    }
}

/// The members of an object, each of which must be read.
pub(super) struct MemberAccess<'de> {
    members: Members<'de>,
    value: Option<Node<'de>>,
}

impl<'de> MemberAccess<'de> {
    pub(super) fn new(node: Node<'de>) -> Self {
        Self {
            members: node.member_nodes(),
            value: None,
        }
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        match self.members.next() {
            None => Ok(()),
            Some(_) => Err(Error::custom("the object has more members than are known")),
        }
    }
}

impl<'de> MapAccess<'de> for MemberAccess<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.members.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(Key(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match self.value.take() {
            Some(value) => seed.deserialize(value),
            None => Err(Error::custom("a value was asked for before its key")),
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
    pub(super) fn of(node: Node<'de>) -> Result<Self, Error> {
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
            _ => node.mismatch("a variant's name, or an object with one member"),
        }
    }

    fn content(&self) -> Result<Node<'de>, Error> {
        self.content.ok_or_else(|| {
            Error::custom(format_args!(
                "the variant `{}` lacks its content",
                self.variant
            ))
        })
    }
}

impl<'de> EnumAccess<'de> for Enumerated<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let name = seed.deserialize(BorrowedStrDeserializer::<Error>::new(self.variant))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Enumerated<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.content {
            None => Ok(()),
            Some(content) => content.mismatch("the variant's name alone"),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        self.content()?.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.content()?.deserialize_struct("", fields, visitor)
    }
}
