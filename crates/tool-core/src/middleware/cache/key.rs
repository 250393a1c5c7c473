//! What must be the same for a result to be given again.

use std::sync::{Arc, Weak};

use crate::approval::canonical_json;
use crate::middleware::Call;
use crate::{Extensions, Tool};

/// What must be the same: the tool itself and not its name alone, the arguments, and for whom.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    tool: usize,
    scope: Scope,
    arguments: String,
}

/// For whom a result is: calls for one user are never answered with what another one got.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Scope {
    /// As the host says.
    Named(String),
    /// For the calls that share their extensions.
    Extensions(usize),
    Nobody,
}

/// Keeps the addresses in a key from being given to something else.
pub(super) struct Pin {
    _tool: Weak<dyn Tool>,
    _extensions: Option<Weak<Extensions>>,
}

impl Key {
    pub(super) fn of(call: Call<'_>, scope: Option<String>) -> (Self, Pin) {
        let tool = call.shared_tool();
        let extensions = call.context().shared_extensions();
        let scope = match (scope, extensions) {
            (Some(name), _) => Scope::Named(name),
            (None, Some(extensions)) => Scope::Extensions(Arc::as_ptr(extensions).addr()),
            (None, None) => Scope::Nobody,
        };
        let key = Self {
            tool: Arc::as_ptr(tool).addr(),
            scope,
            arguments: canonical_json(&call.arguments().to_value()),
        };
        let pin = Pin {
            _tool: Arc::downgrade(tool),
            _extensions: extensions.map(Arc::downgrade),
        };
        (key, pin)
    }

    /// The bytes that the key takes.
    pub(super) fn size(&self) -> usize {
        let scope = match &self.scope {
            Scope::Named(name) => name.len(),
            Scope::Extensions(_) | Scope::Nobody => 0,
        };
        size_of::<Self>() + self.arguments.len() + scope
    }
}
