//! Deserializer for tapes, stricter than `serde_json`.
//!
//! It rejects values that the schema of a type rejects, such as a struct as an array of its fields or
//! a unit variant as an object. A visitor only receives the kind of value that it expects.

mod access;
mod error;

use serde::de::{DeserializeOwned, Deserializer, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use self::access::{Enumerated, ItemAccess, MemberAccess};
use crate::number::Number;
use crate::tape::{JsonRef, Slot, Tape};

pub use self::error::DeserializeError;

impl Tape<'_> {
    /// Deserializes the document, more strictly than `serde_json`.
    ///
    /// It rejects what the schema of the type rejects too: a struct as an array of its fields, a unit
    /// variant as an object, and more items than a tuple has.
    ///
    /// # Errors
    /// Returns [`DeserializeError`] if the document does not match the type.
    ///
    /// # Examples
    /// ```
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Range {
    ///     first: u32,
    ///     last: u32,
    /// }
    ///
    /// let range: Range = tool_json::parse(r#"{"first": 1, "last": 20}"#)?.deserialize()?;
    /// assert_eq!((range.first, range.last), (1, 20));
    ///
    /// let error = tool_json::parse(r#"{"first": 1, "last": -1}"#)?.deserialize::<Range>().unwrap_err();
    /// assert_eq!(error.pointer(), "/last");
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, DeserializeError> {
        T::deserialize(Reader(self.root()))
    }
}

/// Deserializer of one value.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'de>(pub(crate) JsonRef<'de>);

impl<'de> Reader<'de> {
    fn unexpected(self) -> Unexpected<'de> {
        match self.0.slot() {
            Slot::Null => Unexpected::Unit,
            Slot::Boolean(boolean) => Unexpected::Bool(*boolean),
            Slot::Unsigned(number) => Unexpected::Unsigned(*number),
            Slot::Signed(number) => Unexpected::Signed(*number),
            Slot::Float(number) => Unexpected::Float(*number),
            Slot::Borrowed(text) => Unexpected::Str(text),
            Slot::Owned(text) => Unexpected::Str(text),
            Slot::Array(_) => Unexpected::Seq,
            Slot::Object(_) => Unexpected::Map,
        }
    }

    fn mismatch<T>(self, expected: &str) -> Result<T, DeserializeError> {
        Err(DeserializeError::invalid_type(self.unexpected(), &expected))
    }

    fn visit_integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.0.as_number() {
            Some(Number::Unsigned(number)) => visitor.visit_u64(number),
            Some(Number::Signed(number)) => visitor.visit_i64(number),
            // Whole floats up to 2^53 are integers already, so `1.0` doesn't get here.
            Some(Number::Float(_)) | None => self.mismatch("an integer"),
        }
    }

    fn visit_float<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.0.as_f64() {
            Some(number) => visitor.visit_f64(number),
            None => self.mismatch("a number"),
        }
    }

    fn visit_text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.0.as_str() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.mismatch("a string"),
        }
    }

    fn visit_array<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        if !matches!(self.0.slot(), Slot::Array(_)) {
            return self.mismatch("an array");
        }
        let mut access = ItemAccess::new(self.0);
        let value = visitor.visit_seq(&mut access)?;
        access.finish()?;
        Ok(value)
    }

    fn visit_object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        if !matches!(self.0.slot(), Slot::Object(_)) {
            return self.mismatch("an object");
        }
        visitor.visit_map(MemberAccess::new(self.0))
    }
}

macro_rules! forward {
    ($($to:ident: $($method:ident $(($($ignored:ty),+))?)*;)*) => {
        $($(
            fn $method<V: Visitor<'de>>(self, $($(_: $ignored,)+)? visitor: V) -> Result<V::Value, DeserializeError> {
                self.$to(visitor)
            }
        )*)*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.0.slot() {
            Slot::Null => visitor.visit_unit(),
            Slot::Boolean(boolean) => visitor.visit_bool(*boolean),
            Slot::Unsigned(number) => visitor.visit_u64(*number),
            Slot::Signed(number) => visitor.visit_i64(*number),
            Slot::Float(number) => visitor.visit_f64(*number),
            Slot::Borrowed(text) => visitor.visit_borrowed_str(text),
            Slot::Owned(text) => visitor.visit_borrowed_str(text),
            Slot::Array(_) => self.visit_array(visitor),
            Slot::Object(_) => self.visit_object(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.0.as_bool() {
            Some(boolean) => visitor.visit_bool(boolean),
            None => self.mismatch("a boolean"),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        if self.0.is_null() {
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        if !self.0.is_null() {
            return self.mismatch("null");
        }
        visitor.visit_unit()
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
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_enum(Enumerated::of(self)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        // Don't walk the subtree: the parser has already checked it.
        visitor.visit_unit()
    }

    forward! {
        visit_integer: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
            deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128;
        visit_float: deserialize_f32 deserialize_f64;
        visit_text: deserialize_char deserialize_str deserialize_string deserialize_identifier;
        visit_array: deserialize_seq deserialize_tuple(usize) deserialize_tuple_struct(&'static str, usize);
        visit_object: deserialize_map deserialize_struct(&'static str, &'static [&'static str]);
        deserialize_unit: deserialize_unit_struct(&'static str);
    }

    forward_to_deserialize_any! { bytes byte_buf }
}

#[cfg(test)]
mod tests;
