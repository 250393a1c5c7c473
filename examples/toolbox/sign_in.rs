//! `sign-in`: the consent of the user, once for all programs.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;
use toolwright::connectors::google::{GoogleService, SignIn as Way};

use crate::failure::Failure;
use crate::services::Addresses;
use crate::{output, runtime};

/// Signs in to a service with the browser, unless the stored tokens are valid. If no browser can be opened, prints the
/// address. Reads the client of the application from `GOOGLE_CLIENT_ID` and `GOOGLE_CLIENT_SECRET`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  GOOGLE_CLIENT_ID=… GOOGLE_CLIENT_SECRET=… toolbox sign-in google")]
pub(crate) struct SignIn {
    /// Service.
    service: Service,
    /// Print the address and open no browser.
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    addresses: Addresses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Service {
    /// Gmail and Google Calendar, each with its own consent.
    Google,
}

impl SignIn {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let Service::Google = self.service;
        let mut config = self.addresses.config();
        config.sign_in = match (Way::browser(), self.print) {
            (Way::Browser(prompt), true) => Way::Printing(prompt),
            (way, _) => way,
        };
        let google = config.google();
        let google = google.map_err(|error| Failure::input("the sign-in cannot start", error))?;
        let google = google.ok_or_else(|| {
            let missing = "`GOOGLE_CLIENT_ID` and `GOOGLE_CLIENT_SECRET` are not set";
            Failure::input("the sign-in cannot start", missing)
        })?;
        runtime::run(async |interrupt| {
            let signing_in = async {
                for (name, service) in [
                    ("gmail", GoogleService::Gmail),
                    ("calendar", GoogleService::Calendar),
                ] {
                    if let Err(error) = google.sign_in(service).await {
                        eprintln!("toolbox: {name}: {error}");
                        return Ok(ExitCode::FAILURE);
                    }
                    output::line(&json!({"service": name, "signed_in": true}))?;
                }
                Ok(ExitCode::SUCCESS)
            };
            let ended = interrupt.run_until_cancelled(signing_in).await;
            ended.unwrap_or_else(|| Ok(ExitCode::from(runtime::INTERRUPTED)))
        })?
    }
}
