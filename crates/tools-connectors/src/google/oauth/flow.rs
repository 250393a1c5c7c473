//! Requests to the authorization server. Only this file uses `oauth2`.

use std::pin::Pin;

use oauth2::basic::{BasicClient, BasicErrorResponse, BasicErrorResponseType, BasicTokenResponse};
use oauth2::http::{Response as HttpResponse, StatusCode};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet,
    EndpointSet, HttpRequest, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken,
    RequestTokenError, Scope, TokenResponse, TokenUrl,
};
use tool_core::Secret;

use super::{GoogleClient, GoogleEndpoints};
use super::{Grant, SignInSettings};
use crate::door::{Base, Deadline, Door, Problem, Request};

/// Maximum size of a token response in bytes.
const MAX_RESPONSE: usize = 64 * 1024;

type Client = BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// Request that is being sent.
type Sending = Pin<Box<dyn Future<Output = Result<oauth2::HttpResponse, Unsent>> + Send>>;

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

#[derive(Debug, thiserror::Error)]
#[error("the token request failed")]
struct Unsent(Problem);

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

    fn client(&self) -> Client {
        let url = |base: &Base| base.as_url().clone();
        let client = BasicClient::new(ClientId::new(self.client.id.clone()))
            .set_auth_uri(AuthUrl::from_url(url(&self.endpoints.authorization)))
            .set_token_uri(TokenUrl::from_url(url(&self.endpoints.token)))
            .set_auth_type(AuthType::RequestBody);
        match &self.client.secret {
            Some(secret) => client.set_client_secret(ClientSecret::new(secret.expose().clone())),
            None => client,
        }
    }

    /// Starts a sign-in with fresh random values. `asks_again` requests the consent again.
    pub(super) fn start(
        &self,
        port: u16,
        settings: &SignInSettings,
        asks_again: bool,
    ) -> Option<Started> {
        let redirect = format!("http://127.0.0.1:{port}");
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = self
            .client()
            .set_redirect_uri(RedirectUrl::new(redirect.clone()).ok()?);
        let scopes = settings
            .scopes
            .iter()
            .map(|scope| Scope::new((*scope).to_owned()));
        let mut request = client
            .authorize_url(CsrfToken::new_random)
            .add_scopes(scopes)
            // Otherwise Google returns no refresh token, and the user has to sign in every hour.
            .add_extra_param("access_type", "offline")
            .set_pkce_challenge(challenge);
        if asks_again {
            request = request.add_extra_param("prompt", "consent");
        }
        if let Some(hint) = &settings.login_hint {
            request = request.add_extra_param("login_hint", hint.as_str());
        }
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
        let client = self.client();
        let redirect = RedirectUrl::new(started.redirect);
        let redirect = redirect.map_err(|_| Failure::Problem(Problem::InvalidResponse))?;
        let client = client.set_redirect_uri(redirect);
        let response = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(started.verifier)
            .request_async(&self.http(deadline))
            .await;
        self.grant(response, None)
    }

    /// Refreshes a grant. A response without a refresh token keeps the old one.
    pub(super) async fn refresh(&self, old: &Grant, deadline: Deadline) -> Result<Grant, Failure> {
        let Some(token) = &old.refresh_token else {
            return Err(Failure::InvalidGrant);
        };
        let client = self.client();
        let token = RefreshToken::new(token.expose().clone());
        let response = client
            .exchange_refresh_token(&token)
            .request_async(&self.http(deadline))
            .await;
        self.grant(response, Some(old))
    }

    /// Revokes a token.
    pub(super) async fn revoke(
        &self,
        token: &Secret<String>,
        deadline: Deadline,
    ) -> Result<(), Problem> {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("token", token.expose())
            .finish();
        let request = Request::form("revoke", &self.endpoints.revocation, body.into_bytes());
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

    /// Returns a function that sends requests.
    fn http(&self, deadline: Deadline) -> impl Fn(HttpRequest) -> Sending {
        let (door, endpoint) = (self.door.clone(), self.endpoints.token.clone());
        move |request: HttpRequest| {
            let (door, endpoint) = (door.clone(), endpoint.clone());
            Box::pin(async move {
                let request = Request::form("token", &endpoint, request.into_body())
                    .max_bytes(MAX_RESPONSE)
                    .unscrubbed();
                let response = door.send(&request, deadline).await.map_err(Unsent)?;
                let status = response.status.as_u16();
                // `oauth2` would report an error page as an invalid token response.
                if status >= 500 || status == 429 {
                    return Err(Unsent(Problem::Status(status)));
                }
                let mut converted = HttpResponse::new(response.body);
                *converted.status_mut() =
                    StatusCode::from_u16(status).map_err(|_| Unsent(Problem::InvalidResponse))?;
                Ok(converted)
            })
        }
    }

    fn grant(
        &self,
        response: Result<BasicTokenResponse, RequestTokenError<Unsent, BasicErrorResponse>>,
        old: Option<&Grant>,
    ) -> Result<Grant, Failure> {
        let response = response.map_err(|error| self.failure(error))?;
        let access_token = response.access_token().secret();
        if !is_token(access_token) {
            return Err(Failure::Problem(Problem::InvalidResponse));
        }
        let refresh_token = response
            .refresh_token()
            .filter(|token| is_token(token.secret()))
            .map(|token| Secret::new(token.secret().clone()));
        let scopes = response
            .scopes()
            .map(|scopes| scopes.iter().map(|scope| scope.to_string()).collect());
        let grant = Grant {
            access_token: Secret::new(access_token.clone()),
            refresh_token: refresh_token.or_else(|| old.and_then(|old| old.refresh_token.clone())),
            expires_at: Grant::expiry(response.expires_in().map(|lifetime| lifetime.as_secs())),
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

    /// Classifies an error, which is not kept because it may contain the response with its tokens.
    fn failure(&self, error: RequestTokenError<Unsent, BasicErrorResponse>) -> Failure {
        match error {
            RequestTokenError::Request(Unsent(problem)) => Failure::Problem(problem),
            RequestTokenError::ServerResponse(response) => match response.error() {
                BasicErrorResponseType::InvalidGrant => Failure::InvalidGrant,
                BasicErrorResponseType::InvalidClient
                | BasicErrorResponseType::UnauthorizedClient => {
                    Failure::Problem(Problem::NotAuthorized)
                }
                other => {
                    let code = format!("{other:?}");
                    let code = self.door.secrets().scrub(&code);
                    Failure::Problem(Problem::Rejected(code.into_owned()))
                }
            },
            _ => Failure::Problem(Problem::InvalidResponse),
        }
    }
}

/// Returns whether `text` can be a token. Tokens are visible ASCII.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
