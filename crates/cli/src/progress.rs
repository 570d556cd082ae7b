//! How a run gets on, for whoever watches a terminal.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use fanout_harness::Observer;
use fanout_record::Row;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error; nothing where that is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(cells: usize, quiet: bool) -> Self {
        let target = if quiet || !stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(cells as u64), target);
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} cells, {elapsed} {wide_msg}")
            .expect("the template is well formed");
        bar.set_style(style.progress_chars("=> "));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn cell_ended(&mut self, row: &Row, done: usize, _: usize) {
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{} {}, {} clock", row.scenario, row.strategy, row.clock));
    }
}
