//! The compared ways to call the tools.

mod bare;
mod ours;
mod rig;
mod rmcp;
mod swiftide;

use benches::measure::Case;
use serde_json::json;

use crate::{Add, ReadFile, Todo, Workload};

/// Names of all subjects, in table order.
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

/// Workload with all its subjects.
pub struct Contest {
    /// Name of the workload.
    pub case: &'static str,
    /// Subjects in the order of [`SUBJECTS`]; all returned the same result.
    pub subjects: Vec<Case<'static>>,
    /// Creation of the tool's own arguments, whose allocations no subject can avoid.
    pub own: Case<'static>,
}

/// Returns all workloads.
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
