//! Service over streamable HTTP.

mod addresses;
mod authentication;
mod body;
mod connections;
mod failures;
mod options;
mod rejection;
mod request_body;
mod service;
mod sessions;
mod tokens;

pub use authentication::{Authenticate, AuthenticationError};
pub use body::HttpBody;
pub use connections::ServeError;
pub use options::{HttpOptions, ResourceMetadata};
pub use service::HttpService;
pub use tokens::BearerTokens;
