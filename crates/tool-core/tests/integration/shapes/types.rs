//! Types in every representation of serde.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::num::NonZeroU8;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

macro_rules! shapes {
    ($($(#[$attribute:meta])* $kind:ident $name:ident $body:tt)*) => {
        $(
            #[derive(Debug, Deserialize, JsonSchema)]
            #[allow(
                dead_code,
                clippy::enum_variant_names,
                clippy::option_option,
                clippy::struct_field_names,
                clippy::type_complexity,
                reason = "the forms are the point, and only reading is tested"
            )]
            $(#[$attribute])*
            pub(crate) $kind $name $body
        )*
    };
}

shapes! {
    struct Plain { text: String, flag: bool }
    struct Integers { a: i8, b: u8, c: i16, d: u16, e: i32, f: u32, g: i64, h: u64 }
    struct Wide { a: u128, b: i128, c: usize, d: isize }
    struct Floats { single: f32, double: f64 }
    struct Character { one: char }
    struct Unit { unit: () }
    struct Optional { maybe: Option<u8>, inner: Option<Plain> }
    struct Twice { twice: Option<Option<bool>> }
    struct Anything { value: Value }
    struct NotZero { count: NonZeroU8 }
    struct Address { ip: IpAddr }
    struct Boxed { next: Option<Box<Boxed>>, value: u8 }
    struct Lists { numbers: Vec<i32>, three: [u8; 3], pair: (bool, String) }
    struct Sets { names: BTreeSet<String> }
    struct Maps { sizes: HashMap<String, u32>, nested: BTreeMap<String, Vec<Plain>> }
    struct NumberKeys { by_number: BTreeMap<u8, bool> }
    struct EnumKeys { by_level: BTreeMap<Level, bool> }

    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    enum Level { Low, High }
    struct Units { level: Level, levels: Vec<Level> }
    enum Mixed { Nothing, One(u8), Two(u8, String), Named { a: bool, b: Option<u8> } }
    struct External { mixed: Mixed }

    #[serde(tag = "kind")]
    enum Tagged { Nothing, Named { a: bool, b: u8 }, Wrapped(Plain) }
    struct Internal { shape: Tagged }

    #[serde(tag = "kind", content = "value")]
    enum Adjacent { Nothing, One(u8), Two(u8, bool), Named { a: bool } }
    struct Beside { shape: Adjacent }

    #[serde(untagged)]
    enum Untagged { Number(u8), Text(String), Named { a: bool }, List(Vec<bool>) }
    struct Any { shape: Untagged }

    enum WithOther { Known, #[serde(other)] #[schemars(skip)] Other }
    struct Other { level: WithOther }

    #[serde(rename_all = "camelCase")]
    struct Camel { first_name: String, #[serde(rename = "LAST")] last_name: u8 }
    #[serde(rename_all = "kebab-case")]
    enum Kebab { FirstOne, #[serde(rename = "2nd")] SecondOne, ThirdOne { some_field: u8 } }
    struct Renamed { kebab: Kebab }
    #[serde(rename_all_fields = "UPPERCASE")]
    enum Shouting { Named { loud: u8 } }
    struct RenamedFields { shouting: Shouting }

    #[serde(deny_unknown_fields)]
    struct Closed { a: u8, inner: ClosedInner }
    #[serde(deny_unknown_fields)]
    struct ClosedInner { b: Option<bool> }
    #[serde(deny_unknown_fields)]
    enum ClosedEnum { Named { a: u8 } }
    struct ClosedChoice { choice: ClosedEnum }

    struct Aliased { #[serde(alias = "count")] number: u8 }
    #[serde(deny_unknown_fields)]
    struct ClosedAlias { #[serde(alias = "count")] number: Option<u8> }

    struct Defaulted { #[serde(default)] a: u8, #[serde(default = "seven")] b: u8, #[serde(default)] c: Vec<u8> }
    #[serde(default)]
    #[derive(Default)]
    struct AllDefault { a: u8, b: String }

    struct Flat { own: bool, #[serde(flatten)] more: Plain }
    struct FlatMap { own: bool, #[serde(flatten)] rest: HashMap<String, u8> }
    struct FlatOption { own: bool, #[serde(flatten)] more: Option<Plain> }
    struct FlatEnum { own: bool, #[serde(flatten)] choice: Tagged }

    struct Skipped { kept: u8, #[serde(skip)] skipped: u8, #[serde(skip_deserializing)] also: bool }
    struct Lenient { #[serde(deserialize_with = "number_or_text")] #[schemars(with = "u8")] number: u8 }

    struct Newtype { wrapped: NewtypeInner, pair: TupleStruct }
    struct UnitStruct {}
    #[serde(transparent)]
    struct Transparent { only: Plain }

    #[serde(try_from = "u8")]
    #[schemars(with = "u8")]
    struct Even { number: u8 }
    struct Tried { even: Even }
    #[serde(from = "Plain")]
    #[schemars(with = "Plain")]
    struct Converted { length: usize }

    struct Bounded { #[schemars(range(min = 3, max = 5))] number: u8, #[schemars(length(max = 2))] text: String }
    struct Deep { a: Option<Vec<BTreeMap<String, Option<(Mixed, Tagged)>>>> }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only reading is tested")]
pub(crate) struct NewtypeInner(u8);

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only reading is tested")]
pub(crate) struct TupleStruct(u8, bool);

fn seven() -> u8 {
    7
}

fn number_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    match Untagged::deserialize(deserializer)? {
        Untagged::Number(number) => Ok(number),
        _ => Ok(0),
    }
}

impl TryFrom<u8> for Even {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        if number.is_multiple_of(2) {
            Ok(Self { number })
        } else {
            Err("is odd".to_owned())
        }
    }
}

impl From<Plain> for Converted {
    fn from(plain: Plain) -> Self {
        Self {
            length: plain.text.len(),
        }
    }
}
