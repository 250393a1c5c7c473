//! What the first five steps make of a call, with nothing run.

use std::time::Instant;

use super::Shared;
use super::validate::make_valid;
use super::{Settings, check, parse, policy, resolve};
use crate::approval::Explanation;
use crate::call::next_id;
use crate::catalog::Tools;
use crate::{Arguments, CallArguments, ToolError};

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
    let mut parsed = Arguments::blank();
    parse::parse(entry, arguments.into(), settings, &mut changes, &mut parsed)?;
    make_valid(entry, &mut parsed, settings, &mut changes)?;
    let cx = settings.context(&next_id(), Instant::now(), entry, None);
    let (risk, assessment) = check::check(entry, &cx, &parsed)?;
    let canonical = policy::canonical(&parsed, &assessment);
    let rules = shared.policy.load();
    let now = settings.now();
    let shown = rules.explain(entry.name().as_str(), canonical, risk, now);
    let below = policy::below(entry, &parsed, &assessment);
    let explained = below.fold(shown, |shown, (name, canonical)| {
        shown.restricted_by(rules.explain(name.as_str(), canonical(), risk, now))
    });
    Ok(assessment.raise_explained(explained))
}
