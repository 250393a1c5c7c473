//! Random sequences of changes, compared with a simple model.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Edit {
    Register(u8),
    RegisterAll(Vec<u8>),
    Replace(u8),
    Unregister(u8),
    Switch(u8, bool),
    Refresh(usize, Vec<u8>),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let name = || 0..24_u8;
    let several = || prop::collection::vec(name(), 0..6);
    let edit = prop_oneof![
        name().prop_map(Edit::Register),
        several().prop_map(Edit::RegisterAll),
        name().prop_map(Edit::Replace),
        name().prop_map(Edit::Unregister),
        (name(), any::<bool>()).prop_map(|(name, on)| Edit::Switch(name, on)),
        (0..2_usize, several()).prop_map(|(source, names)| Edit::Refresh(source, names)),
    ];
    prop::collection::vec(edit, 0..40)
}

/// Simple model of a registry.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    tools: Vec<Known>,
    /// Names that were disabled when their source removed them.
    off: [Vec<u8>; 2],
}

#[derive(Debug, Clone, PartialEq)]
struct Known {
    name: u8,
    /// Number of the edit that created the tool.
    made: usize,
    on: bool,
    owner: Option<usize>,
    /// Source that added the tool. Sources are opened first, so their tools come first, in the order of the sources.
    group: usize,
}

impl Model {
    fn place(&self, name: u8) -> Option<usize> {
        self.tools.iter().position(|known| known.name == name)
    }

    fn push(&mut self, name: u8, made: usize, owner: Option<usize>) {
        let group = owner.unwrap_or(usize::MAX);
        let at = self.tools.partition_point(|known| known.group <= group);
        let known = Known {
            name,
            made,
            on: true,
            owner,
            group,
        };
        self.tools.insert(at, known);
    }

    fn apply(&mut self, edit: &Edit, made: usize) {
        match edit {
            Edit::Register(name) => self.apply(&Edit::RegisterAll(vec![*name]), made),
            Edit::RegisterAll(names) => {
                let before = self.clone();
                for name in names {
                    if self.place(*name).is_some() {
                        *self = before;
                        return;
                    }
                    self.push(*name, made, None);
                }
            }
            Edit::Replace(name) => match self.place(*name) {
                Some(place) => {
                    let known = &mut self.tools[place];
                    (known.made, known.owner) = (made, None);
                }
                None => self.push(*name, made, None),
            },
            Edit::Unregister(name) => self.tools.retain(|known| known.name != *name),
            Edit::Switch(name, on) => {
                if let Some(place) = self.place(*name) {
                    self.tools[place].on = *on;
                }
            }
            Edit::Refresh(source, names) => self.refresh(*source, names, made),
        }
    }

    fn refresh(&mut self, source: usize, names: &[u8], made: usize) {
        let mut given = Vec::new();
        for name in names {
            match self.place(*name) {
                Some(place) if self.tools[place].owner != Some(source) => continue,
                Some(_) if given.contains(name) => continue,
                Some(place) => self.tools[place].made = made,
                None => {
                    self.push(*name, made, Some(source));
                    if self.off[source].contains(name) {
                        self.off[source].retain(|off| off != name);
                        self.apply(&Edit::Switch(*name, false), made);
                    }
                }
            }
            given.push(*name);
        }
        let gone = |known: &&Known| known.owner == Some(source) && !given.contains(&known.name);
        let off = self.tools.iter().filter(gone).filter(|known| !known.on);
        self.off[source].extend(off.map(|known| known.name));
        let off = &mut self.off[source];
        off.sort_unstable();
        off.dedup();
        self.tools
            .retain(|known| known.owner != Some(source) || given.contains(&known.name));
    }

    fn listed(&self) -> Vec<(String, String)> {
        let on = self.tools.iter().filter(|known| known.on);
        on.map(|known| (name_of(known.name), known.made.to_string()))
            .collect()
    }
}

fn name_of(name: u8) -> String {
    format!("tool_{name}")
}

fn made(name: u8, edit: usize) -> DynamicTool {
    let definition =
        ToolDefinition::new(name_of(name), edit.to_string(), json!({"type": "object"}));
    DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) })
}

fn apply(registry: &Registry, sources: &[ToolSource; 2], edit: &Edit, number: usize) {
    // The comparison with the model checks the result of the edit.
    match edit {
        Edit::Register(name) => drop(registry.register(made(*name, number))),
        Edit::RegisterAll(names) => {
            drop(registry.register_all(names.iter().map(|name| made(*name, number))));
        }
        Edit::Replace(name) => registry.replace(made(*name, number)).unwrap(),
        Edit::Unregister(name) => drop(registry.unregister(&name_of(*name))),
        Edit::Switch(name, true) => drop(registry.enable(&name_of(*name))),
        Edit::Switch(name, false) => drop(registry.disable(&name_of(*name))),
        Edit::Refresh(source, names) => {
            let tools = names.iter().map(|name| made(*name, number));
            drop(sources[*source].refresh(tools).unwrap());
        }
    }
}

proptest! {
    #[test]
    fn any_changes_keep_order_names_and_generation(edits in edits()) {
        let registry = Registry::new();
        let sources = ["left", "right"].map(|name| registry.source(name).unwrap());
        let mut model = Model::default();
        for (number, edit) in edits.iter().enumerate() {
            let (before, generation) = (model.clone(), registry.generation());
            let pinned = registry.snapshot();

            apply(&registry, &sources, edit, number);
            model.apply(edit, number);

            let listed: Vec<(String, String)> = registry
                .list()
                .iter()
                .map(|one| (one.name().to_owned(), one.description().to_owned()))
                .collect();
            prop_assert_eq!(&listed, &model.listed(), "{:?}", edit);
            for known in &model.tools {
                prop_assert_eq!(registry.is_enabled(&name_of(known.name)), Some(known.on));
            }
            let changed = before.tools != model.tools;
            prop_assert_eq!(registry.generation() > generation, changed, "{:?}", edit);
            prop_assert_eq!(pinned.list().len(), before.listed().len());
        }
    }
}
