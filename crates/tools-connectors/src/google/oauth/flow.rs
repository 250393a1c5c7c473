//! Requests to the authorization server. Only this file uses `oauth2`.

use oauth2::basic::BasicClient;
use oauth2::{
    AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope,
};
use serde::Deserialize;
use tool_core::Secret;

use super::{GoogleClient, GoogleEndpoints};
use super::{Grant, SignInSettings};
use crate::door::{Deadline, Door, Problem, Request};

/// Maximum size of a token response in bytes.
const MAX_RESPONSE: usize = 64 * 1024;

/// Authorization code flow with PKCE for one client.
#[derive(Clone)]
pub(crate) struct OAuthFlow {
    client: GoogleClient,
    endpoints: GoogleEndpoints,
    door: Door,
}

/// Started sign-in.
pub(super) struct Started {
    /// URL for the user's browser.
    pub(super) url: String,
    pub(super) state: String,
    redirect: String,
    verifier: PkceCodeVerifier,
}

/// Failure of a token request.
pub(super) enum Failure {
    /// The grant is rejected, finally.
    InvalidGrant,
    Problem(Problem),
}

impl OAuthFlow {
    pub(crate) fn new(client: GoogleClient, endpoints: GoogleEndpoints, door: &Door) -> Self {
        if let Some(secret) = &client.secret {
            door.secrets().add(secret.expose());
        }
        Self {
            client,
            endpoints,
            door: door.named("Google"),
        }
    }

    pub(super) fn client_id(&self) -> &str {
        &self.client.id
    }

    /// Starts a sign-in with fresh random values.
    pub(super) fn start(&self, port: u16, settings: &SignInSettings) -> Option<Started> {
        let redirect = format!("http://127.0.0.1:{port}");
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let authorization = self.endpoints.authorization.as_url().clone();
        let client = BasicClient::new(ClientId::new(self.client.id.clone()))
            .set_auth_uri(AuthUrl::from_url(authorization))
            .set_redirect_uri(RedirectUrl::new(redirect.clone()).ok()?);
        let scopes = settings
            .scopes
            .iter()
            .map(|scope| Scope::new((*scope).to_owned()));
        let request = client
            .authorize_url(CsrfToken::new_random)
            .add_scopes(scopes)
            // Without both, Google returns no refresh token, and the user has to sign in every hour.
            .add_extra_param("access_type", "offline")
            .add_extra_param("prompt", "consent")
            .set_pkce_challenge(challenge);
        let (url, state) = request.url();
        let secrets = self.door.secrets();
        secrets.add(verifier.secret());
        Some(Started {
            // `oauth2` writes the path of an empty redirect as `/`, which Google accepts for loopback.
            url: url.to_string(),
            state: state.into_secret(),
            redirect,
            verifier,
        })
    }

    /// Exchanges the code of a sign-in.
    pub(super) async fn exchange(
        &self,
        started: Started,
        code: &str,
        deadline: Deadline,
    ) -> Result<Grant, Failure> {
        self.door.secrets().add(code);
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", started.verifier.secret()),
            ("redirect_uri", &started.redirect),
        ];
        self.grant(&fields, None, deadline).await
    }

    /// Refreshes a grant. A response without a refresh token keeps the old one.
    pub(super) async fn refresh(&self, old: &Grant, deadline: Deadline) -> Result<Grant, Failure> {
        let token = old.refresh_token.as_ref().ok_or(Failure::InvalidGrant)?;
        let fields = [
            ("grant_type", "refresh_token"),
            ("refresh_token", token.expose()),
        ];
        self.grant(&fields, Some(old), deadline).await
    }

    /// Revokes a token.
    pub(super) async fn revoke(
        &self,
        token: &Secret<String>,
        deadline: Deadline,
    ) -> Result<(), Problem> {
        let fields = [("token", token.expose().as_str())];
        let request = Request::form("revoke", &self.endpoints.revocation, fields);
        let response = self
            .door
            .send(&request.max_bytes(MAX_RESPONSE), deadline)
            .await?;
        match response.status.as_u16() {
            // 400 means that the token is not valid any more.
            200 | 400 => Ok(()),
            status => Err(Problem::Status(status)),
        }
    }

    /// Requests tokens with these fields and the credentials of the client.
    async fn grant(
        &self,
        fields: &[(&str, &str)],
        old: Option<&Grant>,
        deadline: Deadline,
    ) -> Result<Grant, Failure> {
        let secret = self.client.secret.as_ref();
        let secret = secret.map(|secret| ("client_secret", secret.expose().as_str()));
        let own = [("client_id", self.client.id.as_str())]
            .into_iter()
            .chain(secret);
        let fields = fields.iter().copied().chain(own);
        let request = Request::form("token", &self.endpoints.token, fields)
            .max_bytes(MAX_RESPONSE)
            .unscrubbed();
        let response = self.door.send(&request, deadline).await;
        let response = response.map_err(Failure::Problem)?;
        let status = response.status.as_u16();
        if status >= 500 || status == 429 {
            return Err(Failure::Problem(Problem::Status(status)));
        }
        let granted: Granted = response.json().map_err(Failure::Problem)?;
        if status != 200 {
            return Err(self.failure(&granted.error));
        }
        if !is_token(&granted.access_token) {
            return Err(Failure::Problem(Problem::InvalidResponse));
        }
        let refresh_token = granted.refresh_token.filter(|token| is_token(token));
        let scopes = granted
            .scope
            .map(|scopes| scopes.split(' ').map(str::to_owned).collect());
        let grant = Grant {
            access_token: Secret::new(granted.access_token),
            refresh_token: refresh_token
                .map(Secret::new)
                .or_else(|| old.and_then(|old| old.refresh_token.clone())),
            expires_at: Grant::expiry(granted.expires_in),
            scopes: scopes
                .or_else(|| old.map(|old| old.scopes.clone()))
                .unwrap_or_default(),
        };
        self.learn(&grant);
        Ok(grant)
    }

    /// Adds the tokens to the secrets that are removed from responses.
    pub(super) fn learn(&self, grant: &Grant) {
        let secrets = self.door.secrets();
        if let Some(secret) = &self.client.secret {
            secrets.add(secret.expose());
        }
        secrets.add(grant.access_token.expose());
        if let Some(token) = &grant.refresh_token {
            secrets.add(token.expose());
        }
    }

    /// Classifies the code of an error.
    fn failure(&self, code: &str) -> Failure {
        match code {
            "invalid_grant" => Failure::InvalidGrant,
            "invalid_client" | "unauthorized_client" => Failure::Problem(Problem::NOT_AUTHORIZED),
            "" => Failure::Problem(Problem::InvalidResponse),
            other => {
                let code = self.door.secrets().scrub(other);
                Failure::Problem(Problem::Rejected(code.into_owned()))
            }
        }
    }
}

/// Response to a token request.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Granted {
    access_token: String,
    refresh_token: Option<String>,
    expires_in: Option<u64>,
    scope: Option<String>,
    /// Code of an error.
    error: String,
}

/// Returns whether `text` can be a token. Tokens are visible ASCII.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
