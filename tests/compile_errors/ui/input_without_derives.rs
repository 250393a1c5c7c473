use tool_core::tool_fn;

struct Input {
    text: String,
}

fn main() {
    tool_fn("count", "Counts.", |_cx, input: Input| async move { Ok(input.text.len()) });
}
