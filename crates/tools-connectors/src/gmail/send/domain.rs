//! Domain of the account.

use serde::Deserialize;
use tool_core::ToolContext;

use super::GmailSend;
use crate::door::Request;
use crate::gmail::service::READING;
use crate::google::domain_of;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Profile {
    email_address: String,
}

impl GmailSend {
    /// Returns the domain of the account, without a sign-in.
    pub(super) async fn domain(&self, cx: &ToolContext) -> Option<String> {
        if let Some(domain) = self.domain.get() {
            return Some(domain.clone());
        }
        if !self.gmail.account.is_signed_in() {
            return None;
        }
        let request = Request::get("profile", self.gmail.base(), &["profile"]);
        let profile: Profile = self.gmail.account.fetch(request, READING, cx).await.ok()?;
        let domain = domain_of(&profile.email_address)?;
        Some(self.domain.get_or_init(|| domain).clone())
    }
}
