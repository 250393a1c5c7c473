//! Lists the changes of an unwanted edit and undoes it.
//!
//! `cargo run --example undo`

mod directory;

use std::error::Error;
use std::fs;

use toolwright::builtin::{Kit, Workspace, toolsets};
use toolwright::prelude::*;
use toolwright::serde_json::json;

use directory::Directory;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = Directory::create("undo")?;
    let file = directory.path().join("prices.txt");
    fs::write(&file, "apple 1.20\npear 0.90\nplum 2.50\n")?;

    let workspace = Workspace::open(directory.path())?;
    let kit = Kit::new(workspace.clone());
    let registry = Registry::builder()
        .toolset(&toolsets::standard(&kit)?)?
        .approver(approver_fn(|_request| Answer::Approve))
        .build();
    let options = CallOptions::default();

    // The model intended to change one price, but changes every dot.
    let edits = json!([{"old": ".", "new": ",", "all": true}]);
    let call =
        ToolCall::new("edit", json!({"path": "prices.txt", "edits": edits})).with_id("call_1");
    let result = registry.execute_call(&call, &options).await;
    println!("The file now:\n{}", fs::read_to_string(&file)?);

    for change in workspace.changes(&result.id) {
        println!(
            "{} changed:\n{}",
            change.path,
            change.diff.unwrap_or_default()
        );
    }

    let undone = workspace.undo(&result.id)?;
    println!(
        "Restored: {}\n{}",
        undone.restored.join(", "),
        fs::read_to_string(&file)?
    );

    // The model knows the file as its edit left it, so it reads it again before it may replace it.
    registry
        .execute("read", json!({"path": "prices.txt"}))
        .await;

    // Later changes by others are not overwritten.
    let arguments = json!({"path": "prices.txt", "content": "apple 9.99\n"});
    let call = ToolCall::new("write", arguments).with_id("call_2");
    registry.execute_call(&call, &options).await;
    fs::write(&file, "apple 1.30\n")?;
    let refused = workspace.undo("call_2").err().ok_or("it was undone")?;
    println!("Not restored: {refused}");
    Ok(())
}
