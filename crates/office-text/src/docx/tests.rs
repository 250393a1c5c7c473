mod hidden;
mod hostile;
mod lists;
mod packages;
mod tables;
mod text;
