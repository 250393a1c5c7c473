use std::sync::Arc;
use tool_core::{Contract, show};

struct Count;

fn main() {
    let _ = Contract::named("mine").tool(&Arc::new(Count), show("count", "Counts."));
}
