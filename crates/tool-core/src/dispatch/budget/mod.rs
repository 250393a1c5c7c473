//! Step 9: how much of the output the model is shown. What was cut out is in the output store, where there is one.

mod batch;
mod fit;
mod store;

pub(crate) use batch::share_out;
pub(crate) use fit::INLINE_BYTES;
pub(super) use fit::{fit, is_needed};

use crate::{ToolContext, ToolError, ToolOutput};

/// Adds what the tool said through its context. Errors keep what was said, too.
pub(super) fn gather(
    outcome: Result<ToolOutput, ToolError>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    match outcome {
        Ok(mut output) => {
            cx.say_in(&mut output);
            Ok(output)
        }
        Err(error) => {
            let mut output = error.output().cloned().unwrap_or_default();
            cx.say_in(&mut output);
            Err(error.with_output(output))
        }
    }
}
