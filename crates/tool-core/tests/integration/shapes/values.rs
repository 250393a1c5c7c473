//! Valid values for a schema, and nearly valid ones.

use serde_json::{Map, Value, json};

/// A deterministic source of numbers.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// Returns a number less than `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides.max(1)
    }

    fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.roll(list.len())]
    }
}

/// Depth below which optional members are omitted, so that recursive types terminate.
const DEEP: usize = 6;

/// Returns a value that matches `schema`.
pub(crate) fn fitting(schema: &Value, root: &Value, dice: &mut Dice, depth: usize) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        return fitting(target, root, dice, depth);
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(constants) = schema["enum"].as_array() {
        return dice.pick(constants).clone();
    }
    let choice = ["anyOf", "oneOf"]
        .iter()
        .find_map(|word| schema[*word].as_array());
    let chosen = choice.map(|branches| fitting(dice.pick(branches), root, dice, depth + 1));
    if schema.get("type").is_none() {
        return chosen.unwrap_or_else(|| {
            dice.pick(&[json!(1), json!(null), json!({"a": [true]})])
                .clone()
        });
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => dice.pick(kinds).as_str().unwrap(),
        kind => kind.as_str().unwrap(),
    };
    match kind {
        "object" => object(schema, chosen, root, dice, depth),
        "array" => array(schema, root, dice, depth),
        "integer" => integer(schema, dice),
        "number" => dice.pick(&[json!(0), json!(-1.5), json!(1e10)]).clone(),
        "string" => text(schema, dice),
        "boolean" => json!(dice.roll(2) == 0),
        _ => Value::Null,
    }
}

fn object(
    schema: &Value,
    chosen: Option<Value>,
    root: &Value,
    dice: &mut Dice,
    depth: usize,
) -> Value {
    let mut members = match chosen {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = required.iter().any(|known| known == name);
        if is_required || (depth < DEEP && dice.roll(2) == 0) {
            members.insert(name.clone(), fitting(property, root, dice, depth + 1));
        }
    }
    let others = schema
        .get("additionalProperties")
        .filter(|others| others.is_object());
    let pattern = schema["patternProperties"]
        .as_object()
        .and_then(|all| all.values().next());
    if let Some(others) = others.or(pattern).filter(|_| depth < DEEP) {
        for _ in 0..dice.roll(3) {
            let key = if pattern.is_some() {
                dice.roll(256).to_string()
            } else {
                format!("k{}", dice.roll(9))
            };
            members.insert(key, fitting(others, root, dice, depth + 1));
        }
    }
    Value::Object(members)
}

fn array(schema: &Value, root: &Value, dice: &mut Dice, depth: usize) -> Value {
    if let Some(items) = schema["prefixItems"].as_array() {
        return items
            .iter()
            .map(|item| fitting(item, root, dice, depth + 1))
            .collect();
    }
    let least = schema["minItems"]
        .as_u64()
        .map_or(0, |least| usize::try_from(least).unwrap());
    let length = if schema.get("maxItems").is_some() || depth >= DEEP {
        least
    } else {
        least + dice.roll(3)
    };
    (0..length)
        .map(|_| fitting(&schema["items"], root, dice, depth + 1))
        .collect()
}

fn integer(schema: &Value, dice: &mut Dice) -> Value {
    let bounds = [schema.get("minimum"), schema.get("maximum")]
        .into_iter()
        .flatten();
    let mut likely: Vec<Value> = bounds.cloned().collect();
    likely.extend([json!(3), json!(4), json!(4.0)]);
    dice.pick(&likely).clone()
}

fn text(schema: &Value, dice: &mut Dice) -> Value {
    if schema["format"] == "ip" {
        return json!("127.0.0.1");
    }
    dice.pick(&[json!("a"), json!("ä"), json!("7")]).clone()
}

/// Returns `value` with one change.
pub(crate) fn mutated(mut value: Value, dice: &mut Dice) -> Value {
    let steps = dice.roll(4);
    let mut place = &mut value;
    for _ in 0..steps {
        let width = match &*place {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        if width == 0 {
            break;
        }
        let inside = dice.roll(width);
        place = match place {
            Value::Array(items) => &mut items[inside],
            Value::Object(members) => members.values_mut().nth(inside).unwrap(),
            _ => unreachable!("only containers have a width"),
        };
    }
    change(place, dice);
    value
}

fn change(place: &mut Value, dice: &mut Dice) {
    match (place, dice.roll(4)) {
        (Value::Object(members), 0) => {
            let name = *dice.pick(&["unknown", "count"]);
            members.insert(name.to_owned(), json!(1));
        }
        (Value::Object(members), 1) if !members.is_empty() => {
            let name = members
                .keys()
                .nth(dice.roll(members.len()))
                .unwrap()
                .clone();
            members.remove(&name);
        }
        (place @ Value::Object(_), 2) => {
            // serde_json also accepts a sequence for a struct.
            *place = place.as_object().unwrap().values().cloned().collect();
        }
        (Value::Array(items), 0) => items.push(json!(1)),
        (Value::Array(items), 1) => items.extend(items.clone()),
        (place @ Value::String(_), 0) => {
            // serde_json also accepts this form of a unit variant.
            *place = json!({place.as_str().unwrap(): null});
        }
        (place, _) => *place = dice.pick(&replacements()).clone(),
    }
}

fn replacements() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(2.0),
        json!(1e3),
        json!(0.5),
        json!(256),
        json!(4_294_967_296_u64),
        json!(u64::MAX),
        json!(1e39),
        json!(""),
        json!("x"),
        json!("12"),
        json!([]),
        json!([1, true]),
        json!({}),
        json!({"a": true}),
        json!({"kind": "Nothing"}),
        json!({"Nothing": null}),
    ]
}
