#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod approvals;
#[cfg(feature = "encryption")]
mod argument_key;
mod limits;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
mod random;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod row;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "encryption")]
pub use argument_key::{ArgumentKey, InvalidArgumentKey};
pub use limits::LedgerLimits;
pub use memory::MemoryLedger;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresLedger, deadpool_postgres};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteLedger;
