//! What `#[tool(…)]` says about a tool and about a parameter.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprRange, Ident, Lit, LitStr, Path, RangeLimits, Result, UnOp};

/// Options of a tool.
#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    /// Name of a variant of `RiskLevel`.
    pub(crate) risk: Option<Ident>,
    pub(crate) timeout: Option<Expr>,
    pub(crate) is_exclusive: bool,
    /// Function that says what the call would do, for the person who approves it.
    pub(crate) preview: Option<Path>,
    /// Name of the generated type.
    pub(crate) type_name: Option<Ident>,
    /// Path of the crate that exports the macro, if the application renamed it.
    pub(crate) krate: Option<Path>,
}

impl ToolOptions {
    pub(crate) fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match key(meta).as_str() {
            "name" => self.name = Some(tool_name(meta.value()?.parse()?)?),
            "title" => self.title = Some(meta.value()?.parse()?),
            "risk" => self.risk = Some(risk(&meta.value()?.parse()?)?),
            "timeout" => self.timeout = Some(meta.value()?.parse()?),
            "exclusive" => self.is_exclusive = true,
            "preview" => self.preview = Some(meta.value()?.parse()?),
            "type" => self.type_name = Some(meta.value()?.parse()?),
            "crate" => self.krate = Some(meta.value()?.parse()?),
            _ => {
                return Err(meta.error(
                    "unknown option; a tool has `name`, `title`, `risk`, `timeout`, `exclusive`, `preview`, `type` and \
                     `crate`",
                ));
            }
        }
        Ok(())
    }
}

/// Options of a parameter.
#[derive(Default)]
pub(crate) struct ParameterOptions {
    pub(crate) default: Option<Expr>,
    pub(crate) range: Option<ExprRange>,
    pub(crate) length: Option<ExprRange>,
    pub(crate) max_length: Option<Expr>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    /// Whether the parameter is a path that the call reads.
    pub(crate) reads: bool,
    /// Whether the parameter is a path that the call writes.
    pub(crate) writes: bool,
}

impl ParameterOptions {
    /// Reads the attributes `#[tool(…)]` of a parameter.
    pub(crate) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("tool")) {
            attribute.parse_nested_meta(|meta| options.read(&meta))?;
        }
        options.check_default()?;
        Ok(options)
    }

    /// Rejects a default that a model could not send. The registry can only ignore it, when the tool is called.
    fn check_default(&self) -> Result<()> {
        let Some(default) = &self.default else {
            return Ok(());
        };
        let limits = match default {
            Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => self.length.as_ref(),
            _ => self.range.as_ref(),
        };
        let bound = |bound: Option<&Expr>| bound.and_then(number);
        let least = limits.and_then(|limits| bound(limits.start.as_deref()));
        let most = limits.and_then(|limits| bound(limits.end.as_deref()));
        let most = most.or(bound(self.max_length.as_ref()));
        let is_outside = number(default).is_some_and(|value| {
            least.is_some_and(|least| value < least) || most.is_some_and(|most| value > most)
        });
        if is_outside {
            let message =
                "the default is outside of the limits of the parameter; change one of them";
            return Err(syn::Error::new(default.span(), message));
        }
        Ok(())
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match key(meta).as_str() {
            "default" => self.default = Some(meta.value()?.parse()?),
            "range" => self.range = Some(closed(meta.value()?.parse()?)?),
            "length" => self.length = Some(closed(meta.value()?.parse()?)?),
            "max_length" => self.max_length = Some(meta.value()?.parse()?),
            "pattern" => self.pattern = Some(meta.value()?.parse()?),
            "rename" => self.rename = Some(meta.value()?.parse()?),
            "alias" => self.aliases.push(meta.value()?.parse()?),
            "reads" => self.reads = true,
            "writes" => self.writes = true,
            _ => {
                return Err(meta.error(
                    "unknown option; a parameter has `default`, `range`, `length`, `max_length`, `pattern`, `rename`, \
                     `alias`, `reads` and `writes`",
                ));
            }
        }
        Ok(())
    }
}

/// Returns a literal number, or the length of a literal text.
#[expect(clippy::cast_precision_loss, reason = "no text is so long")]
fn number(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            Lit::Float(number) => number.base10_parse().ok(),
            Lit::Str(text) => Some(text.value().chars().count() as f64),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => number(&unary.expr).map(|n| -n),
        _ => None,
    }
}

fn key(meta: &ParseNestedMeta<'_>) -> String {
    // `type` and `crate` are keywords, which a path parsed for an attribute may contain.
    meta.path
        .segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

fn risk(level: &Ident) -> Result<Ident> {
    let variant = match level.to_string().as_str() {
        "read_only" => "ReadOnly",
        "safe_write" => "SafeWrite",
        "dangerous" => "Dangerous",
        _ => {
            let message = "unknown risk; use `read_only`, `safe_write` or `dangerous`";
            return Err(syn::Error::new(level.span(), message));
        }
    };
    Ok(Ident::new(variant, level.span()))
}

/// Providers accept these names only.
fn tool_name(name: LitStr) -> Result<LitStr> {
    let text = name.value();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_plain) {
        let message = "invalid tool name; use 1 to 64 ASCII letters, digits, `_` and `-`";
        return Err(syn::Error::new(name.span(), message));
    }
    Ok(name)
}

/// JSON Schema has inclusive bounds, so a half-open range of floats could not be expressed.
fn closed(range: ExprRange) -> Result<ExprRange> {
    match (&range.limits, &range.end) {
        (RangeLimits::HalfOpen(_), Some(_)) => Err(syn::Error::new(
            range.span(),
            "use an inclusive range: `a..=b`",
        )),
        _ => Ok(range),
    }
}

/// Returns the text of the doc comment.
pub(crate) fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let value = attribute.meta.require_name_value().ok()?;
        let Expr::Lit(literal) = &value.value else {
            return None;
        };
        let Lit::Str(text) = &literal.lit else {
            return None;
        };
        let text = text.value();
        // Rustfmt puts one space after the slashes. More of them are indentation, as in a list.
        let line = text.strip_prefix(' ').unwrap_or(&text).trim_end();
        value.path.is_ident("doc").then(|| line.to_owned())
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Reads `#[tool]` or `#[tool(…)]`.
pub(crate) fn tool_options(attribute: &Attribute) -> Result<ToolOptions> {
    let mut options = ToolOptions::default();
    if attribute.meta.require_path_only().is_err() {
        attribute.parse_nested_meta(|meta| options.read(&meta))?;
    }
    Ok(options)
}

/// Reads `#[tools]` or `#[tools(crate = …)]`.
pub(crate) fn crate_path(meta: &ParseNestedMeta<'_>, path: &mut Option<Path>) -> Result<()> {
    if key(meta) == "crate" {
        *path = Some(meta.value()?.parse()?);
        return Ok(());
    }
    Err(meta.error("unknown option; `#[tools]` has `crate`, and each method has `#[tool(…)]`"))
}

/// Returns an error at the call of the macro.
pub(crate) fn error(span: Span, message: &str) -> syn::Error {
    syn::Error::new(span, message)
}

/// Returns the path of the crate under which the generated code finds its parts.
pub(crate) fn path_of(krate: Option<&Path>, default: &str) -> Result<Path> {
    match krate {
        Some(path) => Ok(path.clone()),
        None => syn::parse_str(default),
    }
}
