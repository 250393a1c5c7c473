//! Consistency of the README and the book with the code.

use tool_test::Scratch;
use tools_builtin::toolsets::{self, ToolGroup};
use tools_builtin::{Kit, Workspace};

#[test]
fn tool_table_matches_code() {
    let scratch = Scratch::new();
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap()).unconfined();
    let mut groups = ToolGroup::ALL.iter();
    let toolset = toolsets::standard(&kit)
        .and_then(|standard| {
            groups.try_fold(standard, |toolset, group| group.add_to(toolset, &kit))
        })
        .unwrap();

    let rows: Vec<String> = toolset
        .tools()
        .iter()
        .map(|tool| {
            let definition = tool.definition();
            format!(
                "| `{}` | {} | {} |",
                definition.name(),
                definition.risk(),
                definition
                    .description()
                    .trim_end_matches(" No sandbox is enforced.")
            )
        })
        .collect();

    let chapter = include_str!("../../docs/src/toolsets.md");
    let written: Vec<&str> = chapter
        .lines()
        .skip_while(|line| !line.starts_with("| tool |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert_eq!(written, rows);
}

#[test]
fn readme_takes_two_minutes() {
    let readme = include_str!("../../README.md");
    let before: &str = readme.split("```rust").next().unwrap_or_default();

    assert!(readme.lines().count() <= 150);
    // Without the table, which people scan rather than read.
    let words = before
        .lines()
        .filter(|line| !line.starts_with('|'))
        .flat_map(str::split_whitespace)
        .count();
    assert!(words <= 120, "{words} words before the first program");
}

#[test]
fn minimal_program_is_short_and_in_readme() {
    let source = include_str!("../../examples/minimal.rs");
    let code: Vec<&str> = source
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("//!"))
        .collect();

    assert!(code.len() <= 14, "{} lines", code.len());
    let readme = include_str!("../../README.md");
    for line in code {
        assert!(readme.contains(line), "{line}");
    }
}
