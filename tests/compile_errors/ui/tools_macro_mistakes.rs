use tool_core::{tool, tools};

struct Bank;

impl Bank {
    /// Pays.
    #[tool]
    fn method_without_tools(&self) {}
}

#[tools]
impl Bank {
    fn no_tool(&self) {}
}

#[tools]
impl Bank {
    /// Pays.
    #[tool]
    fn changing(&mut self) {}
}

#[tools]
impl Bank {
    /// Pays.
    #[tool]
    fn pay(&self) {}

    /// Pays again.
    #[tool(name = "pay")]
    fn pay_again(&self) {}
}

#[tools]
impl Drop for Bank {
    fn drop(&mut self) {}
}

fn main() {}
