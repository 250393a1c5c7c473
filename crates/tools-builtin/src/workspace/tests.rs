//! What must hold for every way to reach the disk.

mod hostile_paths;
mod races;
