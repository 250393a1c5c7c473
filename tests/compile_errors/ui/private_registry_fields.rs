use std::sync::Arc;
use tool_core::Registry;

struct Part;

fn main() {
    let _ = Registry::builder().approver(Part);
    let _ = Registry::builder().progress(Arc::new(Part));
    let _ = Registry::new().definitions(&Part);
}
