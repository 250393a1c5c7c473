//! The modules of a crate form no cycles. Uses between a module and its parent do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::slice;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, ItemUse, Macro, Token, UseTree, Visibility};

type Name = Vec<String>;

/// Names that one module imports and uses.
#[derive(Default)]
struct Module {
    /// Imported or exported names with their paths.
    imports: BTreeMap<String, Name>,
    /// Paths in private imports and in code.
    uses: Vec<Name>,
    /// Child modules that exist in tests only.
    tests: Vec<String>,
}

impl Module {
    fn import(&mut self, tree: &UseTree, path: &Name, is_export: bool) {
        let path_to = |name: &dyn ToString| [path.as_slice(), &[name.to_string()]].concat();
        let (name, target) = match tree {
            UseTree::Path(part) => {
                return self.import(&part.tree, &path_to(&part.ident), is_export);
            }
            UseTree::Group(group) => {
                let trees = group.items.iter();
                return trees.for_each(|tree| self.import(tree, path, is_export));
            }
            UseTree::Name(name) if name.ident == "self" => {
                (path.last().cloned().unwrap_or_default(), path.clone())
            }
            UseTree::Name(name) => (name.ident.to_string(), path_to(&name.ident)),
            UseTree::Rename(name) => (name.rename.to_string(), path_to(&name.ident)),
            UseTree::Glob(_) => (String::new(), path.clone()),
        };
        self.imports.insert(name, target.clone());
        if !is_export {
            self.uses.push(target);
        }
    }
}

impl<'a> Visit<'a> for Module {
    fn visit_item(&mut self, item: &'a Item) {
        match item {
            Item::Mod(module) if is_test(&module.attrs) => {
                self.tests.push(module.ident.to_string());
            }
            item if is_test(attributes(item)) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let is_export = !matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, &Name::new(), is_export);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path.segments.iter().map(|part| part.ident.to_string());
        self.uses.push(names.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a Macro) {
        let arguments = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        let mut inside = Self::default();
        for argument in arguments.iter().flatten() {
            inside.visit_expr(argument);
        }
        self.uses.append(&mut inside.uses);
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns `true` for items that exist in tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list().ok();
        let condition = list.map(|list| list.tokens.to_string()).unwrap_or_default();
        let mut words = condition.split(|c: char| !c.is_alphanumeric());
        attribute.path().is_ident("cfg")
            && !condition.contains("not")
            && words.any(|word| word == "test")
    })
}

/// Returns the module of a source file.
fn name_of(path: &Path) -> Name {
    let path = path.with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    let mut name: Name = parts.collect();
    name.pop_if(|last| *last == "mod" || *last == "lib");
    name
}

/// The modules of one crate by their paths.
struct Crate(BTreeMap<Name, Module>);

impl Crate {
    fn read(root: &Path) -> Self {
        let source = root.join("src");
        let mut modules = BTreeMap::new();
        let mut paths = vec![source.clone()];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                let entries = fs::read_dir(path).expect("directories are readable");
                paths.extend(entries.map(|entry| entry.expect("entries are readable").path()));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("source files are text");
                let mut module = Module::default();
                module.visit_file(&syn::parse_file(&text).expect("source files are Rust"));
                modules.insert(
                    name_of(path.strip_prefix(&source).expect("a source")),
                    module,
                );
            }
        }
        let tests = modules.iter().flat_map(|(name, module): (&Name, &Module)| {
            let tests = module.tests.iter();
            tests.map(|test| [name.as_slice(), slice::from_ref(test)].concat())
        });
        let tests: Vec<Name> = tests.collect();
        modules.retain(|name, _| !tests.iter().any(|test| name.starts_with(test)));
        Self(modules)
    }

    /// Returns the module that defines the target of `path`, which module `from` uses.
    fn home(&self, from: &Name, path: &[String], depth: usize) -> Option<Name> {
        let (first, rest) = path.split_first()?;
        let parent = || from.split_last().map(|(_, parent)| parent.to_vec());
        let child = [from.as_slice(), slice::from_ref(first)].concat();
        match first.as_str() {
            "crate" => self.target(Name::new(), rest, depth),
            "self" => self.target(from.clone(), rest, depth),
            "super" if rest.first().is_some_and(|next| next == "super") => {
                self.home(&parent()?, rest, depth)
            }
            "super" => self.target(parent()?, rest, depth),
            _ if self.0.contains_key(&child) => self.target(child, rest, depth),
            _ => {
                let import = self.0.get(from)?.imports.get(first)?;
                let path = [import.as_slice(), rest].concat();
                self.home(from, &path, depth.checked_sub(1)?)
            }
        }
    }

    /// Follows `path` from `module` through children and exports.
    fn target(&self, module: Name, path: &[String], depth: usize) -> Option<Name> {
        let Some((first, rest)) = path.split_first() else {
            return Some(module);
        };
        let child = [module.as_slice(), slice::from_ref(first)].concat();
        if self.0.contains_key(&child) {
            return self.target(child, rest, depth);
        }
        let export = self.0.get(&module).and_then(|own| own.imports.get(first));
        let home = export
            .filter(|_| depth > 0)
            .and_then(|path| self.home(&module, path, depth - 1));
        home.or(Some(module))
    }

    /// Returns the modules that each module uses.
    fn uses(&self) -> BTreeMap<&Name, BTreeSet<Name>> {
        let is_counted = |own: &Name, used: &Name| {
            let is_child = |child: &Name, parent: &Name| {
                child.split_last().is_some_and(|(_, rest)| rest == *parent)
            };
            own != used && !used.is_empty() && !is_child(own, used) && !is_child(used, own)
        };
        let used_by = |name: &Name, module: &Module| {
            let homes = module
                .uses
                .iter()
                .filter_map(|path| self.home(name, path, 16));
            homes.filter(|home| is_counted(name, home)).collect()
        };
        let modules = self.0.iter();
        modules
            .map(|(name, module)| (name, used_by(name, module)))
            .collect()
    }

    /// Returns the modules in cycles, with the modules that each uses.
    fn cycles(&self) -> BTreeMap<String, Vec<String>> {
        let uses = self.uses();
        let uses_itself = |name: &Name| {
            let mut seen = BTreeSet::new();
            let mut open = vec![name];
            while let Some(next) = open.pop() {
                open.extend(uses[next].iter().filter(|used| seen.insert(*used)));
            }
            seen.contains(name)
        };
        let shown = |name: &Name| name.join("::");
        let cyclic = uses.iter().filter(|(name, _)| uses_itself(name));
        cyclic
            .map(|(name, used)| (shown(name), used.iter().map(shown).collect()))
            .collect()
    }
}

#[test]
fn modules_form_no_cycles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(crates).expect("the workspace has crates") {
        let root = entry.expect("directories are readable").path();
        let name = root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();

        found.insert(name, Crate::read(&root).cycles());
    }
    found.retain(|_, cycles| !cycles.is_empty());
    assert!(found.is_empty(), "{found:#?}");
}
