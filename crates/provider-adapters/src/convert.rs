//! Conversion of definitions, conversations and responses.

mod arguments;
mod conversion_plan;
mod decode;
mod dialect;
mod encode;
mod examples;
mod plan;
mod request;
mod stream;

pub use conversion_plan::ConversionPlan;
pub use decode::{decode, decode_bytes};
pub use dialect::ProviderDialect;
pub use encode::{Encoded, encode};
pub use plan::{batch_convert_to_provider, convert_to_provider};
pub use stream::StreamDecoder;
