//! Methods that become tools.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, ImplItemFn, ItemImpl, Result, Type};

use crate::attributes::{error, tool_options};
use crate::expand::{Parts, implementation};
use crate::function::Function;
use crate::type_name;

/// Returns the `impl`, and the functions that return its methods with `#[tool]` as tools.
pub(crate) fn tools(mut item: ItemImpl, parts: &Parts) -> Result<TokenStream> {
    check(&item)?;
    let mut functions: Vec<Function> = Vec::new();
    for member in &mut item.items {
        let ImplItem::Fn(method) = member else {
            continue;
        };
        let Some(attribute) = take_tool(method) else {
            continue;
        };
        let function = read(method, &attribute)?;
        if functions
            .iter()
            .any(|known| known.name() == function.name())
        {
            return Err(error(
                method.sig.ident.span(),
                "two tools of this name; use `#[tool(name = \"…\")]`",
            ));
        }
        functions.push(function);
    }
    if functions.is_empty() {
        return Err(error(
            item.self_ty.span(),
            "no method has `#[tool]`; write it above each method that the model may call",
        ));
    }
    let owner = &item.self_ty;
    let wrappers = functions
        .iter()
        .map(|function| wrapper(parts, function, owner));
    let constructor = constructor(parts, &functions, owner);
    Ok(quote! {
        #[allow(clippy::needless_pass_by_value, reason = "a tool owns what the model sent")]
        #item

        const _: () = {
            #(#wrappers)*
            #constructor
        };
    })
}

fn check(item: &ItemImpl) -> Result<()> {
    if let Some((path, _)) = &item.trait_ {
        return Err(error(
            path.span(),
            "`#[tools]` is for the methods of a type; move them to an `impl` without a trait",
        ));
    }
    if !item.generics.params.is_empty() {
        return Err(error(
            item.generics.span(),
            "a type with tools cannot be generic; use a concrete type",
        ));
    }
    Ok(())
}

/// Removes `#[tool]` from a method.
fn take_tool(method: &mut ImplItemFn) -> Option<Attribute> {
    let position = method
        .attrs
        .iter()
        .position(|attribute| attribute.path().is_ident("tool"))?;
    Some(method.attrs.remove(position))
}

fn read(method: &mut ImplItemFn, attribute: &Attribute) -> Result<Function> {
    let is_shared = method
        .sig
        .receiver()
        .is_some_and(|receiver| quote!(#receiver).to_string() == "& self");
    if !is_shared {
        let message = "a method that is a tool takes `&self`, because calls share the value; use a `Mutex` for what changes";
        return Err(error(method.sig.inputs.span(), message));
    }
    let options = tool_options(attribute)?;
    if let Some(name) = &options.type_name {
        return Err(error(
            name.span(),
            "the type of a method's tool is private; remove `type`",
        ));
    }
    Function::read(&method.attrs, &mut method.sig, options)
}

/// Returns a private type that holds the shared value, with its implementation of `Tool`.
fn wrapper(parts: &Parts, function: &Function, owner: &Type) -> TokenStream {
    let target = target(function);
    let method = &function.ident;
    let bound = implementation(parts, function, &quote!(#target), &quote!(self.0.#method));
    quote! {
        struct #target(::std::sync::Arc<#owner>);
        #bound
    }
}

fn target(function: &Function) -> syn::Ident {
    format_ident!("{}Tool", type_name(&function.ident))
}

/// Returns the functions that make the tools.
fn constructor(parts: &Parts, functions: &[Function], owner: &Type) -> TokenStream {
    let module = parts.module();
    let name = quote!(#owner).to_string();
    let targets = functions.iter().map(target);
    let list: Vec<_> = functions
        .iter()
        .map(|function| format!("`{}`", function.name()))
        .collect();
    let own = format!("Returns the tools of this value: {}.", list.join(", "));
    let shared = format!(
        "Returns the tools of a value that you keep: {}.",
        list.join(", ")
    );
    quote! {
        impl #owner {
            #[doc = #own]
            pub fn tools(self) -> #module::Toolset {
                Self::shared_tools(::std::sync::Arc::new(self))
            }

            #[doc = #shared]
            pub fn shared_tools(shared: ::std::sync::Arc<Self>) -> #module::Toolset {
                #module::toolset(#name, [
                    #(::std::sync::Arc::new(#targets(::std::sync::Arc::clone(&shared))) as ::std::sync::Arc<dyn #module::Tool>),*
                ])
            }
        }
    }
}
