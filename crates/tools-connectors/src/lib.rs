#![cfg_attr(feature = "google", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "google"),
    doc = "Tools for mail, calendars, usage reports and repositories."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::doc_markdown, reason = "LinkedIn is a name")]
#![cfg_attr(
    not(all(feature = "github", feature = "google", feature = "linkedin")),
    allow(
        dead_code,
        unused_imports,
        reason = "some parts serve one service only"
    )
)]

pub mod anthropic;
mod arguments;
#[cfg(feature = "google")]
mod calendar;
mod connectors;
mod door;
#[cfg(test)]
#[cfg(all(feature = "github", feature = "google", feature = "linkedin"))]
mod faults;
#[cfg(feature = "github")]
pub mod github;
#[cfg(feature = "google")]
pub mod gmail;
#[cfg(feature = "google")]
pub mod google;
#[cfg(feature = "linkedin")]
pub mod linkedin;
pub mod toolsets;

pub use connectors::{Connectors, ConnectorsError};
pub use door::SetupError;
