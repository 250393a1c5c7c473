#![doc = include_str!("../README.md")]

mod attributes;
mod expand;
mod function;
mod methods;

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Ident, ItemFn, ItemImpl, parse_macro_input};

use attributes::{ToolOptions, crate_path, error, path_of};
use expand::{Parts, implementation};
use function::{Function, borrowed, unraw};

/// The crate that exports the macros to applications.
const FACADE: &str = "::toolwright";
/// The crate that exports them to libraries that need nothing else.
const CORE: &str = "::tool_core";

/// Turns a function into a tool.
///
/// The doc comment of the function is the description that the model reads, and the doc comment of a parameter describes the
/// parameter. The function stays unchanged, so that you can call it in a test. The macro adds a type with its name in upper
/// camel case, which implements `Tool`: `async fn add_event` gives `AddEvent`.
///
/// A parameter of the type `&ToolContext` or `ToolContext` receives the context, and is not part of the schema. An
/// `Option<T>` need not be sent. The function may be `async`, and may return a `Result` whose error converts into
/// `ToolError`.
///
/// | option of the tool | meaning | default |
/// |---|---|---|
/// | `risk = read_only` | also `safe_write`, `dangerous` | that of `ToolDefinition::new` |
/// | `name = "…"`, `title = "…"` | name for the model, title for people | name of the function, none |
/// | `timeout = Duration::from_secs(5)` | limit of a call | the registry's |
/// | `exclusive` | no other call runs concurrently with it | calls overlap |
/// | `preview = describe` | function of references to the parameters; its `String` is shown to the person who approves | none |
/// | `type = AddEventTool` | name of the generated type | that of the function |
/// | `crate = path` | path of `toolwright`, if you renamed it | `::toolwright` |
///
/// | option of a parameter | meaning |
/// |---|---|
/// | `default = 30` | value if it is not sent |
/// | `range = 1..=100` | smallest and largest number, either may be missing |
/// | `length = 1..=80`, `max_length = 80` | characters of a string, or items of a list |
/// | `pattern = "^[a-z]+$"` | regular expression of a string |
/// | `rename = "…"`, `alias = "…"` | name for the model; another name that is accepted |
/// | `reads`, `writes` | the parameter is a path that the call reads or writes, so calls that conflict wait for each other |
#[proc_macro_attribute]
pub fn tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tool_of(arguments, item, FACADE)
}

/// `#[tool]` for applications that depend on `tool-core` alone.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn core_tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tool_of(arguments, item, CORE)
}

/// Turns methods into tools that share a value.
///
/// Each method with `#[tool]` becomes a tool, with the options of that macro (except `type`, because the types are private).
/// Methods take `&self`. The macro adds two functions: `tools(self)` returns the tools as a `Toolset`, and
/// `shared_tools(Arc<Self>)` does so for a value that you keep.
#[proc_macro_attribute]
pub fn tools(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tools_of(arguments, item, FACADE)
}

/// `#[tools]` for applications that depend on `tool-core` alone.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn core_tools(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tools_of(arguments, item, CORE)
}

/// Derives what the input and the output of a tool need: serde's `Deserialize` and `Serialize`, and schemars' `JsonSchema`.
///
/// The doc comment of a field is the description of the parameter. Attributes of serde and schemars work as usual. The
/// application needs neither crate as a dependency: plain derives of re-exported macros would not compile, because they
/// name `serde` and `schemars` themselves.
///
/// Takes no arguments, except `crate = path` if you renamed `toolwright`.
#[proc_macro_attribute]
pub fn data(arguments: TokenStream, item: TokenStream) -> TokenStream {
    data_of(arguments, item, FACADE)
}

/// `#[data]` for applications that depend on `tool-core` alone.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn core_data(arguments: TokenStream, item: TokenStream) -> TokenStream {
    data_of(arguments, item, CORE)
}

fn tool_of(arguments: TokenStream, item: TokenStream, krate: &str) -> TokenStream {
    let mut options = ToolOptions::default();
    let parser = syn::meta::parser(|meta| options.read(&meta));
    parse_macro_input!(arguments with parser);
    let function = parse_macro_input!(item as ItemFn);
    finish(function_tool(options, function, krate))
}

fn function_tool(
    options: ToolOptions,
    mut item: ItemFn,
    krate: &str,
) -> syn::Result<proc_macro2::TokenStream> {
    if let Some(receiver) = item.sig.receiver() {
        let message =
            "`#[tool]` is for functions; write `#[tools]` above the `impl` of this method";
        return Err(error(receiver.self_token.span, message));
    }
    let parts = Parts(path_of(options.krate.as_ref(), krate)?);
    let function = Function::read(&item.attrs, &mut item.sig, options)?;
    let target = match &function.options.type_name {
        Some(name) => name.clone(),
        None => type_name(&function.ident),
    };
    let (visibility, callee) = (&item.vis, &function.ident);
    let documentation = format!(
        "The tool [`{}`], made from the function [`{callee}()`].",
        function.name()
    );
    let implementation = implementation(&parts, &function, &quote!(#target), &quote!(#callee));
    Ok(quote! {
        // A parameter cannot be borrowed, whether the function needs to own it or not.
        #[allow(clippy::needless_pass_by_value, reason = "a tool owns what the model sent")]
        #item

        #[doc = #documentation]
        #[derive(Debug, Clone, Copy, Default)]
        #visibility struct #target;

        const _: () = { #implementation };
    })
}

fn tools_of(arguments: TokenStream, item: TokenStream, krate: &str) -> TokenStream {
    let mut path = None;
    let parser = syn::meta::parser(|meta| crate_path(&meta, &mut path));
    parse_macro_input!(arguments with parser);
    let item = parse_macro_input!(item as ItemImpl);
    finish(path_of(path.as_ref(), krate).and_then(|path| methods::tools(item, &Parts(path))))
}

fn data_of(arguments: TokenStream, item: TokenStream, krate: &str) -> TokenStream {
    let mut path = None;
    let parser = syn::meta::parser(|meta| {
        crate_path(&meta, &mut path).map_err(|error| {
            syn::Error::new(error.span(), "`#[data]` takes no arguments; remove them")
        })
    });
    parse_macro_input!(arguments with parser);
    let tokens = proc_macro2::TokenStream::from(item.clone());
    let item = parse_macro_input!(item as DeriveInput);
    finish(path_of(path.as_ref(), krate).and_then(|path| {
        check_owned(&item)?;
        Ok(Parts(path).derives(&tokens))
    }))
}

/// Rejects a field that borrows: serde could read it, but not from arguments that are gone when the tool runs.
fn check_owned(item: &DeriveInput) -> syn::Result<()> {
    let variants = match &item.data {
        Data::Struct(data) => vec![&data.fields],
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| &variant.fields)
            .collect(),
        Data::Union(_) => Vec::new(),
    };
    let mut fields = variants.into_iter().flatten();
    match fields.find_map(|field| borrowed(&field.ty)) {
        Some(span) => Err(error(
            span,
            "data owns what it holds; use `String` for `&str`, `Vec<T>` for `&[T]`, or `T` for `&T`",
        )),
        None => Ok(()),
    }
}

fn finish(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Returns the name of a function as the name of a type: `add_event` is `AddEvent`.
fn type_name(function: &Ident) -> Ident {
    let name = unraw(function);
    let words = name.split('_').map(|word| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    });
    format_ident!("{}", words.collect::<String>(), span = function.span())
}
