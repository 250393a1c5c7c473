use tool_core::Typed;

struct Count;

fn main() {
    Typed::new("count", "Counts.", Count);
}
