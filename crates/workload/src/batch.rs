use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// A set of items, each needing one call to each of several dependencies: products that want a description from the
/// catalogue and a price from pricing.
pub trait Batch: Send + Sync + 'static {
    /// Names an item. Cloned freely by strategies, so keep it small.
    type Item: Clone + Send + Sync + 'static;
    /// What a call answers.
    type Value: Send + 'static;
    /// Why a call failed.
    type Error: Send + 'static;

    /// How many dependencies each item needs. Calls name them by number, from 0.
    fn dependencies(&self) -> NonZeroUsize;

    /// Asks one dependency for one item. This is the call whose concurrency the strategies differ in.
    ///
    /// # Errors
    ///
    /// The call's own failure. What the other dependencies say of the item stands on its own.
    fn call(&self, item: &Self::Item, dependency: usize) -> impl Future<Output = Answer<Self>> + Send;
}

impl<B: Batch> Batch for Arc<B> {
    type Item = B::Item;
    type Value = B::Value;
    type Error = B::Error;

    fn dependencies(&self) -> NonZeroUsize {
        B::dependencies(self)
    }

    fn call(&self, item: &B::Item, dependency: usize) -> impl Future<Output = Answer<B>> + Send {
        B::call(self, item, dependency)
    }
}

/// What a call of a batch answers.
pub type Answer<B> = Result<<B as Batch>::Value, <B as Batch>::Error>;

/// The answers to a batch, in the order of its items and, for each, of the dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers<V, E> {
    dependencies: NonZeroUsize,
    /// Item by item, each with a place for each of its dependencies.
    places: Vec<Option<Result<V, E>>>,
}

impl<V, E> Answers<V, E> {
    /// No answers yet.
    #[must_use]
    pub fn none_yet(items: usize, dependencies: NonZeroUsize) -> Self {
        let places = std::iter::repeat_with(|| None).take(items * dependencies.get()).collect();
        Self { dependencies, places }
    }

    /// Notes what a dependency answered for the item of that index.
    ///
    /// # Panics
    ///
    /// There is no such item or no such dependency.
    pub fn record(&mut self, item: usize, dependency: usize, answer: Result<V, E>) {
        self.item_mut(item)[dependency] = Some(answer);
    }

    /// Notes what all dependencies answered for the item of that index, in their order.
    ///
    /// # Panics
    ///
    /// There is no such item.
    pub fn record_all(&mut self, item: usize, answers: impl IntoIterator<Item = Result<V, E>>) {
        for (place, answer) in self.item_mut(item).iter_mut().zip(answers) {
            *place = Some(answer);
        }
    }

    /// What each dependency answered for each item; `None` for a call that was never made, or given up.
    pub fn items(&self) -> impl Iterator<Item = &[Option<Result<V, E>>]> {
        self.places.chunks_exact(self.dependencies.get())
    }

    fn item_mut(&mut self, item: usize) -> &mut [Option<Result<V, E>>] {
        let start = item * self.dependencies.get();
        &mut self.places[start..start + self.dependencies.get()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_the_order_of_the_items_however_they_come() {
        let mut answers = Answers::none_yet(3, NonZeroUsize::new(2).expect("not 0"));
        answers.record_all(2, [Ok("c0"), Ok("c1")]);
        answers.record(0, 1, Err("refused"));
        let items: Vec<_> = answers.items().collect();
        assert_eq!(items, [[None, Some(Err("refused"))], [None, None], [Some(Ok("c0")), Some(Ok("c1"))]]);
    }
}
