//! Toolsets: laws of every tool, and reviewed provider formats.

use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use provider_adapters::{ConversionPlan, Options, Provider, StrictMode};
use serde_json::{Value, json};
use tool_core::approval::Policy;
use tool_core::{Dialect, Registry, Secret, Tool, Toolset};
use tool_test::{Laws, Scratch};
use tools_builtin::questions::{Question, Respondent};
use tools_builtin::toolsets::ToolGroup;
use tools_builtin::toolsets::ToolsetName::{
    self, Assistant, CliAgent, Dracode, RepoExplorer, Ryan, Standard,
};
use tools_builtin::web::BraveSearch;
use tools_builtin::{Kit, Workspace};

fn dialects() -> Vec<&'static dyn Dialect> {
    let all = Provider::ALL.iter();
    all.map(|provider| provider as &dyn Dialect).collect()
}

fn project() -> Scratch {
    Scratch::new()
        .file("a", "one\n")
        .file("src/main.rs", "fn main() {}\n")
}

fn kit(scratch: &Scratch) -> Kit {
    Kit::new(Workspace::open(scratch.path()).unwrap())
}

#[tokio::test]
async fn all_tools_satisfy_laws_with_every_provider() {
    let dialects = dialects();
    for set in ToolsetName::ALL {
        let scratch = project();
        for tool in set.toolset(&kit(&scratch)).unwrap().tools() {
            let laws = Laws::of(tool.clone()).dialects(&dialects).run_dangerous();

            let broken = laws.check().await;

            assert_eq!(broken, [], "{set}: {}", tool.definition().name());
        }
    }
}

#[test]
fn converts_all_tools_for_every_provider() {
    let scratch = Scratch::new();
    for set in ToolsetName::ALL {
        let toolset = set.toolset(&kit(&scratch)).unwrap();
        let definitions: Vec<_> = toolset
            .tools()
            .iter()
            .map(|tool| tool.definition().clone())
            .collect();
        for provider in Provider::ALL {
            let converted = json!(provider.convert(&definitions));

            assert_eq!(converted["refused"], json!([]), "{set}: {provider}");
            assert_eq!(
                converted["names"].as_object().map(serde_json::Map::len),
                Some(definitions.len()),
                "{set}: {provider}"
            );
        }
    }
}

#[test]
fn sends_no_bound_that_only_type_implies() {
    let type_bounds = [255, 65_535, u64::from(u32::MAX), i64::MAX as u64, u64::MAX];
    let scratch = Scratch::new();
    for set in ToolsetName::ALL {
        for tool in set.toolset(&kit(&scratch)).unwrap().tools() {
            let schema = tool.definition().input_schema().to_string();
            for bound in type_bounds {
                let bound = format!("\"maximum\":{bound}");
                assert!(!schema.contains(&bound), "{set}: {schema}");
            }
        }
    }
}

/// Characters of the definitions as Anthropic receives them, as compact JSON.
fn characters(toolset: &Toolset) -> usize {
    let definitions: Vec<_> = toolset
        .tools()
        .iter()
        .map(|tool| tool.definition().clone())
        .collect();
    let options = Options::default().with_strict(StrictMode::Off);
    let plan = ConversionPlan::new(Provider::Anthropic.with_options(options), &definitions);
    json!(plan.tools())["tools"].to_string().chars().count()
}

/// Enables the tool that asks.
#[derive(Debug)]
struct Nobody;

#[async_trait::async_trait]
impl Respondent for Nobody {
    async fn answer(&self, _question: &Question) -> Option<String> {
        None
    }
}

#[test]
fn standard_definitions_are_short() {
    let scratch = Scratch::new();
    for kit in [kit(&scratch), kit(&scratch).unconfined()] {
        let brave = BraveSearch::new(&Secret::new("key".to_owned())).unwrap();
        let kit = kit
            .with_search(Arc::new(brave))
            .with_pdf_program("/usr/bin/app", ["pdf-text"])
            .with_respondent(Arc::new(Nobody));
        let standard = ToolsetName::Standard.toolset(&kit).unwrap();
        let (seven, count) = (characters(&standard), standard.tools().len());
        let patch_set = ToolsetName::CodingGpt.toolset(&kit).unwrap();
        let patching = characters(&patch_set);
        let groups = ToolGroup::ALL.iter();
        let all = groups.fold(standard, |toolset, group| {
            group.add_to(toolset, &kit).unwrap()
        });

        let all = characters(&all);

        assert_eq!(count, 7);
        assert!(seven <= 4800 && patching <= 4800, "{seven}, {patching}");
        assert!(all <= 7000, "{all}");
    }
}

