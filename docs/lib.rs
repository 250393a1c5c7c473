//! Programs of the book, compiled and run as doctests.
//!
//! `cargo test -p docs`

macro_rules! chapters {
    ($($module:ident = $file:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("src/", $file))]
            mod $module {}
        )*

        #[cfg(test)]
        const CHAPTERS: &[&str] = &[$($file),*];
    };
}

chapters! {
    introduction = "introduction.md",
    first_tool = "first-tool.md",
    errors = "errors.md",
    agent_loop = "agent-loop.md",
    approvals = "approvals.md",
    files_and_commands = "files-and-commands.md",
    toolsets = "toolsets.md",
    many_tools = "many-tools.md",
    mcp = "mcp.md",
    testing = "testing.md",
    cookbook = "cookbook.md",
    agent_control = "agent-control.md",
    web_server = "web-server.md",
    calls_that_survive = "calls-that-survive.md",
    streaming = "streaming.md",
    providers = "providers.md",
    writing_a_provider = "writing-a-provider.md",
    connectors = "connectors.md",
    telemetry = "telemetry.md",
    security = "security.md",
    examples = "examples.md",
    migration = "migration.md",
    performance = "performance.md",
    glossary = "glossary.md",
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_chapter_is_tested() {
        let summary = include_str!("src/SUMMARY.md");
        let linked: Vec<&str> = summary
            .lines()
            .filter_map(|line| line.rsplit_once("](")?.1.strip_suffix(')'))
            .collect();

        assert_eq!(linked, super::CHAPTERS);
    }
}
