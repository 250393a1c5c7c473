//! Laws about dropped and concurrent calls, which need a new tool and directory for every test.

mod dropped;
mod factory;
mod made;
mod meeting;

pub(super) use factory::Fresh;
