//! Access to arrays, objects with their keys, and enums.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::Reader;
use super::error::DeserializeError;
use crate::tape::{Items, JsonRef, Members};

/// Items of an array, all of which must be read.
pub(super) struct ItemAccess<'de> {
    items: Items<'de>,
    index: usize,
}

impl<'de> ItemAccess<'de> {
    pub(super) fn new(value: JsonRef<'de>) -> Self {
        Self {
            items: value.items(),
            index: 0,
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), DeserializeError> {
        // Serde stops after the last item of a tuple, so further ones would vanish without an error.
        match self.items.next() {
            None => Ok(()),
            Some(_) => Err(DeserializeError::custom("the array has too many items")),
        }
    }
}

impl<'de> SeqAccess<'de> for ItemAccess<'de> {
    type Error = DeserializeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DeserializeError> {
        let Some(item) = self.items.next() else {
            return Ok(None);
        };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Reader(item))
            .map(Some)
            // The pointer is built only on the way out, so valid documents pay nothing for it.
            .map_err(|error| error.inside(&index.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        self.items.size_hint().1
    }
}

/// Members of an object.
pub(super) struct MemberAccess<'de> {
    members: Members<'de>,
    value: Option<(&'de str, JsonRef<'de>)>,
}

impl<'de> MemberAccess<'de> {
    pub(super) fn new(value: JsonRef<'de>) -> Self {
        Self {
            members: value.members(),
            value: None,
        }
    }
}

impl<'de> MapAccess<'de> for MemberAccess<'de> {
    type Error = DeserializeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DeserializeError> {
        self.value = self.members.next();
        let Some((key, _)) = self.value else {
            return Ok(None);
        };
        seed.deserialize(Key(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DeserializeError> {
        match self.value {
            Some((key, value)) => seed
                .deserialize(Reader(value))
                .map_err(|error| error.inside(key)),
            None => Err(DeserializeError::custom(
                "the key of this value was not read",
            )),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.members.size_hint().1
    }
}

/// A variant: its name, or an object with its name and content.
pub(super) struct Enumerated<'de> {
    variant: &'de str,
    content: Option<JsonRef<'de>>,
}

impl<'de> Enumerated<'de> {
    pub(super) fn of(reader: Reader<'de>) -> Result<Self, DeserializeError> {
        let node = reader.0;
        if let Some(variant) = node.as_str() {
            return Ok(Self {
                variant,
                content: None,
            });
        }
        // Exactly one member: serde would read the first and ignore the rest.
        let mut members = node.members();
        match (members.next(), members.next()) {
            (Some((variant, content)), None) => Ok(Self {
                variant,
                content: Some(content),
            }),
            _ => reader.mismatch("a variant name or an object with one member"),
        }
    }

    fn content(&self) -> Result<Reader<'de>, DeserializeError> {
        self.content.map(Reader).ok_or_else(|| {
            DeserializeError::custom(format_args!(
                "the variant `{}` has no content",
                self.variant
            ))
        })
    }
}

impl<'de> EnumAccess<'de> for Enumerated<'de> {
    type Error = DeserializeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), DeserializeError> {
        let name = seed.deserialize(BorrowedStrDeserializer::<DeserializeError>::new(
            self.variant,
        ))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Enumerated<'de> {
    type Error = DeserializeError;

    fn unit_variant(self) -> Result<(), DeserializeError> {
        match self.content {
            None => Ok(()),
            // serde_json accepts `{"A": null}` here, which the schema of the type rejects.
            Some(content) => Reader(content).mismatch("only the variant name"),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, DeserializeError> {
        seed.deserialize(self.content()?)
            .map_err(|error| error.inside(self.variant))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.content()?
            .deserialize_tuple(length, visitor)
            .map_err(|error| error.inside(self.variant))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.content()?
            .deserialize_struct("", fields, visitor)
            .map_err(|error| error.inside(self.variant))
    }
}

/// Deserializer of one key.
pub(super) struct Key<'de>(pub(super) &'de str);

macro_rules! parsed_keys {
    ($($method:ident: $type:ty,)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
                match self.0.parse::<$type>() {
                    // `01` and `+1` are different keys than `1`.
                    Ok(key) if key.to_string() == self.0 => {
                        IntoDeserializer::<DeserializeError>::into_deserializer(key).$method(visitor)
                    }
                    _ => Err(DeserializeError::invalid_value(Unexpected::Str(self.0), &stringify!($type))),
                }
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        BorrowedStrDeserializer::new(self.0).deserialize_enum(name, variants, visitor)
    }

    parsed_keys! {
        deserialize_bool: bool,
        deserialize_u8: u8,
        deserialize_u16: u16,
        deserialize_u32: u32,
        deserialize_u64: u64,
        deserialize_u128: u128,
        deserialize_i8: i8,
        deserialize_i16: i16,
        deserialize_i32: i32,
        deserialize_i64: i64,
        deserialize_i128: i128,
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
