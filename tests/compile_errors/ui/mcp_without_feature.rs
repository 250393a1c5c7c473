use toolwright::mcp::McpServer;

fn main() {
    let _ = McpServer::new(toolwright::Registry::new());
}
