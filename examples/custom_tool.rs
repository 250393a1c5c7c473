//! A tool of one's own: typed, with a check that no schema can say, shown with a fixed parameter under another name.
//!
//! cargo run --example custom_tool

use std::error::Error;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::{Presented, Registry, RiskLevel, ToolContext, ToolError, Typed, TypedTool, show};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let to_metres = show(
        "to_metres",
        "Converts a length to metres, to the centimetre.",
    )
    .rename("amount", "length")
    .rename("from", "unit")
    .pin("to", "metre")
    .pin("decimals", 2);
    let registry = Registry::builder()
        .tool(Typed::new(Convert))?
        .tool(Presented::new(Typed::new(Convert), to_metres)?)?
        .build();

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
    /// How many units; not below zero.
    amount: f64,
    /// The unit of the amount.
    from: Unit,
    /// The unit to convert to.
    to: Unit,
    /// Digits after the point. Omit for 3.
    #[serde(default = "three")]
    #[schemars(range(max = 9))]
    decimals: u8,
}

fn three() -> u8 {
    3
}

#[derive(Serialize, JsonSchema)]
struct Converted {
    /// The length in the unit that was asked for.
    length: f64,
}

struct Convert;

#[async_trait]
impl TypedTool for Convert {
    type Input = Length;
    type Output = Converted;

    fn name(&self) -> &'static str {
        "convert"
    }

    fn description(&self) -> &'static str {
        "Converts a length from one unit to another."
    }

    fn risk(&self) -> RiskLevel {
        RiskLevel::ReadOnly
    }

    fn check(&self, _cx: &ToolContext, input: &Length) -> Result<(), ToolError> {
        if input.amount < 0.0 {
            let error = ToolError::invalid_arguments("amount", "is below zero");
            return Err(error.suggest("Give the length without a sign."));
        }
        if input.from == input.to {
            let error =
                ToolError::invalid_arguments("to", "is the unit that the amount has already");
            return Err(error.suggest("Choose another unit."));
        }
        Ok(())
    }

    async fn run(&self, _cx: &ToolContext, input: Length) -> Result<Converted, ToolError> {
        let scale = 10_f64.powi(i32::from(input.decimals));
        let exact = input.amount * input.from.in_metres() / input.to.in_metres();
        Ok(Converted {
            length: (exact * scale).round() / scale,
        })
    }
}
