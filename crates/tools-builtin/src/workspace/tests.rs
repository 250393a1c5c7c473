//! Invariants of every file system operation.

#[cfg(unix)]
mod disk;
#[cfg(target_os = "linux")]
mod hostile_paths;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(unix)]
mod protected;
#[cfg(target_os = "linux")]
mod races;
#[cfg(unix)]
mod several_roots;
mod shown_paths;
#[cfg(unix)]
mod undo;
