//! Whether tree-sitter's grammar of bash accepts a text.

use tree_sitter::Parser;

/// A parser that knows bash.
pub(crate) fn parser() -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .unwrap();
    parser
}

/// Whether the tree of `text` has no node for an error, and none that was made up.
///
/// The grammar takes `$((` for arithmetic always. For bash it is a subshell in a substitution unless two signs stand together at the end as well, so that
/// form is given with a blank in it. Nor does the grammar know that a text in place may go to a descriptor by its number.
pub(crate) fn accepts(parser: &mut Parser, text: &str) -> bool {
    let mut is_valid = |text: &str| {
        let tree = parser.parse(text, None);
        tree.is_some_and(|tree| !tree.root_node().has_error())
    };
    let forms = [("$((cd ", "$( (cd "), ("exec 3<<<", "exec <<<")];
    is_valid(text)
        || forms
            .into_iter()
            .any(|(form, instead)| is_valid(&text.replace(form, instead)))
}
