//! What one event adds, for display.

/// What one event adds to an answer, for display while it runs.
///
/// Nothing here is fit to run: arguments are whole and checked only in what
/// [`StreamDecoder::finish`](crate::StreamDecoder::finish) gives. Names and keys are those on the wire;
/// [`ProviderTools::canonical_name`](tool_core::ProviderTools::canonical_name) leads back to the tool.
///
/// # Examples
/// ```
/// use provider_adapters::{Delta, Provider, StreamDecoder};
///
/// let mut decoder = StreamDecoder::new(Provider::Ollama);
/// let mut shown = String::new();
/// decoder.push_event(r#"{"message": {"content": "Hel"}}"#, |delta| {
///     if let Delta::Text { text, .. } = delta {
///         shown.push_str(text);
///     }
/// })?;
/// assert_eq!(shown, "Hel");
/// # Ok::<_, provider_adapters::PushError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'d> {
    /// More of what the model says.
    Text {
        /// The choice, counting from 0.
        choice: u64,
        /// The piece itself.
        text: &'d str,
    },
    /// More of what it thinks.
    Reasoning {
        /// The choice, counting from 0.
        choice: u64,
        /// The piece itself.
        text: &'d str,
    },
    /// A call has a name from now on.
    Call {
        /// The choice, counting from 0.
        choice: u64,
        /// The call, counting from 0 as they come; the provider may order them otherwise in the end.
        call: usize,
        /// The provider's id; empty where none is known.
        id: &'d str,
        /// The name on the wire.
        name: &'d str,
    },
    /// More of the text of a call's arguments.
    Arguments {
        /// The choice, counting from 0.
        choice: u64,
        /// The call, counting from 0 as they come.
        call: usize,
        /// The piece itself, of JSON unless the tool takes free text.
        text: &'d str,
    },
}
