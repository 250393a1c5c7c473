//! Clients and servers, over each transport, in one binary: `cargo test -p tool-mcp http_client::`.

mod http;
mod http_client;
mod stdio;
mod streams;
