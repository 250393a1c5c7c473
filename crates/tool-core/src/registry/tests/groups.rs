//! Groups and their credentials.

use std::sync::Mutex;

use super::*;

type Key = Arc<Mutex<Option<&'static str>>>;

/// A tool whose definition panics.
struct Undefined;

impl Tool for Undefined {
    fn definition(&self) -> &ToolDefinition {
        panic!("a bug")
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a crate::ToolContext,
        _arguments: &'a crate::Arguments<'a>,
    ) -> Result<crate::PreparedCall<'a>, crate::ToolError> {
        Err(crate::ToolError::failed(
            "No tool without a definition runs",
        ))
    }
}

/// Creates a group of two tools that return their key.
fn group(key: &Key) -> ToolGroup {
    let configured = Arc::clone(key);
    let credential = move || *configured.lock().unwrap();
    ToolGroup::new("mail", credential, |key: &&'static str| match *key {
        "bad" => Err("the key cannot be read"),
        "panic" => panic!("a bug"),
        "undefined" => Ok(vec![Arc::new(Undefined) as Arc<dyn Tool>]),
        key => Ok(vec![
            Arc::new(tool("read_mail", key)) as Arc<dyn Tool>,
            Arc::new(tool("send_mail", key)),
        ]),
    })
}

fn failed(reason: &str) -> GroupState {
    GroupState::Failed {
        reason: reason.to_owned(),
    }
}

fn present() -> GroupState {
    GroupState::Present {
        tools: vec!["read_mail".to_owned(), "send_mail".to_owned()],
    }
}

#[test]
fn group_follows_its_credential() {
    let key = Key::default();
    let registry = Registry::of(tool("own", "x")).unwrap();
    assert_eq!(
        registry.group(group(&key)).unwrap().state,
        GroupState::Absent
    );
    assert_eq!(registry.generation(), 1);

    for (credential, state, listed) in [
        (Some("k1"), present(), vec!["own", "read_mail", "send_mail"]),
        (Some("k2"), present(), vec!["own", "read_mail", "send_mail"]),
        (Some("bad"), failed("the key cannot be read"), vec!["own"]),
        (
            Some("panic"),
            failed("creating the tools panicked"),
            vec!["own"],
        ),
        (
            Some("undefined"),
            failed("creating the tools panicked"),
            vec!["own"],
        ),
        (Some("k3"), present(), vec!["own", "read_mail", "send_mail"]),
        (None, GroupState::Absent, vec!["own"]),
    ] {
        *key.lock().unwrap() = credential;

        let reports = registry.refresh();

        assert_eq!(reports[0].state, state, "{credential:?}");
        assert_eq!(reports, registry.groups());
        assert_eq!(names(&registry), listed, "{credential:?}");
        if let (Some(key), Some(tool)) = (credential, registry.get("send_mail")) {
            assert_eq!(tool.definition().description(), key);
        }
    }
}

#[test]
fn unchanged_credential_changes_nothing() {
    let key = Key::new(Mutex::new(Some("k1")));
    let registry = Registry::builder().group(group(&key)).unwrap().build();
    let made = registry.get("send_mail").unwrap();
    let generation = registry.generation();

    let reports = registry.refresh();

    assert_eq!(reports[0].state, present());
    assert_eq!(registry.generation(), generation);
    assert!(Arc::ptr_eq(&made, &registry.get("send_mail").unwrap()));
}

#[test]
fn group_names_and_tool_names_are_unique() {
    let key = Key::new(Mutex::new(Some("k1")));
    let registry = Registry::of(tool("send_mail", "own")).unwrap();

    let report = registry.group(group(&key)).unwrap();

    let tools = vec!["read_mail".to_owned()];
    assert_eq!(report.state, GroupState::Present { tools });
    assert!(matches!(
        report.refused[..],
        [RegisterError::NameTaken { .. }]
    ));
    let again = registry.group(group(&key)).unwrap_err();
    assert_eq!(again, SourceError::NameTaken("mail".into()));
}

#[test]
fn group_may_use_registry_during_refresh() {
    let registry = Registry::new();
    let asked = registry.clone();
    let group = ToolGroup::new(
        "nested",
        move || Some(asked.list().len()),
        |_| Ok::<_, RegisterError>(vec![Arc::new(tool("a", "x")) as Arc<dyn Tool>]),
    );

    let report = registry.group(group).unwrap();

    assert!(matches!(report.state, GroupState::Present { .. }));
}

/// Creates a group whose credential is the names of its tools.
fn listed(name: &str, tools: &Arc<Mutex<Vec<&'static str>>>) -> ToolGroup {
    let configured = Arc::clone(tools);
    let credential = move || Some(configured.lock().unwrap().clone());
    ToolGroup::new(name, credential, |names: &Vec<&'static str>| {
        let tools = names
            .iter()
            .map(|name| Arc::new(tool(name, "x")) as Arc<dyn Tool>);
        Ok::<_, RegisterError>(tools.collect())
    })
}

#[test]
fn tools_of_groups_are_listed_where_groups_were_added() {
    let [first, second, last] = [(); 3].map(|()| Arc::new(Mutex::new(Vec::new())));
    let builder = Registry::builder().tool(tool("a", "x")).unwrap();
    let builder = builder.group(listed("first", &first)).unwrap();
    let builder = builder.group(listed("second", &second)).unwrap();
    let registry = builder.tool(tool("z", "x")).unwrap().build();
    registry.group(listed("last", &last)).unwrap();
    registry.register(tool("end", "x")).unwrap();
    let set = |tools: &Mutex<Vec<&'static str>>, names: &[&'static str]| {
        names.clone_into(&mut tools.lock().unwrap());
        registry.refresh();
    };
    assert_eq!(names(&registry), ["a", "z", "end"]);

    set(&last, &["l"]);
    set(&second, &["s2", "s1"]);
    assert_eq!(names(&registry), ["a", "s2", "s1", "z", "l", "end"]);
    set(&first, &["f"]);
    assert_eq!(names(&registry), ["a", "f", "s2", "s1", "z", "l", "end"]);

    // The order of the group is the order of its last refresh.
    set(&second, &["s0", "s1", "s2"]);
    assert_eq!(
        names(&registry),
        ["a", "f", "s0", "s1", "s2", "z", "l", "end"]
    );
    assert!(registry.disable("s1"));
    set(&second, &[]);
    set(&second, &["s1", "s0"]);
    assert_eq!(names(&registry), ["a", "f", "s0", "z", "l", "end"]);
    assert!(registry.enable("s1"));
    assert_eq!(names(&registry), ["a", "f", "s1", "s0", "z", "l", "end"]);
}

#[test]
fn replaced_tool_of_group_keeps_position() {
    let group = Arc::new(Mutex::new(vec!["one", "two", "three"]));
    let builder = Registry::builder().group(listed("group", &group)).unwrap();
    let registry = builder.tool(tool("z", "x")).unwrap().build();
    registry.replace(tool("two", "own")).unwrap();

    *group.lock().unwrap() = vec!["one", "three", "two"];
    let reports = registry.refresh();

    assert_eq!(reports[0].refused.len(), 1);
    assert_eq!(names(&registry), ["one", "three", "two", "z"]);
}
