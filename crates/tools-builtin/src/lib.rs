//! Tools that agents need: files, search, commands, a plan.
