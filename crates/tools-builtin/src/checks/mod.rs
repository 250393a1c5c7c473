//! Checks of what a model hands over: registered output types, each with a JSON Schema, checks in code, or both.
