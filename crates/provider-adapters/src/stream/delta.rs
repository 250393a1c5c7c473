//! Increments of a streamed response, for display.

/// Increment of a streamed response, for display.
///
/// Do not run calls from increments: only [`StreamDecoder::finish`](crate::StreamDecoder::finish)
/// returns complete and validated arguments. Tool names and parameter names are wire names;
/// [`ProviderTools::canonical_name`](tool_core::ProviderTools::canonical_name) returns the name of
/// the tool.
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
    /// Text of the response.
    Text {
        /// Index of the choice, from 0.
        choice: u64,
        /// Text to append.
        text: &'d str,
    },
    /// Reasoning of the model.
    Reasoning {
        /// Index of the choice, from 0.
        choice: u64,
        /// Text to append.
        text: &'d str,
    },
    /// Start of a call, sent when its name is known.
    Call {
        /// Index of the choice, from 0.
        choice: u64,
        /// Index of the call in order of arrival, from 0. The final order may differ.
        call: usize,
        /// Provider's call id. Empty if unknown.
        id: &'d str,
        /// Wire name of the tool.
        name: &'d str,
    },
    /// Arguments of a call.
    Arguments {
        /// Index of the choice, from 0.
        choice: u64,
        /// Index of the call in order of arrival, from 0.
        call: usize,
        /// Text to append: part of the JSON arguments, or of the free text for a custom tool.
        text: &'d str,
    },
}
