//! Step 9: how much of the output the model is shown. What was cut out is in the output store, where there is one.

mod batch;
mod fit;
mod store;

pub(crate) use batch::share_out;
pub(crate) use fit::INLINE_BYTES;
pub(super) use fit::{fit, is_needed};

use super::record::Record;
use crate::{ToolContext, ToolError};

/// Adds what the tool said through its context. Errors keep what was said, too.
#[inline]
pub(super) fn gather(
    ran: Result<(), ToolError>,
    cx: &ToolContext,
    record: &mut Record<'_, '_>,
) -> Result<(), ToolError> {
    match ran {
        Ok(()) => {
            record.say(cx);
            Ok(())
        }
        Err(error) => {
            let mut output = error.output().cloned().unwrap_or_default();
            cx.say_in(&mut output);
            Err(error.with_output(output))
        }
    }
}
