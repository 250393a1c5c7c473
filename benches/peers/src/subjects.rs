//! The ways to the tools' bodies which are compared.

mod bare;
mod ours;
mod rig;
mod rmcp;
mod swiftide;

use benches::measure::Case;
use serde_json::json;

use crate::{Add, ReadFile, Todo, Workload};

/// The names of all subjects, in the order of the table.
pub const SUBJECTS: [&str; 8] = [
    "direct",
    "struct",
    "value",
    "text",
    "rig",
    "rig_inner",
    "rmcp",
    "swiftide",
];

/// A workload in the hands of all subjects.
pub struct Contest {
    /// The name of the workload.
    pub case: &'static str,
    /// The subjects, in the order of [`SUBJECTS`]; all of them gave the same answer.
    pub subjects: Vec<Case<'static>>,
    /// Allocations of the tool's own arguments, which no way to the tool can avoid.
    pub own: Case<'static>,
}

/// All workloads.
#[must_use]
pub fn contests() -> [Contest; 3] {
    [contest::<Add>(), contest::<ReadFile>(), contest::<Todo>()]
}

fn contest<W: Workload>() -> Contest {
    let text: &'static str = Box::leak(W::text().into_boxed_str());
    let input: W = benches::workload::parsed(text);
    let expected = json!(input.answer());
    Contest {
        case: W::NAME,
        own: Case::new("own", {
            let input = input.clone();
            move || input.clone()
        }),
        subjects: vec![
            bare::direct(input, &expected),
            bare::parsed::<W>(text, &expected),
            ours::value::<W>(text, &expected),
            ours::text::<W>(text, &expected),
            rig::set::<W>(text, &expected),
            rig::inner::<W>(text, &expected),
            rmcp::router::<W>(text, &expected),
            swiftide::scan::<W>(text, &expected),
        ],
    }
}
