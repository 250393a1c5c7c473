//! The generated code.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, ExprRange, Ident, Lit, Path};

use crate::function::{Argument, Function, Parameter};

/// Where the parts are that the generated code uses. Always through a hidden module, so that it needs no other dependency.
pub(crate) struct Parts(pub(crate) Path);

impl Parts {
    pub(crate) fn module(&self) -> TokenStream {
        let krate = &self.0;
        quote!(#krate::__macros)
    }

    /// Returns a type with the derives of serde and schemars.
    pub(crate) fn derives(&self, item: &TokenStream) -> TokenStream {
        let module = self.module();
        let (serde, schemars) = (self.text("serde"), self.text("schemars"));
        quote! {
            #[derive(#module::serde::Deserialize, #module::serde::Serialize, #module::schemars::JsonSchema)]
            #[serde(crate = #serde)]
            #[schemars(crate = #schemars)]
            #item
        }
    }

    /// Returns the path as the derives of serde and schemars expect it.
    fn text(&self, name: &str) -> String {
        let krate = &self.0;
        quote!(#krate::__macros).to_string().replace(' ', "") + "::" + name
    }
}

/// Returns the implementation of `Tool` for `target`, which calls `callee`. The input's type is private to the block that
/// contains it.
pub(crate) fn implementation(
    parts: &Parts,
    function: &Function,
    target: &TokenStream,
    callee: &TokenStream,
) -> TokenStream {
    let module = parts.module();
    let input = format_ident!("{}Input", crate::type_name(&function.ident));
    let structure = structure(parts, function, &input);
    let conversions = conversions(&module, function, &input);
    let definition = definition(&module, function, &conversions);
    let prepare = prepare(
        &module,
        function,
        &input,
        &conversions,
        &call(function, callee),
    );
    quote! {
        #structure

        impl #module::Tool for #target {
            fn definition(&self) -> &#module::ToolDefinition {
                static DEFINITION: ::std::sync::LazyLock<#module::ToolDefinition> =
                    ::std::sync::LazyLock::new(|| #definition);
                &DEFINITION
            }

            #prepare
        }
    }
}

/// Returns the conversions of input and output. All uses are equal, because the compiler reports equal errors once.
fn conversions(module: &TokenStream, function: &Function, input: &Ident) -> TokenStream {
    let (types, output) = (
        generic(function).map(|parameter| &parameter.kind),
        &function.output,
    );
    quote_spanned!(function.ident.span()=> #module::conversions::<#input<#(#types),*>, #output>())
}

/// Returns the parameters whose types are generic in the struct of the input. A default has its own type.
fn generic(function: &Function) -> impl Iterator<Item = &Parameter> {
    let parameters = function.parameters();
    parameters.filter(|parameter| parameter.options.default.is_none())
}

/// Returns the name of the type of a parameter in the struct of the input.
fn type_parameter(parameter: &Parameter) -> Ident {
    format_ident!("TypeOf{}", crate::type_name(&parameter.ident))
}

/// Returns the method that reads the arguments and plans the call.
fn prepare(
    module: &TokenStream,
    function: &Function,
    input: &Ident,
    conversions: &TokenStream,
    call: &TokenStream,
) -> TokenStream {
    let plan = plan(module, function);
    let names: Vec<_> = function
        .parameters()
        .map(|parameter| &parameter.ident)
        .collect();
    let preview = function.options.preview.as_ref().map(|preview| {
        let shown = quote!(#module::preview(#preview(#(&input.#names),*)));
        (
            quote!(let preview = #shown;),
            quote!(.inspect(async move { preview })),
        )
    });
    let (preview, inspect) = preview.unzip();
    // Parameters may have any name, such as `plan` or `cx`, so they are bound last, and the context has its own name.
    quote! {
        fn prepare<'a>(
            &'a self,
            __cx: &'a #module::ToolContext,
            arguments: &'a #module::Arguments<'a>,
        ) -> ::core::result::Result<#module::PreparedCall<'a>, #module::ToolError> {
            let conversions = #conversions;
            let input = (conversions.read)(arguments)?;
            let plan = #module::CallPlan::of(#module::Tool::definition(self).risk());
            let plan = #plan;
            #preview
            // A function without a context does not use it.
            let _ = __cx;
            ::core::result::Result::Ok(#module::PreparedCall::new(plan, async move {
                let #input { #(#names),* } = input;
                let output = #call;
                (conversions.write)(output)
            }) #inspect)
        }
    }
}

/// Returns the call of the function.
fn call(function: &Function, callee: &TokenStream) -> TokenStream {
    let arguments = function.arguments.iter().map(|argument| match argument {
        Argument::Context { is_borrowed: true } => quote!(__cx),
        Argument::Context { is_borrowed: false } => quote!(::core::clone::Clone::clone(__cx)),
        Argument::Parameter(parameter) => parameter.ident.to_token_stream(),
    });
    let mut call = quote!(#callee(#(#arguments),*));
    if function.is_async {
        call = quote!(#call.await);
    }
    if function.is_fallible {
        call = quote!(#call?);
    }
    call
}

/// Returns the struct of the parameters.
fn structure(parts: &Parts, function: &Function, input: &Ident) -> TokenStream {
    let module = parts.module();
    let (serde, schemars) = (parts.text("serde"), parts.text("schemars"));
    let (types, fields) = (
        generic(function).map(type_parameter),
        function.parameters().map(field),
    );
    let defaults = function.parameters().filter_map(|parameter| {
        let default = parameter.options.default.as_ref()?;
        let (name, kind) = (default_name(parameter), &parameter.kind);
        // A number takes the type of its parameter, which `Into` would hide.
        let is_text = matches!(default, Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)));
        let default = if is_text {
            quote!(::core::convert::Into::into(#default))
        } else {
            quote!(#default)
        };
        Some(quote!(fn #name() -> #kind { #default }))
    });
    quote! {
        #[derive(#module::serde::Deserialize, #module::schemars::JsonSchema)]
        #[serde(crate = #serde)]
        #[schemars(crate = #schemars)]
        struct #input<#(#types),*> { #(#fields),* }
        #(#defaults)*
    }
}

fn default_name(parameter: &Parameter) -> Ident {
    format_ident!("default_{}", parameter.ident)
}

fn field(parameter: &Parameter) -> TokenStream {
    let Parameter {
        ident,
        kind,
        attributes,
        options,
    } = parameter;
    let default = options.default.as_ref().map(|_| {
        let name = default_name(parameter).to_string();
        quote!(#[serde(default = #name)])
    });
    let rename = options
        .rename
        .as_ref()
        .map(|name| quote!(#[serde(rename = #name)]));
    let range = options.range.as_ref().map(|range| {
        let bounds = bounds(range);
        quote!(#[schemars(range(#bounds))])
    });
    let length = options.length.as_ref().map(|range| {
        let bounds = bounds(range);
        quote!(#[schemars(length(#bounds))])
    });
    let max_length = options
        .max_length
        .as_ref()
        .map(|max| quote!(#[schemars(length(max = #max))]));
    let pattern = options
        .pattern
        .as_ref()
        .map(|pattern| quote!(#[schemars(regex(pattern = #pattern))]));
    let kind = match &options.default {
        Some(_) => quote!(#kind),
        None => type_parameter(parameter).into_token_stream(),
    };
    quote!(#(#attributes)* #default #rename #range #length #max_length #pattern #ident: #kind)
}

fn bounds(range: &ExprRange) -> TokenStream {
    let bound = |name: &str, bound: &Option<Box<Expr>>| {
        let name = format_ident!("{name}");
        bound.as_ref().map(|bound| quote!(#name = #bound))
    };
    let bounds = [bound("min", &range.start), bound("max", &range.end)];
    let bounds = bounds.iter().flatten();
    quote!(#(#bounds),*)
}

fn definition(module: &TokenStream, function: &Function, conversions: &TokenStream) -> TokenStream {
    let (name, description) = (function.name(), &function.description);
    let options = &function.options;
    let risk = options
        .risk
        .as_ref()
        .map(|risk| quote!(.with_risk(#module::RiskLevel::#risk)));
    let title = options
        .title
        .as_ref()
        .map(|title| quote!(.with_title(#title)));
    let timeout = options
        .timeout
        .as_ref()
        .map(|timeout| quote!(.with_timeout(#timeout)));
    let aliases = function.parameters().flat_map(|parameter| {
        let name = parameter.name();
        parameter
            .options
            .aliases
            .iter()
            .map(move |alias| quote!(.with_alias(#alias, #name)))
    });
    quote!((#conversions.define)(#name, #description) #risk #title #timeout #(#aliases)*)
}

/// Returns the plan of a call with the value `input`.
fn plan(module: &TokenStream, function: &Function) -> TokenStream {
    let exclusive = function
        .options
        .is_exclusive
        .then(|| quote!(let plan = plan.exclusive();));
    let touches = function.parameters().map(|parameter| {
        let ident = &parameter.ident;
        let reads = parameter.options.reads.then(|| {
            quote!(let plan = #module::Paths::fold(&input.#ident, plan, #module::CallPlan::reads);)
        });
        let writes = parameter.options.writes.then(|| {
            quote!(let plan = #module::Paths::fold(&input.#ident, plan, #module::CallPlan::writes);)
        });
        quote!(#reads #writes)
    });
    quote!({ #exclusive #(#touches)* plan })
}
