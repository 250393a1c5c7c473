//! The floor: the tool's body, with nothing around it.

use std::hint::black_box;

use benches::measure::Case;
use serde_json::{Value, json};

use crate::Workload;

/// The body called with its own type.
pub(super) fn direct<W: Workload>(input: W, expected: &Value) -> Case<'static> {
    let call = move || black_box(&input).answer();
    Case::checked("direct", expected, call, |answer| json!(answer))
}

/// The text read by `serde_json` into that type, then the body.
pub(super) fn parsed<W: Workload>(text: &'static str, expected: &Value) -> Case<'static> {
    let call = move || benches::workload::parsed::<W>(black_box(text)).answer();
    Case::checked("struct", expected, call, |answer| json!(answer))
}
