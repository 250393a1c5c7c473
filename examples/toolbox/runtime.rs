//! Runs calls to completion or until the user interrupts.

use std::time::Duration;

use tokio::{runtime, signal, time};
use tool_core::{CallOptions, CancellationToken, ErrorCode, Registry, ToolCall, ToolResult};

use crate::failure::Failure;

/// Exit status of an interrupted program in shells.
pub(crate) const INTERRUPTED: u8 = 130;

/// Time for a stopped call to kill its processes.
const GRACE: Duration = Duration::from_millis(300);

/// Runs `work` to completion. The first interrupt cancels its token; the second exits.
pub(crate) fn run<T, F: Future<Output = T>>(
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<T, Failure> {
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::input("cannot start threads", error))?;
    let interrupt = CancellationToken::new();
    runtime.spawn(watch_for_interrupts(interrupt.clone()));
    let outcome = runtime.block_on(work(interrupt));
    // Do not wait for a thread that reads standard input.
    runtime.shutdown_background();
    Ok(outcome)
}

/// Runs one call. Waits briefly after a stopped call, whose processes are killed on a thread,
/// before the program may exit.
pub(crate) async fn answer(
    registry: &Registry,
    call: ToolCall,
    options: CallOptions,
) -> ToolResult {
    let result = registry.execute_async(call, options).await;
    let code = result.error.as_ref().map(|error| &error.code);
    if let Some(ErrorCode::Timeout | ErrorCode::Cancelled | ErrorCode::Panic) = code {
        time::sleep(GRACE).await;
    }
    result
}

async fn watch_for_interrupts(interrupt: CancellationToken) {
    while signal::ctrl_c().await.is_ok() {
        if interrupt.is_cancelled() {
            std::process::exit(INTERRUPTED.into());
        }
        interrupt.cancel();
        // The terminal and a parent process may both forward one key press, so ignore interrupts
        // for a moment.
        time::sleep(GRACE).await;
    }
}
