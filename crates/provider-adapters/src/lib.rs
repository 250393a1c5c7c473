//! What each model provider is told about tools, and what it answers.
