//! A typed tool with a check that a schema cannot express, and a second one with other parameters
//! over the same code.
//!
//! `cargo run --example custom_tool`

use std::error::Error;

use toolwright::prelude::*;
use toolwright::serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let convert = "Converts a length from one unit to another.";
    let to_metres = "Converts a length to metres, to the centimetre.";
    let lengths = Toolset::named("lengths")
        .with_tool(Typed::new("convert", convert, Convert))?
        .with_tool(Typed::new("to_metres", to_metres, ToMetres))?;
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

#[data]
#[derive(Clone, Copy, PartialEq)]
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

/// Converts a length. Plain Rust, which knows nothing of models.
fn converted(amount: f64, from: Unit, to: Unit, decimals: u8) -> Converted {
    let scale = 10_f64.powi(i32::from(decimals));
    let exact = amount * from.in_metres() / to.in_metres();
    Converted {
        length: (exact * scale).round() / scale,
    }
}

fn check_positive(parameter: &str, amount: f64) -> Result<(), ToolError> {
    if amount < 0.0 {
        let error = ToolError::invalid_arguments(parameter, "is negative");
        return Err(error.suggest("Pass a positive length."));
    }
    Ok(())
}

#[data]
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

#[data]
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
        check_positive("amount", input.amount)?;
        if input.from == input.to {
            let error = ToolError::invalid_arguments("to", "is already the unit of the amount");
            return Err(error.suggest("Choose another unit."));
        }
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, _cx: &ToolContext, input: Length) -> Result<Converted, ToolError> {
        let Length {
            amount,
            from,
            to,
            decimals,
        } = input;
        Ok(converted(amount, from, to, decimals))
    }
}

#[data]
struct InUnit {
    /// Length in the given unit; not negative.
    length: f64,
    /// Unit of the length.
    unit: Unit,
}

struct ToMetres;

impl TypedTool for ToMetres {
    type Input = InUnit;
    type Output = Converted;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &InUnit) -> Result<CallPlan, ToolError> {
        check_positive("length", input.length)?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, _cx: &ToolContext, input: InUnit) -> Result<Converted, ToolError> {
        Ok(converted(input.length, input.unit, Unit::Metre, 2))
    }
}
