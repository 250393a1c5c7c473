#![cfg_attr(feature = "gmail", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "gmail"),
    doc = "Tools for mail, calendars, usage reports and repositories."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::doc_markdown, reason = "LinkedIn is a name")]
#![cfg_attr(
    not(all(
        feature = "anthropic-admin",
        feature = "calendar",
        feature = "github",
        feature = "gmail",
        feature = "linkedin"
    )),
    allow(
        dead_code,
        unused_imports,
        unused_variables,
        reason = "some parts serve one service only"
    )
)]

#[cfg(feature = "anthropic-admin")]
pub mod anthropic;
#[cfg(feature = "calendar")]
pub mod calendar;
mod connectors;
#[cfg(feature = "_http")]
mod door;
#[cfg(test)]
#[cfg(all(
    feature = "gmail",
    feature = "calendar",
    feature = "anthropic-admin",
    feature = "github",
    feature = "linkedin"
))]
mod faults;

#[cfg(feature = "github")]
pub mod github;
#[cfg(feature = "gmail")]
pub mod gmail;
#[cfg(feature = "_google")]
pub mod google;
#[cfg(feature = "linkedin")]
pub mod linkedin;
pub mod toolsets;

pub use connectors::{Connectors, ConnectorsError};

#[cfg(feature = "_http")]
pub use door::SetupError;
