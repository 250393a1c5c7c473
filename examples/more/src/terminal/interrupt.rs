//! Ctrl-C handling.

use tool_core::CancellationToken;

/// Exit status of an interrupted program.
const INTERRUPTED: i32 = 130;

/// Cancels the token at the first Ctrl-C and exits at the second.
pub fn cancel_on_interrupt(token: CancellationToken) {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_err() {
            return;
        }
        token.cancel();
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(INTERRUPTED);
        }
    });
}
