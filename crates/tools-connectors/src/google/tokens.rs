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

    /// Returns the token in memory if it is valid, without any request.
    fn current(&self) -> Option<Secret<String>>;

    /// Returns whether the user is known not to have granted a scope.
    fn lacks(&self, _scope: &str) -> bool {
        false
    }
}

/// Token that never changes.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct FixedToken(pub(crate) &'static str);

#[cfg(test)]
#[async_trait]
impl Tokens for FixedToken {
    async fn token(
        &self,
        _deadline: Deadline,
        _rejected: Option<&Secret<String>>,
    ) -> Result<Secret<String>, Problem> {
        Ok(Secret::new(self.0.to_owned()))
    }

    fn current(&self) -> Option<Secret<String>> {
        Some(Secret::new(self.0.to_owned()))
    }
}

/// Tokens of a user who has not signed in. Calls fail.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct NoToken;

#[cfg(test)]
#[async_trait]
impl Tokens for NoToken {
    async fn token(
        &self,
        _deadline: Deadline,
        _rejected: Option<&Secret<String>>,
    ) -> Result<Secret<String>, Problem> {
        Err(Problem::SignInRequired("no user has signed in yet"))
    }

    fn current(&self) -> Option<Secret<String>> {
        None
    }
}
