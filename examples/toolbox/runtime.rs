//! Running calls until they end, or until the user interrupts.

use std::time::Duration;

use tokio::{runtime, signal, time};
use tool_core::{CallOptions, CancellationToken, ErrorCode, Registry, ToolCall, ToolResult};

use crate::failure::Failure;

/// The exit status of a program that was interrupted, as shells count it.
pub(crate) const INTERRUPTED: u8 = 130;

/// How long a call that was stopped has to end its processes.
const GRACE: Duration = Duration::from_millis(300);

/// Runs `work` to its end. It is given a token that the first interrupt cancels; the second ends the program.
pub(crate) fn run<T, F: Future<Output = T>>(
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<T, Failure> {
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::input("no threads can be started", error))?;
    let interrupt = CancellationToken::new();
    runtime.spawn(watch_for_interrupts(interrupt.clone()));
    let outcome = runtime.block_on(work(interrupt));
    // A thread may still wait for standard input; nobody is to wait for that thread.
    runtime.shutdown_background();
    Ok(outcome)
}

/// Makes one call. A call that was stopped ends its processes on a thread, which the end of this program would end
/// too early.
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
        // A terminal and a parent may both pass on one key press; only a later one is meant as the second.
        time::sleep(GRACE).await;
    }
}
