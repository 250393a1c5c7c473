//! The cases in `tests/fixtures/cases`. A case of several providers is in a file of its name, the
//! cases that only one provider has are in the file of that provider.
//!
//! ```json
//! {"tools_no_tools": {"tools": {"all": []}, "converted": {"openai azure": {}, "mcp": {}}}}
//! ```
//!
//! A case has some of [`PARTS`], and a part is a value per provider. A key names all providers with
//! that value, which is stored once; `all` is every provider. There is no other fallback: a
//! provider that no key names does not have the part.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::{env, fmt, fs};

use provider_adapters::Provider;
use serde_json::{Value, json};

/// Parts in the order of the files.
const PARTS: [&str; 10] = [
    "options",
    "tools",
    "converted",
    "response",
    "stream",
    "decoded",
    "returned",
    "transcript",
    "request",
    "losses",
];

/// Bytes up to which an array or object is written in one line.
const WIDTH: usize = 100;

/// Each file as `case -> part -> provider -> value`. Shared, because tests that run at the same
/// time update the same files.
static FILES: LazyLock<Mutex<BTreeMap<PathBuf, Value>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    let paths = fs::read_dir(folder).unwrap();
    let paths = paths.map(|file| file.unwrap().path());
    Mutex::new(paths.map(|path| (path.clone(), read(&path))).collect())
});

/// A case of one provider.
pub struct Case {
    file: PathBuf,
    name: String,
    pub provider: Provider,
    /// All parts of the case; `null` if this provider does not have one.
    parts: Value,
}

impl Case {
    pub fn part(&self, part: &str) -> Option<&Value> {
        self.parts.get(part).filter(|value| !value.is_null())
    }

    /// Whether the providers of this case are compared in this part.
    pub fn expects(&self, part: &str) -> bool {
        self.parts.get(part).is_some()
    }

    /// Compares the part, or stores it if `UPDATE_GOLDEN` is set. `null` is not stored.
    pub fn check(&self, part: &str, actual: &Value) {
        if self.parts[part] == *actual {
            return;
        }
        assert!(updates(), "{self}: `{part}` is {actual:#}");
        let mut files = FILES.lock().unwrap();
        let cases = files.get_mut(&self.file).unwrap();
        cases[&self.name][part][self.provider.as_str()] = actual.clone();
        fs::write(&self.file, written(cases)).unwrap();
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}

pub fn cases() -> Vec<Case> {
    let mut found = Vec::new();
    for (file, cases) in FILES.lock().unwrap().iter() {
        for (name, parts) in cases.as_object().unwrap() {
            let of_provider = |provider: &Provider| Case {
                file: file.clone(),
                name: name.clone(),
                provider: *provider,
                parts: each(parts, |_, values| values[provider.as_str()].clone()),
            };
            let cases = Provider::ALL.iter().map(of_provider);
            found.extend(cases.filter(|case| PARTS.iter().any(|part| case.part(part).is_some())));
        }
    }
    found
}

fn updates() -> bool {
    env::var_os("UPDATE_GOLDEN").is_some()
}

/// Replaces each member of an object.
fn each(object: &Value, replace: impl Fn(&str, &Value) -> Value) -> Value {
    let members = object.as_object().unwrap().iter();
    members
        .map(|(key, value)| (key.clone(), replace(key, value)))
        .collect()
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    let cases: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    each(&cases, |_, parts| {
        each(parts, |part, groups| {
            assert!(PARTS.contains(&part), "{}: {part}", path.display());
            by_provider(groups)
        })
    })
}

/// Returns the values of a part by provider.
fn by_provider(groups: &Value) -> Value {
    let mut values = json!({});
    for (names, value) in groups.as_object().unwrap() {
        let providers: Vec<Provider> = match names.as_str() {
            "all" => Provider::ALL.to_vec(),
            _ => names.split(' ').map(|name| name.parse().unwrap()).collect(),
        };
        for provider in providers {
            values[provider.as_str()] = value.clone();
        }
    }
    values
}

/// Returns the values of a part by the names of all providers that have them.
fn by_names(values: &Value) -> Value {
    let mut groups: Vec<(Vec<&str>, &Value)> = Vec::new();
    for name in Provider::ALL.iter().map(|provider| provider.as_str()) {
        let value = &values[name];
        match groups.iter_mut().find(|(_, same)| *same == value) {
            _ if value.is_null() => {}
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], value)),
        }
    }
    let key = |names: Vec<&str>| match names.len() {
        count if count == Provider::ALL.len() => "all".to_owned(),
        _ => names.join(" "),
    };
    groups
        .into_iter()
        .map(|(names, value)| (key(names), value.clone()))
        .collect()
}

/// Returns the text of a file.
fn written(cases: &Value) -> String {
    let grouped = each(cases, |_, parts| {
        let groups = |part: &str| parts.get(part).map(by_names);
        let present = PARTS.iter().filter_map(|part| Some((*part, groups(part)?)));
        present.filter(|(_, groups)| *groups != json!({})).collect()
    });
    lines(&grouped, 0) + "\n"
}

fn lines(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    let (pad, inner) = (" ".repeat(indent), indent + 2);
    let (items, open, close): (Vec<String>, _, _) = match value {
        _ if indent + line.len() <= WIDTH => return line,
        Value::Array(items) => (
            items.iter().map(|item| lines(item, inner)).collect(),
            '[',
            ']',
        ),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", json!(key), lines(value, inner))
            };
            (members.iter().map(member).collect(), '{', '}')
        }
        _ => return line,
    };
    let items: Vec<String> = items.iter().map(|item| format!("{pad}  {item}")).collect();
    format!("{open}\n{}\n{pad}{close}", items.join(",\n"))
}

/// Otherwise, a value that is stored twice or a part that no test reads would go unnoticed.
#[test]
fn files_are_as_an_update_writes_them() {
    let update = |(path, cases): (&PathBuf, &Value)| {
        let text = written(cases);
        let differs = fs::read_to_string(path).unwrap() != text;
        if differs && updates() {
            fs::write(path, text).unwrap();
        }
        differs.then(|| path.clone())
    };
    let different: Vec<PathBuf> = FILES.lock().unwrap().iter().filter_map(update).collect();
    assert!(
        updates() || different.is_empty(),
        "run with UPDATE_GOLDEN=1: {different:?}"
    );
}
