//! The steps of a call, as data.

/// One step of a call.
///
/// # Examples
/// ```
/// use tool_core::STEPS;
///
/// assert_eq!(STEPS.map(|step| step.name)[4..6], ["policy", "approval"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Name of the step.
    pub name: &'static str,
    /// What the step does, as a sentence.
    pub action: &'static str,
}

const fn step(name: &'static str, action: &'static str) -> Step {
    Step { name, action }
}

/// The steps of every call, in the order that they run. No setting changes the order; a call that fails skips to the last
/// three steps.
///
/// Documents print this table, so that it has one source.
pub const STEPS: [Step; 10] = [
    step("resolve", "Finds the tool by its name."),
    step(
        "parse",
        "Checks the size of the arguments and parses them strictly. Unambiguous mistakes are repaired; truncated text is not.",
    ),
    step(
        "validate",
        "Fills in defaults, validates against the schema, and converts values if nothing is lost.",
    ),
    step(
        "prepare",
        "The tool reads the arguments once and says what the call would do: its risk, its findings, and what it touches. Nothing has run yet.",
    ),
    step(
        "policy",
        "Applies the policy to the arguments and that plan.",
    ),
    step(
        "approval",
        "Asks the approver if the policy requires it. If the approver edits the arguments, the call continues at `validate`.",
    ),
    step(
        "wait",
        "Claims the key of the call in the ledger, if there is one, writes the first audit event, and waits for a slot and for calls that touch the same things.",
    ),
    step(
        "run",
        "Runs the tool inside the middleware, under a timeout, cancellation and a panic guard.",
    ),
    step(
        "limit",
        "Redacts secrets, then limits what the model sees. Text over the limit goes to the output store.",
    ),
    step(
        "record",
        "Completes the metadata, settles the claim in the ledger, and writes the span and the last audit event.",
    ),
];
