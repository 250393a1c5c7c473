use tool_core::Registry;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};

struct Everything;

impl Approver for Everything {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        Decision::new(request, Answer::Approve)
    }
}

fn main() {
    let _ = Registry::builder().approver(async |_: ApprovalRequest| Answer::Approve);
}
