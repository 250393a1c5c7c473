#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "encryption")]
mod argument_key;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg_attr(
    not(all(feature = "postgres", feature = "sqlite")),
    allow(dead_code, reason = "some parts serve one database only")
)]
mod store;

#[cfg(feature = "encryption")]
pub use argument_key::{ArgumentKey, InvalidArgumentKey};
#[cfg(feature = "postgres")]
pub use postgres::{PostgresLedger, deadpool_postgres};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteLedger;
pub use store::LedgerLimits;
