use serde::Serialize;

/// Part of a streamed reply, for display. The final [`ModelReply`](crate::ModelReply) takes
/// precedence.
///
/// Do not execute calls from parts: arguments are incomplete and unchecked, and their keys may be
/// the provider's. Text is unfiltered and may contain terminal control characters.
///
/// # Examples
/// ```
/// use agent_loop::{Event, EventKind, ReplyPiece};
///
/// fn show(event: &Event<'_>) {
///     if let EventKind::ModelPartial { piece: ReplyPiece::Text(text) } = event.kind {
///         print!("{text}");
///     }
/// }
/// # show(&Event::new("run_1", 1, EventKind::ModelPartial { piece: ReplyPiece::Text("It is ") }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplyPiece<'p> {
    /// Text of the reply.
    Text(&'p str),
    /// Text of the reasoning.
    Reasoning(&'p str),
    /// Start of a call.
    Call {
        /// Index of the call, counted from 0 in order of arrival. The order may differ in the
        /// reply.
        call: usize,
        /// ID assigned by the provider; empty if unknown.
        id: &'p str,
        /// Name of the tool.
        name: &'p str,
    },
    /// Text of a call's arguments.
    Arguments {
        /// Index of the call, counted from 0 in order of arrival.
        call: usize,
        /// JSON fragment, or plain text for tools with free-form input.
        text: &'p str,
    },
}
