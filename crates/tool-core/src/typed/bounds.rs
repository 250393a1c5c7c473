//! Bounds on the types of tools, with compiler messages that name the missing derive.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Input type of a tool, which is read from JSON and described by a schema.
///
/// Implemented for every type with the two derives.
///
/// # Examples
/// ```
/// use tool_core::typed::ToolInput;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input {
///     /// The text to count.
///     text: String,
/// }
///
/// fn takes<I: ToolInput>() {}
/// takes::<Input>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of a tool",
    label = "a tool cannot take this",
    note = "derive both for `{Self}`: `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "it must own what it holds (`String`, not `&str`), and be `Send`"
)]
pub trait ToolInput: DeserializeOwned + JsonSchema + Send {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send> ToolInput for T {}

/// Output type of a tool, which is written as JSON and described by a schema.
///
/// Implemented for every type with the two derives.
///
/// # Examples
/// ```
/// use tool_core::typed::ToolData;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Output {
///     words: usize,
/// }
///
/// fn gives<O: ToolData>() {}
/// gives::<Output>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a tool",
    label = "a tool cannot give this",
    note = "derive both for `{Self}`: `#[derive(serde::Serialize, schemars::JsonSchema)]`"
)]
pub trait ToolData: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> ToolData for T {}
