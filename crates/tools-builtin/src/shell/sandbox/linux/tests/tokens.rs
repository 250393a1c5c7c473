//! Sign-in tokens in the workspace.

use std::fs;

use super::*;

#[tokio::test]
async fn tokens_in_workspace_cannot_be_read_or_planted() {
    for place in ["root", "root/state"] {
        let scratch = fixture()
            .file(&format!("{place}/.gmail-tokens/token-1.json"), "canary")
            .file("root/src/main.rs", "fn main() {}\n");
        let tool = tool(&scratch).with_sandbox(Sandbox::workspace());
        let cx = ToolContext::test();
        let script = "cat src/main.rs a.txt && echo changed > a.txt && echo new > src/new.rs && cat src/new.rs; ls -a . state; \
            cat .gmail-tokens/* state/.gmail-tokens/*; grep -r canary .; cp -r . $TMPDIR/copy; cat $TMPDIR/copy/.gmail-tokens/*; \
            for d in . state; do echo x > $d/.gmail-tokens/token-2.json; mv a.txt $d/.gmail-tokens/; rm -r $d/.gmail-tokens; done";

        let output = run_in(&tool, &cx, script).await.unwrap();

        assert!(
            output.stdout.starts_with("fn main() {}\none\nnew\n"),
            "{output:?}"
        );
        assert!(!format!("{output:?}").contains("canary"), "{output:?}");
        assert_eq!(
            scratch.read(&format!("{place}/.gmail-tokens/token-1.json")),
            "canary"
        );
        let tokens = fs::read_dir(scratch.path().join(place).join(".gmail-tokens"));
        assert_eq!(tokens.unwrap().count(), 1, "{place}: {output:?}");
        assert_eq!(scratch.read("root/a.txt"), "changed\n");
        let mut report = ToolOutput::default();
        cx.move_additions_to(&mut report);
        let start = "The workspace contains sign-in tokens";
        let mut warnings = report.warnings.iter();
        assert!(
            warnings.any(|text| text.starts_with(start)),
            "{:?}",
            report.warnings
        );
    }
}
