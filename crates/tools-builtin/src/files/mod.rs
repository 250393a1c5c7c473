//! Listing, reading and writing inside a workspace.
