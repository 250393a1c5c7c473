//! One call on its way in.

use serde_json::Value;

use crate::call::next_id;
use crate::{CallArguments, CallOptions, ShortText, ToolCall};

/// One call on its way in, lent from whoever makes it.
#[derive(Debug)]
pub(crate) struct Incoming<'c> {
    pub(super) id: ShortText,
    pub(super) name: &'c str,
    pub(super) arguments: Sent<'c>,
    pub(super) options: Option<&'c CallOptions>,
}

/// The arguments as they came.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sent<'c> {
    Text(&'c str),
    Value(&'c Value),
    /// A value that whoever calls puts into the result afterwards.
    Own(&'c Value),
}

impl<'c> Incoming<'c> {
    /// A call with an id of its own, that runs as the registry says.
    #[inline]
    pub(crate) fn new(name: &'c str, arguments: Sent<'c>) -> Self {
        Self {
            id: next_id(),
            name,
            arguments,
            options: None,
        }
    }

    /// A call that runs as `options` say.
    pub(crate) fn of_call(call: &'c ToolCall, options: &'c CallOptions) -> Self {
        Self {
            id: call.id.as_str().into(),
            name: &call.name,
            arguments: Sent::from(&call.arguments),
            options: Some(options),
        }
    }
}

impl<'c> From<&'c CallArguments> for Sent<'c> {
    fn from(arguments: &'c CallArguments) -> Self {
        match arguments {
            CallArguments::Text(text) => Self::Text(text),
            CallArguments::Value(value) => Self::Value(value),
        }
    }
}
