//! Service over streamable HTTP.

mod authentication;
mod body;
mod connections;
mod options;
mod service;

pub use authentication::{Authenticate, AuthenticationError, BearerTokens};
pub use body::HttpBody;
pub use options::{HttpOptions, ResourceMetadata, ServeError};
pub use service::HttpService;
