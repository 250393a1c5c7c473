//! The template `examples/starter`: its program and tests, compiled here with the features of the workspace. `.ci/full` builds
//! it as somebody who copied it.

#[allow(dead_code, reason = "its `main` is for the template")]
#[path = "../../examples/starter/src/main.rs"]
mod program;

#[test]
fn depends_on_two_crates() {
    let manifest = include_str!("../../examples/starter/Cargo.toml");
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();

    let lines = dependencies.lines().filter(|line| line.contains('='));
    let names: Vec<&str> = lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names, ["toolwright", "tokio"]);
}
