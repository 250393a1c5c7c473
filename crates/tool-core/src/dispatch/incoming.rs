//! One call on its way in.

use serde_json::Value;

use crate::{CallArguments, CallOptions, ToolCall};

/// One call on its way in, lent from whoever makes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Incoming<'c> {
    /// The id of the provider, where there is one.
    pub(super) id: Option<&'c str>,
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
    /// A call that gets an id of its own, and runs as the registry says.
    #[inline]
    pub(crate) fn new(name: &'c str, arguments: Sent<'c>) -> Self {
        Self {
            id: None,
            name,
            arguments,
            options: None,
        }
    }

    /// A call that runs as `options` say.
    pub(crate) fn of_call(call: &'c ToolCall, options: &'c CallOptions) -> Self {
        Self {
            id: Some(&call.id),
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
