use std::sync::Arc;
use tool_core::{Presentation, Toolset};

struct Count;

fn main() {
    let _ = Toolset::named("mine").tool(&Arc::new(Count), Presentation::new("count", "Counts."));
}
