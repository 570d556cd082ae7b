//! What every strategy has to keep, whatever the workload, the latencies and the limit: on the virtual clock.

mod batches;
mod slow_calls;
mod streams;
mod support;
mod walks;
