//! A typed tool with a check that a schema cannot express, under its own name and in a
//! presentation that renames and fixes parameters.
//!
//! `cargo run --example custom_tool`

use std::error::Error;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::{
    CallPlan, Presentation, Registry, RiskLevel, TextLimit, ToolContext, ToolError, Toolset,
    TypedTool,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let convert = Presentation::new("convert", "Converts a length from one unit to another.");
    let to_metres = Presentation::new(
        "to_metres",
        "Converts a length to metres, to the centimetre.",
    )
    .rename("amount", "length")
    .rename("from", "unit")
    .pin("to", "metre")
    .pin("decimals", 2);
    let tool = Arc::new(Convert);
    let lengths = Toolset::named("lengths")
        .tool(&tool, convert)?
        .tool(&tool, to_metres)?;
    let registry = Registry::builder().toolset(&lengths)?.build();

    for (tool, arguments) in [
        (
            "convert",
            json!({"amount": 26.2, "from": "mile", "to": "metre"}),
        ),
        (
            "convert",
            json!({"amount": 1, "from": "foot", "to": "foot"}),
        ),
        ("to_metres", json!({"length": "6", "unit": "foot"})),
        ("to_metres", json!({"length": -6, "unit": "foot"})),
        (
            "to_metres",
            json!({"length": 6, "unit": "feet", "decimals": 9}),
        ),
    ] {
        let result = registry.execute(tool, arguments.clone()).await;
        println!("{tool} {arguments}\n  {result}");
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Metre,
    Foot,
    Mile,
}

impl Unit {
    fn in_metres(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Foot => 0.3048,
            Self::Mile => 1609.344,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Length {
    /// Amount in the given unit; not negative.
    amount: f64,
    /// Unit of the amount.
    from: Unit,
    /// Unit to convert to.
    to: Unit,
    /// Number of decimal places. The default is 3.
    #[serde(default = "three")]
    #[schemars(range(max = 9))]
    decimals: u8,
}

fn three() -> u8 {
    3
}

#[derive(Serialize, JsonSchema)]
struct Converted {
    /// Length in the requested unit.
    length: f64,
}

struct Convert;

impl TypedTool for Convert {
    type Input = Length;
    type Output = Converted;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &Length) -> Result<CallPlan, ToolError> {
        if input.amount < 0.0 {
            let error = ToolError::invalid_arguments("amount", "is negative");
            return Err(error.suggest("Pass a positive length."));
        }
        if input.from == input.to {
            let error = ToolError::invalid_arguments("to", "is already the unit of the amount");
            return Err(error.suggest("Choose another unit."));
        }
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(
        &self,
        _cx: &ToolContext,
        input: Length,
        _limits: &TextLimit,
    ) -> Result<Converted, ToolError> {
        let scale = 10_f64.powi(i32::from(input.decimals));
        let exact = input.amount * input.from.in_metres() / input.to.in_metres();
        Ok(Converted {
            length: (exact * scale).round() / scale,
        })
    }
}
