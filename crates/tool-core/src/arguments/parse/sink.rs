//! What the parser tells of a text while it reads it.

use std::borrow::Cow;
use std::mem;

use serde_json::{Map, Value};

use super::Number;

/// Takes the pieces of one JSON value in the order of the text.
pub(in crate::arguments) trait Sink<'t> {
    /// A null.
    fn null(&mut self);
    /// A boolean.
    fn boolean(&mut self, boolean: bool);
    /// A number.
    fn number(&mut self, number: Number);
    /// A string that is a value.
    fn string(&mut self, text: Cow<'t, str>);
    /// The key of the member whose value comes next.
    fn key(&mut self, key: Cow<'t, str>);
    /// An array begins.
    fn open_array(&mut self);
    /// The innermost array ends.
    fn close_array(&mut self);
    /// An object begins.
    fn open_object(&mut self);
    /// The innermost object ends.
    ///
    /// # Errors
    /// A key that the object has twice.
    fn close_object(&mut self) -> Result<(), String>;
}

/// Makes a [`Value`].
#[derive(Debug, Default)]
pub(in crate::arguments) struct ValueSink {
    open: Vec<Open>,
    root: Value,
}

#[derive(Debug)]
enum Open {
    Array(Vec<Value>),
    Object {
        members: Map<String, Value>,
        key: String,
        duplicate: Option<String>,
    },
}

impl ValueSink {
    /// The value that was read.
    pub(in crate::arguments) fn into_value(self) -> Value {
        self.root
    }

    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = value,
            Some(Open::Array(items)) => items.push(value),
            Some(Open::Object {
                members,
                key,
                duplicate,
            }) => {
                let key = mem::take(key);
                if duplicate.is_none() && members.contains_key(&key) {
                    *duplicate = Some(key);
                } else {
                    members.insert(key, value);
                }
            }
        }
    }
}

impl<'t> Sink<'t> for ValueSink {
    fn null(&mut self) {
        self.put(Value::Null);
    }

    fn boolean(&mut self, boolean: bool) {
        self.put(Value::Bool(boolean));
    }

    fn number(&mut self, number: Number) {
        self.put(match number {
            Number::Unsigned(number) => number.into(),
            Number::Signed(number) => number.into(),
            Number::Float(number) => number.into(),
        });
    }

    fn string(&mut self, text: Cow<'t, str>) {
        self.put(Value::String(text.into_owned()));
    }

    fn key(&mut self, key: Cow<'t, str>) {
        if let Some(Open::Object { key: pending, .. }) = self.open.last_mut() {
            *pending = key.into_owned();
        }
    }

    fn open_array(&mut self) {
        self.open.push(Open::Array(Vec::new()));
    }

    fn close_array(&mut self) {
        if let Some(Open::Array(items)) = self.open.pop() {
            self.put(Value::Array(items));
        }
    }

    fn open_object(&mut self) {
        self.open.push(Open::Object {
            members: Map::new(),
            key: String::new(),
            duplicate: None,
        });
    }

    fn close_object(&mut self) -> Result<(), String> {
        match self.open.pop() {
            Some(Open::Object {
                duplicate: Some(key),
                ..
            }) => Err(key),
            Some(Open::Object { members, .. }) => {
                self.put(Value::Object(members));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
