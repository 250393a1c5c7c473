//! What a reply adds while it is under way.

/// A piece of a reply that is still under way, for display. What holds is the reply in the end.
///
/// Nothing here is fit to run: arguments are whole and checked only in the reply, and keys in them may be the
/// provider's. The texts are as the model wrote them, with whatever a terminal would obey.
///
/// # Examples
/// ```
/// use agent_loop::{Event, ReplyPiece};
///
/// fn show(event: &Event<'_>) {
///     if let Event::ModelPartial { piece: ReplyPiece::Text(text), .. } = event {
///         print!("{text}");
///     }
/// }
/// # show(&Event::ModelPartial { turn: 1, piece: ReplyPiece::Text("It is ") });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyPiece<'p> {
    /// More of what the model says.
    Text(&'p str),
    /// More of what it thinks.
    Reasoning(&'p str),
    /// A call has a name from now on.
    Call {
        /// The call, counting from 0 as they come; the reply may order them otherwise.
        call: usize,
        /// The provider's id; empty where none is known.
        id: &'p str,
        /// The tool's name.
        name: &'p str,
    },
    /// More of the text of a call's arguments.
    Arguments {
        /// The call, counting from 0 as they come.
        call: usize,
        /// The piece itself, of JSON unless the tool takes free text.
        text: &'p str,
    },
}
