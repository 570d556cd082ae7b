/// What a consumer did with a stream, once it is done. Each message that was received is in exactly one of `handled`,
/// `failed` and `returned`, however it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// How it ended.
    pub ended: Ended,
    /// Messages taken from the source.
    pub received: usize,
    /// Messages acknowledged.
    pub handled: usize,
    /// Messages rejected, and handed to the dead letters where there is somebody to take them.
    pub failed: usize,
    /// How many of the failed panicked.
    pub panicked: usize,
    /// Messages that went back to their source: waiting or worked on when the consumer ended, or cancelled alone.
    pub returned: usize,
    /// How many of the returned had been begun, so that what was done for them may be done twice.
    pub cancelled: usize,
    /// How many of the handled and failed came to their end after the reading was stopped.
    pub drained: usize,
}

/// How a consumer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The source had no more messages.
    Complete,
    /// It was stopped, and what was being worked on came to its end in time.
    Drained,
    /// It was stopped, and what was still being worked on at the drain deadline was dropped.
    Deadline,
}

impl Drained {
    /// Messages that became something.
    #[must_use]
    pub const fn accounted(&self) -> usize {
        self.handled + self.failed + self.returned
    }

    /// Messages that were received and became nothing: always 0.
    #[must_use]
    pub const fn lost(&self) -> usize {
        self.received - self.accounted()
    }
}
