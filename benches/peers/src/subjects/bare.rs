//! Baseline: the tool's body without a framework.

use std::hint::black_box;

use benches::measure::Case;
use serde_json::{Value, json};

use crate::Workload;

/// Calls the body with its own type.
pub(super) fn direct<W: Workload>(input: W, expected: &Value) -> Case<'static> {
    let call = move || black_box(&input).answer();
    Case::checked("direct", expected, call, |answer| json!(answer))
}

/// Deserializes the text with `serde_json`, then calls the body.
pub(super) fn parsed<W: Workload>(text: &'static str, expected: &Value) -> Case<'static> {
    let call = move || benches::workload::parsed::<W>(black_box(text)).answer();
    Case::checked("struct", expected, call, |answer| json!(answer))
}
