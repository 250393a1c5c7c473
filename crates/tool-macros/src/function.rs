//! The function that becomes a tool.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericArgument, Ident, Pat, PatType, PathArguments, Result, ReturnType,
    Signature, Type,
};

use crate::attributes::{ParameterOptions, ToolOptions, documentation, error};

/// A function, and what its attributes say.
pub(crate) struct Function {
    pub(crate) ident: Ident,
    pub(crate) options: ToolOptions,
    /// Description for the model.
    pub(crate) description: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) is_async: bool,
    /// Whether it returns a `Result`.
    pub(crate) is_fallible: bool,
    /// Type of the output; of the `Ok` if it returns a `Result`.
    pub(crate) output: Type,
}

/// An argument of the function, in its order.
pub(crate) enum Argument {
    Context { is_borrowed: bool },
    Parameter(Box<Parameter>),
}

/// A parameter that the model fills in.
pub(crate) struct Parameter {
    pub(crate) ident: Ident,
    pub(crate) kind: Type,
    /// Doc comment and other attributes that the field of the input keeps.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) options: ParameterOptions,
}

impl Parameter {
    /// Returns the name that the model sees.
    pub(crate) fn name(&self) -> String {
        let renamed = self.options.rename.as_ref();
        renamed.map_or_else(|| unraw(&self.ident), syn::LitStr::value)
    }
}

impl Function {
    /// Reads a function, and removes from its arguments the attributes that no function may have.
    pub(crate) fn read(
        attributes: &[Attribute],
        signature: &mut Signature,
        options: ToolOptions,
    ) -> Result<Self> {
        let description = documentation(attributes);
        if description.is_empty() {
            let message = "a tool needs a description for the model; add a doc comment (`/// …`)";
            return Err(error(signature.ident.span(), message));
        }
        if !signature.generics.params.is_empty() {
            let message =
                "a tool cannot be generic, because its schema has to be known; use concrete types";
            return Err(error(signature.generics.span(), message));
        }
        let mut arguments = Vec::new();
        for argument in &mut signature.inputs {
            if let FnArg::Typed(argument) = argument {
                arguments.push(read_argument(argument)?);
            }
        }
        let contexts = arguments
            .iter()
            .filter(|argument| matches!(argument, Argument::Context { .. }));
        if contexts.count() > 1 {
            return Err(error(
                signature.inputs.span(),
                "a tool has one context; remove the other one",
            ));
        }
        let (is_fallible, output) = output(&signature.output);
        Ok(Self {
            ident: signature.ident.clone(),
            options,
            description,
            arguments,
            is_async: signature.asyncness.is_some(),
            is_fallible,
            output,
        })
    }

    /// Returns the name that the model sees.
    pub(crate) fn name(&self) -> String {
        let name = self.options.name.as_ref();
        name.map_or_else(|| unraw(&self.ident), syn::LitStr::value)
    }

    pub(crate) fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Parameter(parameter) => Some(&**parameter),
            Argument::Context { .. } => None,
        })
    }
}

fn read_argument(argument: &mut PatType) -> Result<Argument> {
    if let Some(is_borrowed) = context(&argument.ty) {
        return Ok(Argument::Context { is_borrowed });
    }
    let Pat::Ident(pattern) = &*argument.pat else {
        let message = "a parameter needs a name, because the model sees it; use an identifier";
        return Err(error(argument.pat.span(), message));
    };
    if let Some(borrowed) = borrowed(&argument.ty) {
        let message = "a parameter owns what the model sent; use `String` for `&str`, `Vec<T>` for `&[T]`, or `T` for `&T`";
        return Err(error(borrowed, message));
    }
    if let Some(lifetime) = lifetime(&argument.ty) {
        let message = "a parameter owns what the model sent; use a type without lifetimes, with `String` for `&str` in it";
        return Err(error(lifetime, message));
    }
    let options = ParameterOptions::of(&argument.attrs)?;
    let attributes = std::mem::take(&mut argument.attrs);
    let (kept, own): (Vec<_>, Vec<_>) = attributes
        .into_iter()
        .filter(|attribute| !attribute.path().is_ident("tool"))
        .partition(|attribute| attribute.path().is_ident("cfg"));
    if let Some(condition) = kept.first() {
        return Err(error(
            condition.span(),
            "a parameter of a tool cannot depend on `cfg`",
        ));
    }
    Ok(Argument::Parameter(Box::new(Parameter {
        ident: pattern.ident.clone(),
        kind: (*argument.ty).clone(),
        attributes: own,
        options,
    })))
}

/// Returns whether a context is borrowed; `None` for other types.
fn context(kind: &Type) -> Option<bool> {
    let (is_borrowed, kind) = match kind {
        Type::Reference(reference) => (true, &*reference.elem),
        kind => (false, kind),
    };
    let Type::Path(path) = kind else {
        return None;
    };
    let last = path.path.segments.last()?;
    (last.ident == "ToolContext").then_some(is_borrowed)
}

/// Returns where a type has a reference.
pub(crate) fn borrowed(kind: &Type) -> Option<Span> {
    match kind {
        Type::Reference(reference) => Some(reference.span()),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(borrowed),
        Type::Array(array) => borrowed(&array.elem),
        kind => arguments(kind).find_map(|argument| match argument {
            GenericArgument::Type(kind) => borrowed(kind),
            _ => None,
        }),
    }
}

/// Returns where a type has a lifetime that ends with the call.
fn lifetime(kind: &Type) -> Option<Span> {
    arguments(kind).find_map(|argument| match argument {
        GenericArgument::Lifetime(lifetime) if lifetime.ident != "static" => Some(lifetime.span()),
        GenericArgument::Type(kind) => lifetime(kind),
        _ => None,
    })
}

/// Returns what a path has in angle brackets.
fn arguments(kind: &Type) -> impl Iterator<Item = &GenericArgument> {
    let segments = match kind {
        Type::Path(path) => Some(&path.path.segments),
        _ => None,
    };
    let brackets = segments
        .into_iter()
        .flatten()
        .map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(brackets) => Some(&brackets.args),
            _ => None,
        });
    brackets.flatten().flatten()
}

/// Returns whether the function returns a `Result`, and the type of its output.
fn output(output: &ReturnType) -> (bool, Type) {
    let ReturnType::Type(_, kind) = output else {
        return (false, syn::parse_quote!(()));
    };
    if let Type::Path(path) = &**kind
        && let Some(last) = path.path.segments.last()
        && last.ident == "Result"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(ok)) = arguments.args.first()
    {
        return (true, ok.clone());
    }
    (false, (**kind).clone())
}

/// Returns a name without the prefix of a raw identifier.
pub(crate) fn unraw(ident: &Ident) -> String {
    let text = ident.to_token_stream().to_string();
    text.strip_prefix("r#")
        .map_or_else(|| text.clone(), ToOwned::to_owned)
}
