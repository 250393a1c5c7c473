//! Sources of tokens for tests.

use async_trait::async_trait;
use tool_core::Secret;

use super::Tokens;
use crate::door::{Deadline, Problem};

/// Token that never changes.
#[derive(Debug)]
pub(crate) struct FixedToken(pub(crate) &'static str);

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
#[derive(Debug)]
pub(crate) struct NoToken;

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
