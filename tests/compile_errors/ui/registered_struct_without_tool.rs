use tool_core::Registry;

struct Count;

fn main() {
    let _ = Registry::new().register(Count);
}
