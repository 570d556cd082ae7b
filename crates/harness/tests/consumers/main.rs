//! What the consumers for production have to keep, whatever the stream, what goes wrong and when they are stopped: on the
//! virtual clock, and once more on several threads.

mod properties;
mod shutdown;
mod support;
mod threads;
