//! What a schema refuses never reaches the type; what it takes and the type refuses is told with its place.

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

/// Calls tried on each type.
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
fn what_a_schema_refuses_never_reaches_the_type_and_what_the_type_refuses_is_told_with_its_place() {
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
fn of_every_type_many_calls_fit_and_many_do_not() {
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
