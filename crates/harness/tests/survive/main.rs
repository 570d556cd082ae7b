//! What the walkers for production keep, whatever is on the other side: on the virtual clock.

mod cases;
mod edges;
mod properties;
mod support;
