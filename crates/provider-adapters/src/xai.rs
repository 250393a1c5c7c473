//! Where xAI differs from Chat Completions of OpenAI.

use crate::openai;
use crate::wire::Wire;

/// It holds its models to every schema, whether that is asked for or not.
pub(crate) const WIRE: Wire = Wire {
    max_tools: Some(200),
    ..openai::COMPATIBLE_WIRE
};
