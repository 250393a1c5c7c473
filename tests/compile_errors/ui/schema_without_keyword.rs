use tool_core::schema::Schema;

fn main() {
    let _ = Schema::string().minimum(1);
}
