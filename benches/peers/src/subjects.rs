//! The compared ways to call the tools.

mod bare;
mod ours;
mod rig;
mod rmcp;
mod swiftide;

use benches::measure::Case;
use serde_json::json;

use crate::{Add, ReadFile, Todo, Workload};

/// All subjects in table order, each with its name for readers.
pub const SUBJECTS: [(&str, &str); 7] = [
    ("direct", "direct typed call"),
    ("struct", "text to struct, then the call"),
    ("value", "ours, value given"),
    ("text", "ours, from text"),
    ("rig", "rig `ToolSet::execute`"),
    ("rmcp", "rmcp router in process, value given"),
    ("swiftide", "swiftide: scan, parse, call"),
];

/// Returns all workloads by name, each with the [`SUBJECTS`], which all returned the same result.
#[must_use]
pub fn contests() -> [(&'static str, Vec<Case<'static>>); 3] {
    [contest::<Add>(), contest::<ReadFile>(), contest::<Todo>()]
}

fn contest<W: Workload>() -> (&'static str, Vec<Case<'static>>) {
    let text: &'static str = Box::leak(W::text().into_boxed_str());
    let input: W = benches::workload::parsed(text);
    let expected = json!(input.answer());
    let subjects = vec![
        bare::direct(input, &expected),
        bare::parsed::<W>(text, &expected),
        ours::value::<W>(text, &expected),
        ours::text::<W>(text, &expected),
        rig::set::<W>(text, &expected),
        rmcp::router::<W>(text, &expected),
        swiftide::scan::<W>(text, &expected),
    ];
    (W::NAME, subjects)
}
