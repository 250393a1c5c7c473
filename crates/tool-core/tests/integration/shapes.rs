//! Values that a schema rejects never reach the type, and errors of the type have a path.

#![cfg(feature = "validate")]

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod types;
#[cfg(test)]
mod values;

use self::agreement::Agreement::{Both, Looser, Stricter};
use self::agreement::Shape;
use self::values::{Dice, fitting, mutated};

/// Number of calls per type.
const CALLS: u64 = 400;

macro_rules! shapes {
    ($($name:ident $agreement:ident,)*) => {
        vec![$(Shape::of::<types::$name>(stringify!($name), $agreement)),*]
    };
}

fn shapes() -> Vec<Shape> {
    shapes! {
        Plain Both, Integers Both, Wide Stricter, Floats Both, Character Both, Unit Both, Optional Both, Twice Both,
        Anything Both, NotZero Both, Address Stricter, Boxed Both, Lists Both, Sets Looser, Maps Both,
        NumberKeys Stricter, EnumKeys Stricter, Units Both, External Both, Internal Looser, Beside Both, Any Both,
        Other Looser, Camel Both, Renamed Both, RenamedFields Both, Closed Both, ClosedChoice Both, Aliased Looser,
        ClosedAlias Looser, Defaulted Both, AllDefault Both, Flat Both, FlatMap Both, FlatOption Looser,
        FlatEnum Looser, Skipped Both, Lenient Looser, Newtype Both, UnitStruct Both, Transparent Both,
        Tried Stricter, Converted Both, Bounded Looser, Deep Looser,
    }
}

#[test]
fn schema_guards_type_and_type_errors_have_path() {
    for shape in shapes() {
        for seed in 0..CALLS {
            let mut dice = Dice::new(seed);
            let mut value = fitting(&shape.shown, &shape.shown, &mut dice, 0);
            for _ in 0..seed % 3 {
                value = mutated(value, &mut dice);
            }
            shape.check(&value);
        }
    }
}

#[test]
fn generates_valid_and_invalid_values_for_each_type() {
    for shape in shapes() {
        let mut fits = 0;
        for seed in 0..CALLS {
            let mut dice = Dice::new(seed);
            let value = fitting(&shape.shown, &shape.shown, &mut dice, 0);
            let value = if seed % 2 == 0 {
                value
            } else {
                mutated(value, &mut dice)
            };
            fits += u64::from(shape.shown_takes.is_valid(&value));
        }

        assert!(
            (CALLS / 4..CALLS).contains(&fits),
            "{}: {fits} of {CALLS}",
            shape.name
        );
    }
}
