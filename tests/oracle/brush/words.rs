//! Words, which brush keeps unparsed.

use brush_parser::ast::Word;
use brush_parser::word::{
    self, Parameter, ParameterExpr, SpecialParameter, WordPiece, WordPieceWithSource,
};

use super::{Reading, Reads, options};
use crate::ansi;
use crate::outline::{Refused, Rendered};

impl Reading {
    pub(super) fn word(&mut self, word: &Word) -> Reads<String> {
        self.part(&word.value)
    }

    pub(super) fn part(&mut self, text: &str) -> Reads<String> {
        let pieces = word::parse(text, &options()).map_err(|_| Refused)?;
        let mut rendered = Rendered::default();
        self.pieces(&pieces, false, &mut rendered)?;
        Ok(rendered.0)
    }

    /// Reads text in which only expansions are special.
    pub(super) fn expanded_text(&mut self, text: &str) -> Reads<String> {
        let pieces = word::parse_heredoc(text, &options()).map_err(|_| Refused)?;
        let mut rendered = Rendered::default();
        self.pieces(&pieces, true, &mut rendered)?;
        Ok(rendered.0)
    }

    pub(super) fn arithmetic(&mut self, text: &str) -> Reads<String> {
        self.expanded_text(text)
    }

    fn pieces(
        &mut self,
        pieces: &[WordPieceWithSource],
        is_quoted: bool,
        rendered: &mut Rendered,
    ) -> Reads<()> {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) if is_quoted => rendered.quoted(text),
                WordPiece::Text(text) => rendered.plain(text),
                WordPiece::SingleQuotedText(text) => rendered.quoted(text),
                WordPiece::AnsiCQuotedText(text) => rendered.quoted(&ansi::decoded(text)),
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    self.pieces(inner, true, rendered)?;
                }
                WordPiece::TildeExpansion(_) => rendered.plain("~"),
                WordPiece::ParameterExpansion(parameter) => {
                    let parameter = self.parameter(parameter)?;
                    rendered.expanded(&parameter);
                }
                WordPiece::CommandSubstitution(text) => self.substitution(text, rendered)?,
                WordPiece::BackquotedCommandSubstitution(text) => {
                    self.substitution(&without_escapes(text, is_quoted), rendered)?;
                }
                WordPiece::EscapeSequence(text) => {
                    let escaped = text.strip_prefix('\\').unwrap_or(text);
                    rendered.quoted(escaped.trim_start_matches('\n'));
                }
                WordPiece::ArithmeticExpression(expression) => {
                    self.arithmetic(&expression.value)?;
                    rendered.expanded("$(())");
                }
            }
        }
        Ok(())
    }

    fn substitution(&mut self, text: &str, rendered: &mut Rendered) -> Reads<()> {
        self.outline.add("$(");
        self.text(text)?;
        self.outline.add(")");
        rendered.expanded("$()");
        Ok(())
    }

    fn parameter(&mut self, expression: &ParameterExpr) -> Reads<String> {
        use ParameterExpr as Expr;
        match expression {
            Expr::Parameter { parameter, .. }
            | Expr::ParameterLength { parameter, .. }
            | Expr::Transform { parameter, .. } => self.name(parameter),
            Expr::UseDefaultValues {
                parameter,
                default_value: operand,
                ..
            }
            | Expr::AssignDefaultValues {
                parameter,
                default_value: operand,
                ..
            }
            | Expr::IndicateErrorIfNullOrUnset {
                parameter,
                error_message: operand,
                ..
            }
            | Expr::UseAlternativeValue {
                parameter,
                alternative_value: operand,
                ..
            } => self.named_with(parameter, [operand.as_deref(), None]),
            Expr::VariableNames { prefix: name, .. }
            | Expr::MemberKeys {
                variable_name: name,
                ..
            } => Ok(name.clone()),
            changing => self.changed(changing),
        }
    }

    fn changed(&mut self, expression: &ParameterExpr) -> Reads<String> {
        use ParameterExpr as Expr;
        match expression {
            Expr::RemoveSmallestSuffixPattern {
                parameter, pattern, ..
            }
            | Expr::RemoveLargestSuffixPattern {
                parameter, pattern, ..
            }
            | Expr::RemoveSmallestPrefixPattern {
                parameter, pattern, ..
            }
            | Expr::RemoveLargestPrefixPattern {
                parameter, pattern, ..
            }
            | Expr::UppercaseFirstChar {
                parameter, pattern, ..
            }
            | Expr::UppercasePattern {
                parameter, pattern, ..
            }
            | Expr::LowercaseFirstChar {
                parameter, pattern, ..
            }
            | Expr::LowercasePattern {
                parameter, pattern, ..
            } => self.named_with(parameter, [pattern.as_deref(), None]),
            Expr::ReplaceSubstring {
                parameter,
                pattern,
                replacement,
                ..
            } => self.named_with(parameter, [Some(pattern), replacement.as_deref()]),
            Expr::Substring {
                parameter,
                offset,
                length,
                ..
            } => {
                let length = length.as_ref().map(|length| length.value.as_str());
                self.named_with(parameter, [Some(&offset.value), length])
            }
            _ => Err(Refused),
        }
    }

    fn named_with(&mut self, parameter: &Parameter, operands: [Option<&str>; 2]) -> Reads<String> {
        let name = self.name(parameter)?;
        for operand in operands.into_iter().flatten() {
            self.part(operand)?;
        }
        Ok(name)
    }

    fn name(&mut self, parameter: &Parameter) -> Reads<String> {
        Ok(match parameter {
            Parameter::Positional(number) => number.to_string(),
            Parameter::Special(special) => special_name(special).to_owned(),
            Parameter::Named(name) | Parameter::NamedWithAllIndices { name, .. } => name.clone(),
            Parameter::NamedWithIndex { name, index } => {
                self.part(index)?;
                name.clone()
            }
        })
    }
}

fn special_name(special: &SpecialParameter) -> &'static str {
    match special {
        SpecialParameter::AllPositionalParameters { concatenate: true } => "*",
        SpecialParameter::AllPositionalParameters { concatenate: false } => "@",
        SpecialParameter::PositionalParameterCount => "#",
        SpecialParameter::LastExitStatus => "?",
        SpecialParameter::CurrentOptionFlags => "-",
        SpecialParameter::ProcessId => "$",
        SpecialParameter::LastBackgroundProcessId => "!",
        SpecialParameter::ShellName => "0",
    }
}

/// brush keeps the backslashes within backquotes; the shell removes them.
fn without_escapes(text: &str, is_quoted: bool) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, letters.clone().next()) {
            ('\\', Some(escaped)) if "`\\$".contains(escaped) || (is_quoted && escaped == '"') => {
                plain.push(escaped);
                letters.next();
            }
            _ => plain.push(letter),
        }
    }
    plain
}
