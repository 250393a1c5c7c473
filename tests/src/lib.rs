//! The README's programs, compiled.

#![doc = include_str!("../../README.md")]
