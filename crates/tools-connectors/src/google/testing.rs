//! Source of tokens for tests.

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

    async fn without_sign_in(&self, _deadline: Deadline) -> Option<Secret<String>> {
        Some(Secret::new(self.0.to_owned()))
    }
}
