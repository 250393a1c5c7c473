//! Laws about dropped and concurrent calls, which need a new tool and directory for every test.

mod concurrent;
mod dropped;
mod factory;
mod instance;
mod prepared;

pub(super) use factory::ToolFactory;
