//! Keys of cached results.

use std::sync::{Arc, Weak};

use crate::approval::canonical_json;
use crate::middleware::Call;
use crate::{Extensions, Tool};

/// Key of a cached result: the tool (not only its name), the arguments and the scope.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    tool: usize,
    scope: Scope,
    arguments: String,
}

/// Scope of a result, so that users never receive results of others.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Scope {
    /// Chosen by the host.
    Named(String),
    /// Calls that share their extensions.
    Extensions(usize),
    Shared,
}

/// Keeps the addresses in a key from being reused.
pub(super) struct AddressPin {
    _tool: Weak<dyn Tool>,
    _extensions: Option<Weak<Extensions>>,
}

impl Key {
    pub(super) fn of(call: Call<'_>, scope: Option<String>) -> (Self, AddressPin) {
        let tool = call.shared_tool();
        let extensions = call.context().shared_extensions();
        let scope = match (scope, extensions) {
            (Some(name), _) => Scope::Named(name),
            (None, Some(extensions)) => Scope::Extensions(Arc::as_ptr(extensions).addr()),
            (None, None) => Scope::Shared,
        };
        let key = Self {
            tool: Arc::as_ptr(tool).addr(),
            scope,
            arguments: canonical_json(&call.arguments().to_value()),
        };
        let pin = AddressPin {
            _tool: Arc::downgrade(tool),
            _extensions: extensions.map(Arc::downgrade),
        };
        (key, pin)
    }

    /// Returns the bytes of the key.
    pub(super) fn size(&self) -> usize {
        let scope = match &self.scope {
            Scope::Named(name) => name.len(),
            Scope::Extensions(_) | Scope::Shared => 0,
        };
        size_of::<Self>() + self.arguments.len() + scope
    }
}
