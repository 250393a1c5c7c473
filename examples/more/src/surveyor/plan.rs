//! Plan of the surveyor, kept with `plan`.

use serde_json::{Value, json};
use tool_core::ToolCall;

/// Progress of the plan.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// Id of the call that updates the plan.
    pub(super) id: &'static str,
    /// Number of completed steps.
    done: usize,
}

pub(super) const LISTING: Step = Step {
    id: "plan_0",
    done: 0,
};
pub(super) const SEARCHING: Step = Step {
    id: "plan_1",
    done: 1,
};
pub(super) const READING: Step = Step {
    id: "plan_2",
    done: 2,
};
pub(super) const WRITING: Step = Step {
    id: "plan_3",
    done: 3,
};
pub(super) const DONE: Step = Step {
    id: "plan_4",
    done: 4,
};

const STEPS: [(&str, &str); 4] = [
    ("List the directory", "Listing the directory"),
    (
        "Search for FIXME, TODO and panics",
        "Searching for FIXME, TODO and panics",
    ),
    ("Read around the best hits", "Reading around the best hits"),
    ("Write the report", "Writing the report"),
];

impl Step {
    /// Creates the call that updates the plan.
    pub(super) fn call(self) -> ToolCall {
        let items: Vec<Value> = STEPS
            .iter()
            .enumerate()
            .map(|(index, (content, active))| {
                let status = match index.cmp(&self.done) {
                    std::cmp::Ordering::Less => "completed",
                    std::cmp::Ordering::Equal => "in_progress",
                    std::cmp::Ordering::Greater => "pending",
                };
                json!({"content": content, "activeForm": active, "status": status})
            })
            .collect();
        ToolCall::new("plan", json!({"items": items})).with_id(self.id)
    }
}
