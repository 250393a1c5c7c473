//! Laws about dropped and concurrent calls, which need a new tool and directory for every test.

mod dropped;
mod making;
mod meeting;

pub(super) use making::Fresh;
