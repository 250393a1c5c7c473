//! Gemini `generateContent`, with whole JSON Schemas or its reduced `OpenAPI` form.

mod decode;
mod openapi;
mod results;
mod tools;

pub(crate) use decode::decode;
pub(crate) use openapi::tool as openapi_tool;
pub(crate) use results::encode;
pub(crate) use tools::{request, tool};