#[test]
fn document_sets_match_reviewed_conversions() {
    let scratch = Scratch::new();
    let providers = [Provider::OpenAi, Provider::Anthropic, Provider::Gemini];
    for set in ToolsetName::ALL.into_iter().skip(2) {
        let toolset = set.toolset(&kit(&scratch)).unwrap();
        let registry = Registry::builder().toolset(&toolset).unwrap().build();

        for provider in providers {
            let mut converted = json!(*registry.definitions(&provider));
            converted.sort_all_objects();
            assert_reviewed(set, provider, &format!("{converted:#}\n"));
        }
    }
}

/// Compares a conversion with its file. `UPDATE_GOLDEN=1` writes the file for review.
fn assert_reviewed(set: ToolsetName, provider: Provider, converted: &str) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/toolsets");
    let file = fixtures.join(set.name()).join(format!("{provider}.json"));
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, converted).unwrap();
    }
    let reviewed = fs::read_to_string(&file).unwrap();

    assert!(
        reviewed == converted,
        "{set}: {provider} receives other definitions; run with UPDATE_GOLDEN=1 and review the change"
    );
}

/// Capability with its tool and arguments in each set.
type Capability = (&'static str, Vec<(ToolsetName, &'static str, Value)>);

fn shared() -> Vec<Capability> {
    [reading(), finding(), changing()].concat()
}

fn reading() -> Vec<Capability> {
    let file = json!({"path": "src/main.rs"});
    let lines = json!({"path": "src/main.rs", "start_line": 1, "end_line": 1});
    vec![
        (
            "an entire file",
            vec![
                (Standard, "read", file.clone()),
                (Dracode, "read_file", json!({"file_path": "src/main.rs"})),
                (RepoExplorer, "read_file", file.clone()),
                (Ryan, "read_file", file.clone()),
                (CliAgent, "read_file", file.clone()),
                (Assistant, "read_file", file),
            ],
        ),
        (
            "a range of lines",
            vec![
                (
                    Ryan,
                    "read_file",
                    json!({"path": "src/main.rs", "start_line": 1.0, "end_line": 1.0}),
                ),
                (CliAgent, "read_file", lines),
            ],
        ),
    ]
}

fn finding() -> Vec<Capability> {
    vec![
        (
            "the files of a directory",
            vec![
                (Dracode, "list_files", json!({"directory": "src"})),
                (RepoExplorer, "list_files", json!({"path": "src"})),
            ],
        ),
        (
            "a search",
            vec![
                (Dracode, "search_code", json!({"query": "fn"})),
                (RepoExplorer, "search_code", json!({"query": "fn"})),
                (CliAgent, "grep_search", json!({"pattern": "fn"})),
            ],
        ),
    ]
}

fn changing() -> Vec<Capability> {
    vec![
        (
            "a written file",
            vec![
                (Standard, "write", json!({"path": "b/c", "content": "x"})),
                (
                    Dracode,
                    "write_file",
                    json!({"file_path": "b/c", "content": "x"}),
                ),
                (
                    CliAgent,
                    "create_file",
                    json!({"path": "b/c", "content": "x"}),
                ),
                (
                    Assistant,
                    "write_file",
                    json!({"path": "b/c", "content": "x"}),
                ),
            ],
        ),
        (
            "a command line",
            vec![
                (
                    Standard,
                    "bash",
                    json!({"command": "echo out; echo err >&2"}),
                ),
                (
                    Ryan,
                    "execute_bash",
                    json!({"command": "echo out; echo err >&2"}),
                ),
                (
                    CliAgent,
                    "run_in_terminal",
                    json!({"command": "echo out; echo err >&2"}),
                ),
                (
                    Assistant,
                    "bash",
                    json!({"command": "echo out; echo err >&2"}),
                ),
            ],
        ),
    ]
}

#[tokio::test]
async fn sets_with_same_capability_return_equal_data() {
    for (capability, calls) in shared() {
        let mut given: Option<Value> = None;
        for (set, tool, arguments) in calls {
            let scratch = project();
            let registry = Registry::builder()
                .policy(Policy::allow_all())
                .toolset(&set.toolset(&kit(&scratch)).unwrap())
                .unwrap()
                .build();

            let result = registry.execute(tool, arguments).await;

            let data = result
                .data
                .unwrap_or_else(|| panic!("{set}: {:?}", result.error));
            let first = given.get_or_insert_with(|| data.clone());
            assert_eq!(&data, first, "{capability} in {set}");
        }
    }
}
