//! Sources that own their tools.

use super::*;

fn tools(names: &[&str]) -> Vec<DynamicTool> {
    names.iter().map(|name| tool(name, "x")).collect()
}

#[test]
fn refresh_changes_only_its_source() {
    let registry = Registry::of(tool("own", "x")).unwrap();
    let [left, right] = ["left", "right"].map(|name| registry.source(name).unwrap());
    left.refresh(tools(&["l1", "l2", "l3"])).unwrap();
    right.refresh(tools(&["r1"])).unwrap();

    let refreshed = left.refresh(tools(&["l4", "l3", "l1"])).unwrap();

    assert_eq!(names(&registry), ["own", "l1", "l3", "l4", "r1"]);
    assert_eq!(refreshed.added, ["l4"]);
    assert_eq!(refreshed.replaced, ["l3", "l1"]);
    assert_eq!(refreshed.removed, ["l2"]);
}

#[test]
fn order_is_that_of_sources_not_of_their_readiness() {
    let registry = Registry::of(tool("own", "x")).unwrap();
    let [first, second] = ["first", "second"].map(|name| registry.source(name).unwrap());
    registry.register(tool("later", "x")).unwrap();

    second.refresh(tools(&["s"])).unwrap();
    first.refresh(tools(&["f1", "f2"])).unwrap();

    assert_eq!(names(&registry), ["own", "f1", "f2", "s", "later"]);
}

#[test]
fn rejected_tools_do_not_affect_others() {
    let registry = Registry::of(tool("own", "x")).unwrap();
    let source = registry.source("server").unwrap();
    let mut given = tools(&["a", "own", "b", "a"]);
    given.push(tool_with("broken", "x", json!({"type": "strin"})));

    let refreshed = source.refresh(given).unwrap();

    assert_eq!(names(&registry), ["own", "a", "b"]);
    let refused: Vec<&RegisterError> = refreshed.refused.iter().collect();
    assert!(
        matches!(
            refused[..],
            [
                RegisterError::NameTaken { .. },
                RegisterError::NameTaken { .. },
                RegisterError::InvalidSchema { .. }
            ]
        ),
        "{refused:?}"
    );
    assert_eq!(registry.get("own").unwrap().definition().description(), "x");
}

#[test]
fn closed_source_removes_tools_and_frees_name() {
    let registry = Registry::of(tool("own", "x")).unwrap();
    let source = registry.source("server").unwrap();
    source.refresh(tools(&["a", "b"])).unwrap();
    let other = source.clone();

    let removed = source.close();

    assert_eq!(removed, ["a", "b"]);
    assert_eq!(names(&registry), ["own"]);
    let late = other.refresh(tools(&["a"]));
    assert_eq!(late, Err(SourceError::Closed("server".into())));
    assert!(registry.source("server").is_ok());
}

#[test]
fn disabled_tool_stays_disabled_after_reconnect() {
    let registry = Registry::new();
    let source = registry.source("server").unwrap();
    source.refresh(tools(&["a", "b"])).unwrap();
    assert!(registry.disable("a"));

    source.refresh(tools(&[])).unwrap();
    source.refresh(tools(&["a", "b"])).unwrap();

    assert_eq!(names(&registry), ["b"]);
    assert_eq!(registry.is_enabled("a"), Some(false));
}
