use tool_core::tool_fn;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {}

#[derive(schemars::JsonSchema)]
struct Output {
    words: usize,
}

fn main() {
    tool_fn("count", "Counts.", |_cx, _: Input| async { Ok(Output { words: 1 }) });
}
