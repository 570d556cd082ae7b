//! What the walkers for production keep, whatever is on the other side: on the virtual clock.

mod cases;
mod edges;
mod given;
mod properties;
mod stops;
mod support;
