//! The span of a call, for the fields that its tool records.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tracing::Span;

use crate::telemetry as names;

/// Maximum bytes of a recorded string, which may be from a server.
const MAX_TEXT: usize = 256;

/// The span of a call, for the fields that its tool records.
pub(crate) struct CallSpan {
    span: Span,
    has_error_type: AtomicBool,
}

impl CallSpan {
    pub(crate) fn new(span: &Span) -> Self {
        Self {
            span: span.clone(),
            has_error_type: AtomicBool::new(false),
        }
    }

    /// Records a field of MCP. Other fields and composite values are ignored.
    pub(super) fn record(&self, field: &str, value: &Value) {
        if !names::MCP_FIELDS.contains(&field) {
            return;
        }
        match value {
            Value::String(text) => {
                let end = text.floor_char_boundary(MAX_TEXT);
                self.span.record(field, text.get(..end));
            }
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => drop(self.span.record(field, number)),
                (None, Some(number)) => drop(self.span.record(field, number)),
                (None, None) => drop(self.span.record(field, number.as_f64())),
            },
            Value::Bool(truth) => drop(self.span.record(field, *truth)),
            Value::Null | Value::Array(_) | Value::Object(_) => return,
        }
        if field == names::ERROR_TYPE {
            self.has_error_type.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn has_error_type(&self) -> bool {
        self.has_error_type.load(Ordering::Relaxed)
    }
}
