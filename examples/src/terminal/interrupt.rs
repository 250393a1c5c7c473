//! Ctrl-C.

use tool_core::CancellationToken;

/// The exit status of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Cancels the token at the first Ctrl-C and ends the program at the second.
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
