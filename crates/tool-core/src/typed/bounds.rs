//! What the types of a tool must be able to do, in words of our own for the compiler.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a tool can take: read from JSON, described by a schema.
///
/// Every type with the two derives is one; there is nothing to implement.
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

/// What a tool can give: written as JSON, described by a schema.
///
/// Every type with the two derives is one; there is nothing to implement.
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
