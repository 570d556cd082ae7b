//! The command from end to end, each test in a folder of its own.

mod bad_input;
mod batches;
mod commands;
mod comparing;
mod crashes;
mod dependencies;
mod paired;
mod place;
mod runs;
mod signals;
mod tree_from;
