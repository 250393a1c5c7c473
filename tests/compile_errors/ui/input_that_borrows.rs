use tool_core::tool_fn;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input<'a> {
    text: &'a str,
}

fn main() {
    tool_fn("count", "Counts.", |_cx, input: Input<'static>| async move { Ok(input.text.len()) });
}
