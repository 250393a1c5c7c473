//! Checks of shell text with the bash grammar of tree-sitter.

use tree_sitter::Parser;

pub(crate) fn parser() -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .unwrap();
    parser
}

/// Returns `true` if the tree of `text` has no error and no missing node.
///
/// The grammar always parses `$((` as arithmetic. For bash it is a subshell in a substitution
/// unless the closing parentheses are adjacent, so such input gets a space. The grammar also does
/// not support here-strings for a numbered descriptor.
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
