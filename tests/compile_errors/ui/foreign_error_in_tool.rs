use tool_core::tool_fn;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    path: String,
}

fn main() {
    tool_fn("size", "Returns the size of a file.", |_cx, input: Input| async move {
        Ok(std::fs::metadata(input.path)?.len())
    });
}
