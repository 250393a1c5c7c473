//! Reading a tape into a Rust type, more strictly than `serde_json` does.
//!
//! What a schema of the type refuses is refused here: a struct given as the array of its fields, a unit variant
//! given as an object. The visitor is never asked to take another kind of value than the one it expects.

mod access;
mod error;
mod key;

use serde::de::{DeserializeOwned, Deserializer, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use self::access::{Enumerated, ItemAccess, MemberAccess};
use self::error::ReadError;
use super::node::Node;
use super::slot::{Slot, Tape};
use crate::json::parse::Number;

impl Tape<'_> {
    /// Reads the whole value into a type.
    ///
    /// # Errors
    /// The type is narrower than the value.
    pub(crate) fn deserialize<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        T::deserialize(Reader(self.root()))
    }
}

/// Reads one node.
#[derive(Clone, Copy)]
struct Reader<'de>(Node<'de>);

impl<'de> Reader<'de> {
    fn unexpected(self) -> Unexpected<'de> {
        match self.0.slot() {
            Slot::Null | Slot::Open(_) => Unexpected::Unit,
            Slot::Boolean(boolean) => Unexpected::Bool(*boolean),
            Slot::Unsigned(number) => Unexpected::Unsigned(*number),
            Slot::Signed(number) => Unexpected::Signed(*number),
            Slot::Float(number) => Unexpected::Float(*number),
            Slot::Lent(text) => Unexpected::Str(text),
            Slot::Owned(text) => Unexpected::Str(text),
            Slot::Array(_) => Unexpected::Seq,
            Slot::Object(_) => Unexpected::Map,
        }
    }

    fn mismatch<T>(self, expected: &str) -> Result<T, ReadError> {
        Err(ReadError::invalid_type(self.unexpected(), &expected))
    }

    fn visit_number<V: Visitor<'de>>(number: Number, visitor: V) -> Result<V::Value, ReadError> {
        match number {
            Number::Unsigned(number) => visitor.visit_u64(number),
            Number::Signed(number) => visitor.visit_i64(number),
            Number::Float(number) => visitor.visit_f64(number),
        }
    }

    fn visit_integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.as_number() {
            Some(Number::Float(_)) | None => self.mismatch("an integer"),
            Some(number) => Self::visit_number(number, visitor),
        }
    }

    fn visit_float<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.as_f64() {
            Some(number) => visitor.visit_f64(number),
            None => self.mismatch("a number"),
        }
    }

    fn visit_text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.as_str() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.mismatch("a string"),
        }
    }

    fn visit_array<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if !matches!(self.0.slot(), Slot::Array(_)) {
            return self.mismatch("an array");
        }
        let mut access = ItemAccess::new(self.0);
        let value = visitor.visit_seq(&mut access)?;
        access.finish()?;
        Ok(value)
    }

    fn visit_object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if !matches!(self.0.slot(), Slot::Object(_)) {
            return self.mismatch("an object");
        }
        let mut access = MemberAccess::new(self.0);
        let value = visitor.visit_map(&mut access)?;
        access.finish()?;
        Ok(value)
    }
}

macro_rules! forward {
    ($($to:ident: $($method:ident)*;)*) => {
        $($(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
                self.$to(visitor)
            }
        )*)*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.slot() {
            Slot::Null | Slot::Open(_) => visitor.visit_unit(),
            Slot::Boolean(boolean) => visitor.visit_bool(*boolean),
            Slot::Unsigned(number) => visitor.visit_u64(*number),
            Slot::Signed(number) => visitor.visit_i64(*number),
            Slot::Float(number) => visitor.visit_f64(*number),
            Slot::Lent(text) => visitor.visit_borrowed_str(text),
            Slot::Owned(text) => visitor.visit_borrowed_str(text),
            Slot::Array(_) => self.visit_array(visitor),
            Slot::Object(_) => self.visit_object(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0.as_bool() {
            Some(boolean) => visitor.visit_bool(boolean),
            None => self.mismatch("a boolean"),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.0.is_null() {
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if !self.0.is_null() {
            return self.mismatch("null");
        }
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.visit_array(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.visit_array(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.visit_object(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_enum(Enumerated::of(self)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    forward! {
        visit_integer: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
            deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128;
        visit_float: deserialize_f32 deserialize_f64;
        visit_text: deserialize_char deserialize_str deserialize_string deserialize_identifier;
        visit_array: deserialize_seq;
        visit_object: deserialize_map;
    }

    forward_to_deserialize_any! { bytes byte_buf }
}

#[cfg(test)]
mod tests;
