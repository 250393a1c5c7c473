#![doc = include_str!("../README.md")]

use proc_macro::TokenStream;

/// What `#[data]` writes above a type. The paths name the facade, so that an application needs no other dependency.
const DATA: &str = r#"
    #[derive(::toolwright::serde::Deserialize, ::toolwright::serde::Serialize, ::toolwright::schemars::JsonSchema)]
    #[serde(crate = "::toolwright::serde")]
    #[schemars(crate = "::toolwright::schemars")]
"#;

/// Derives what the input and the output of a tool need: serde's `Deserialize` and `Serialize`, and schemars' `JsonSchema`.
///
/// The doc comment of a field is the description of the parameter. Attributes of serde and schemars work as usual. The
/// application needs neither crate as a dependency: plain derives of re-exported macros would not compile, because they
/// name `serde` and `schemars` themselves.
///
/// Takes no arguments.
#[proc_macro_attribute]
pub fn data(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let derives = if arguments.is_empty() {
        DATA
    } else {
        r#"::core::compile_error!("`#[data]` takes no arguments; remove them");"#
    };
    // The text is a constant, so that it always parses.
    let mut tokens: TokenStream = derives.parse().unwrap_or_default();
    tokens.extend(item);
    tokens
}
