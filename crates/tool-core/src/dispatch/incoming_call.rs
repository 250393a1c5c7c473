//! A call as it arrives.

use serde_json::Value;

use crate::{CallArguments, CallOptions, ToolCall};

/// A call borrowed from its caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IncomingCall<'c> {
    /// Id assigned by the provider.
    pub(super) id: Option<&'c str>,
    pub(super) name: &'c str,
    pub(super) arguments: ArgumentsRef<'c>,
    pub(super) options: Option<&'c CallOptions>,
}

/// Arguments as sent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ArgumentsRef<'c> {
    Text(&'c str),
    Value(&'c Value),
    /// A value that the caller moves into the result afterwards.
    Owned(&'c Value),
}

impl<'c> IncomingCall<'c> {
    /// Creates a call with a generated id and the registry's settings.
    #[inline]
    pub(crate) fn new(name: &'c str, arguments: ArgumentsRef<'c>) -> Self {
        Self {
            id: None,
            name,
            arguments,
            options: None,
        }
    }

    /// Creates a call with its own id and options.
    pub(crate) fn of_call(call: &'c ToolCall, options: &'c CallOptions) -> Self {
        Self {
            id: Some(&call.id),
            name: &call.name,
            arguments: ArgumentsRef::from(&call.arguments),
            options: Some(options),
        }
    }
}

impl<'c> From<&'c CallArguments> for ArgumentsRef<'c> {
    fn from(arguments: &'c CallArguments) -> Self {
        match arguments {
            CallArguments::Text(text) => Self::Text(text),
            CallArguments::Value(value) => Self::Value(value),
        }
    }
}
