use tool_core::Schema;

fn main() {
    let _ = Schema::string().minimum(1);
}
