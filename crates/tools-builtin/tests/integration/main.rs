//! The workspace under crashes, links and races, in one binary: `cargo test -p tools-builtin races::`.

mod durability;
mod link_trees;
mod races;
