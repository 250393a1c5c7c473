//! Compiles the programs in the README.

#![doc = include_str!("../../README.md")]
