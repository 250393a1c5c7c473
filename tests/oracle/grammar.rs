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
pub(crate) fn accepts(parser: &mut Parser, text: &str) -> bool {
    parser
        .parse(text, None)
        .is_some_and(|tree| !tree.root_node().has_error())
}
