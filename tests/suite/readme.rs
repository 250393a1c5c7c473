//! Consistency of the README and the book with the code.

use std::fs;
use std::path::Path;

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

/// Returns how many lines of a program say something: not the imports, comments, closing brackets and blank lines.
fn size(program: &str) -> usize {
    let says = |line: &&str| {
        let line = line.trim();
        line.contains(char::is_alphanumeric) && !line.starts_with("//") && !line.starts_with("use ")
    };
    program.lines().filter(says).count()
}

#[test]
fn programs_of_readme_are_short_and_one_is_an_example() {
    let readme = include_str!("../../README.md");
    let programs = readme.split("```rust").skip(1);
    let [agent, minimal] = programs
        .filter_map(|text| text.split_once('\n')?.1.split("```").next())
        .collect::<Vec<_>>()[..]
    else {
        panic!("the README has two programs");
    };

    assert!(size(minimal) <= 9, "{} lines", size(minimal));
    assert!(size(agent) <= 16, "{} lines", size(agent));
    let source = include_str!("../../examples/minimal.rs");
    for line in source.lines().filter(|line| !line.starts_with("//!")) {
        assert!(minimal.contains(line), "{line}");
    }
}

/// Words and phrases that are rare, or that mean something else to most readers.
const UNUSUAL: [&str; 20] = [
    "afresh",
    "amiss",
    "anew",
    "are cut",
    "beside",
    "for ever",
    "goes to",
    "hands on",
    "heeds",
    "hears of",
    "in its place",
    "in place of",
    "is cut",
    "is heard",
    "leave out",
    "left out",
    "one after the other",
    "seldom",
    "surely",
    "unasked",
];

#[test]
fn documents_use_usual_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let list = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .collect::<Vec<_>>()
    };
    let crates = list(&root.join("crates"))
        .into_iter()
        .map(|path| path.join("README.md"));
    let documents = [&root, &root.join("docs/src"), &root.join("docs/decisions")]
        .map(|folder| list(folder))
        .concat();
    let documents = documents
        .into_iter()
        .filter(|path| path.extension().is_some_and(|name| name == "md"));
    for document in documents.chain(crates) {
        let text = fs::read_to_string(&document).unwrap().to_lowercase();
        let text: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let text = format!(" {} ", text.join(" "));
        for phrase in UNUSUAL {
            assert!(
                !text.contains(&format!(" {phrase} ")),
                "`{phrase}` in {}",
                document.display()
            );
        }
    }
}
