//! JSON on standard output.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Writes an indented document.
pub(crate) fn document(value: &impl Serialize) -> Result<(), Failure> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut output, value).map_err(io::Error::from)?;
    writeln!(output)?;
    Ok(output.flush()?)
}

/// Writes and flushes one line.
pub(crate) fn line(value: &impl Serialize) -> Result<(), Failure> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    Ok(output.flush()?)
}

/// Writes text.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}
