//! Cost of parsing and validating arguments in a call, compared with `serde_json` and `jsonschema`
//! on a `Value`.
//!
//! cargo bench --bench validate -- [--quick]
//!
//! The tools do nothing, so that differences between calls show the cost of single steps.

use std::hint::black_box;

use async_trait::async_trait;
use benches::measure::{Case, Effort, Measurements, at_once, interleaved};
use benches::options::Options;
use benches::workload::{Add, ReadFile, Todo, Workload};
use serde_json::{Value, json};
use tool_core::{
    Arguments, Registry, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ToolResult, schema_of,
};

fn main() {
    let effort = Options::from_command_line().effort;
    arguments::<Add>(("2", "\"two\""), effort);
    arguments::<ReadFile>(("1", "\"one\""), effort);
    arguments::<Todo>(("pending", "later"), effort);
}

/// Tool that ignores its arguments.
struct Nothing(ToolDefinition);

#[async_trait]
impl Tool for Nothing {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn execute(
        &self,
        _cx: &ToolContext,
        _arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::default())
    }
}

fn registry(schema: Value) -> Registry {
    let definition = ToolDefinition::new("nothing", "Does nothing.", schema);
    let tool = Nothing(definition.with_risk(RiskLevel::ReadOnly));
    Registry::of(tool).expect("the schema is valid")
}

fn call<'c>(
    case: &str,
    schema: Value,
    text: &'c str,
    expected: impl FnOnce(&ToolResult) -> bool,
) -> Case<'c> {
    let tools = registry(schema);
    let run = move || at_once(tools.execute_text("nothing", black_box(text)));
    Case::checked(case, &json!(true), run, |result| json!(expected(&result)))
}

/// Measures all variants of one workload; replacing `mistake.0` by `mistake.1` makes the arguments
/// invalid.
fn arguments<W: Workload>(mistake: (&str, &str), effort: Effort) {
    let schema = schema_of::<W>();
    let mut with_default = schema.clone();
    with_default["properties"]["extra"] = json!({"type": "integer", "default": 7});
    let text = W::text();
    let wrong = text.replace(mistake.0, mistake.1);
    let open = json!({"type": "object"});
    let mut cases = bare(&schema, &text, &wrong);
    cases.extend([
        call("call, no arguments", open.clone(), "{}", success),
        call("call, any arguments", open, &text, success),
        call("call, validated", schema.clone(), &text, success),
        call("call, with a default", with_default, &text, |result| {
            result.metadata.parameters.to_value()["extra"] == 7
        }),
        call("call, invalid arguments", schema, &wrong, |result| {
            result
                .error
                .as_ref()
                .is_some_and(|error| !error.issues.is_empty())
        }),
    ]);
    println!("\n{}", W::NAME);
    let measurements = interleaved(&mut cases, effort);
    measurements.print();
    compare(&measurements);
}

fn success(result: &ToolResult) -> bool {
    result.success
}

/// Other libraries on a `Value`.
fn bare<'c>(schema: &Value, text: &'c str, wrong: &str) -> Vec<Case<'c>> {
    let read = |text: &str| serde_json::from_str::<Value>(text).expect("the text is JSON");
    let (good, wrong) = (read(text), read(wrong));
    let validator = jsonschema::validator_for(schema).expect("the schema is valid");
    let explaining = validator.clone();
    let issues = move || -> Vec<String> {
        let errors = explaining.iter_errors(black_box(&wrong));
        errors.map(|error| error.to_string()).collect()
    };
    vec![
        Case::new("text to Value", move || read(black_box(text))),
        Case::checked(
            "jsonschema on the Value",
            &json!(true),
            move || validator.is_valid(black_box(&good)),
            |valid| json!(valid),
        ),
        Case::checked("jsonschema's errors", &json!(true), issues, |issues| {
            json!(!issues.is_empty())
        }),
    ]
}

/// Prints the cost of each step in a call and on a `Value`.
fn compare(measurements: &Measurements) {
    let steps = [
        (
            "reading",
            "call, any arguments",
            "call, no arguments",
            "text to Value",
        ),
        (
            "validating",
            "call, validated",
            "call, any arguments",
            "jsonschema on the Value",
        ),
    ];
    for (step, with, without, on_value) in steps {
        let added = measurements.of(with).median - measurements.of(without).median;
        let on_value = measurements.of(on_value).median;
        println!(
            "  {step} adds {added:.0} ns, {:.2} of {on_value:.0} ns on a Value",
            added / on_value
        );
    }
    let filling =
        measurements.of("call, with a default").median - measurements.of("call, validated").median;
    println!("  a default adds {filling:.0} ns");
}
