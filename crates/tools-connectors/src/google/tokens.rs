//! Source of access tokens.

use async_trait::async_trait;
use tool_core::Secret;

use crate::door::{Deadline, Problem};

/// Source of the access tokens of one service.
#[async_trait]
pub(crate) trait Tokens: Send + Sync {
    /// Returns a valid token. `rejected` is a token that the service rejected, if any.
    async fn token(
        &self,
        deadline: Deadline,
        rejected: Option<&Secret<String>>,
    ) -> Result<Secret<String>, Problem>;

    /// Returns a valid token if that needs no sign-in.
    async fn without_sign_in(&self, deadline: Deadline) -> Option<Secret<String>>;

    /// Returns whether the user is known not to have granted a scope.
    fn lacks(&self, _scope: &str) -> bool {
        false
    }
}
