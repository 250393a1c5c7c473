//! What the first five steps make of a call, with nothing run.

use std::time::Instant;

use super::Shared;
use super::validate::make_valid;
use super::{Settings, check, parse, resolve};
use crate::approval::{Explanation, canonical_json};
use crate::call::next_id;
use crate::catalog::Tools;
use crate::{CallArguments, ToolError};

/// Runs steps 1 to 5 and says what the policy makes of the call.
pub(crate) fn explanation(
    shared: &Shared,
    tools: &Tools,
    name: &str,
    arguments: &CallArguments,
) -> Result<Explanation, ToolError> {
    let settings: &Settings = &shared.settings;
    let entry = resolve::resolve(tools, name)?;
    let mut changes = Vec::new();
    let mut parsed = parse::parse(arguments.into(), settings, &mut changes)?;
    make_valid(entry, &mut parsed, settings, &mut changes)?;
    let cx = settings.context(next_id(), Instant::now(), entry, None);
    let risk = check::check(entry, &cx, &parsed)?;
    let canonical = canonical_json(&parsed.to_value());
    let policy = shared.policy.load();
    let now = settings.now();
    let shown = policy.explain(entry.name().as_str(), canonical, risk, now);
    let below = entry.below(&parsed).into_iter();
    Ok(below.fold(shown, |shown, (name, own)| {
        let own = policy.explain(name.as_str(), canonical_json(&own), risk, now);
        shown.restricted_by(own)
    }))
}
