//! Outcomes of a fetch.

mod bodies;
mod hosts;
mod redirects;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use tool_core::ToolError;

use super::{Settings, *};
use crate::web::guard::AddressGuard;
use crate::web::testing::{Names, RawServer, local_guard, redirect, response};

const LIMIT: u64 = 100_000;
const SOON: Duration = Duration::from_millis(200);
const LATE: Duration = Duration::from_secs(20);

/// Setup of a test fetch.
struct Trial {
    settings: Settings,
    within: Duration,
    cuts: bool,
}

impl Trial {
    fn new() -> Self {
        let settings = Settings {
            guard: Arc::new(local_guard()),
            resolver: Arc::new(Names::default()),
            ..Settings::default()
        };
        Self {
            settings,
            within: LATE,
            cuts: false,
        }
    }

    fn guard(mut self, guard: AddressGuard) -> Self {
        self.settings.guard = Arc::new(guard);
        self
    }

    fn names(mut self, names: Names) -> Self {
        self.settings.resolver = Arc::new(names);
        self
    }

    fn within(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    fn cutting(mut self) -> Self {
        self.cuts = true;
        self
    }

    async fn fetch(&self, url: &str) -> Result<FetchResponse, Failure> {
        let request = Request {
            client: &self.settings.client().unwrap(),
            guard: &self.settings.guard,
            url: Url::parse(url).unwrap(),
            max_bytes: LIMIT,
            cuts: self.cuts,
        };
        request.fetch(self.within).await
    }

    /// Returns the error code of the fetch.
    async fn code(&self, url: &str) -> String {
        let error = self.error(url).await;
        error.code().as_str().to_owned()
    }

    async fn error(&self, url: &str) -> ToolError {
        self.fetch(url).await.unwrap_err().into()
    }

    async fn body(&self, url: &str) -> String {
        String::from_utf8(self.fetch(url).await.unwrap().body).unwrap()
    }
}
