//! One call, in order. Each step is a function that can be read alone; the order is a promise.

mod approve;
mod budget;
mod check;
mod gate;
mod parse;
mod policy;
mod record;
mod resolve;
mod run;
mod settings;
mod validate;

use tracing::Instrument;

pub use budget::OutputLimit;
pub(crate) use gate::Gate;
pub(crate) use settings::Settings;
pub(crate) use validate::validation;
pub use validate::{Validation, ValidationOutcome};

use self::record::Record;
use crate::registry::{CallOptions, Shared, Tools};
use crate::{ToolCall, ToolError, ToolOutput, ToolResult};

/// Answers one call. Whatever happens, there is exactly one result.
pub(crate) async fn dispatch(
    shared: &Shared,
    tools: &Tools,
    call: &ToolCall,
    options: &CallOptions,
) -> ToolResult {
    let mut record = Record::start(call);
    let span = record.span();
    let outcome = steps(shared, tools, call, options, &mut record)
        .instrument(span.clone())
        .await;
    record.finish(outcome, &span)
}

async fn steps(
    shared: &Shared,
    tools: &Tools,
    call: &ToolCall,
    options: &CallOptions,
    record: &mut Record,
) -> Result<ToolOutput, ToolError> {
    let settings = &shared.settings;
    let entry = resolve::resolve(tools, &call.name)?;
    record.found(entry);
    let parsed = parse::parse(&call.arguments, settings, record.changes())?;
    let mut arguments = validate::validate(entry, parsed, settings, record)?;
    let cx = settings.context(call, entry, options);
    loop {
        let risk = check::check(entry, &cx, &arguments)?;
        let ruling = policy::judge(shared, entry, &arguments, risk);
        match approve::approve(shared, entry, &cx, &arguments, risk, ruling, record).await? {
            approve::Next::Run => break,
            approve::Next::Edited(edited) => {
                arguments = validate::validate(entry, edited, settings, record)?;
            }
        }
    }
    record.executes(&arguments);
    let permit = gate::enter(&shared.gate, entry, &cx, &arguments, record).await?;
    let output = run::run(entry, &cx, &arguments, settings, options, record).await;
    drop(permit);
    budget::apply(output, &cx, settings.output_limit, record)
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
