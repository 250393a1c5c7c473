use toolwright::prelude::*;

fn main() {
    let model = HttpModel::from_env("openai/gpt-5-mini").unwrap();
    let _ = AgentLoop::new(Registry::new(), model);
}
