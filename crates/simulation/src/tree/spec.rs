use std::sync::Arc;

use rand_distr::{Distribution, Geometric, Uniform, Zipf};
use thiserror::Error;

use super::listing::Listing;
use super::shape::{Kind, Shape};
use super::stored::Stored;
use crate::draw::{Purpose, generator};

/// Which tree. Only a random one depends on the seed.
#[derive(Debug, Clone)]
pub struct TreeSpec(Spec);

#[derive(Debug, Clone)]
enum Spec {
    Fixed(Shape),
    Random { branching: Branching, nodes: u32 },
}

/// How many children the nodes of a random tree have.
#[derive(Debug, Clone)]
pub struct Branching(Draw);

#[derive(Debug, Clone)]
enum Draw {
    Uniform(Uniform<u32>),
    Geometric(Geometric),
    Skewed(Zipf<f64>),
}

/// Why there is no such tree.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ShapeError {
    /// More nodes than can be numbered.
    #[error("branching {branching} and depth {depth} make more than {} nodes", u32::MAX)]
    TooLarge {
        /// Children of each node.
        branching: u32,
        /// Levels below the root.
        depth: u32,
    },
    /// More leaves than can be numbered beside their root.
    #[error("leaves is {found}, expected at most {}", u32::MAX - 1)]
    TooManyLeaves {
        /// How many were asked for.
        found: u32,
    },
    /// More parents than can be numbered beside their root and their child.
    #[error("parents is {found}, expected at most {}", u32::MAX - 2)]
    TooManyParents {
        /// How many were asked for.
        found: u32,
    },
    /// Nothing to make a tree of.
    #[error("{what} is 0, expected at least 1")]
    Zero {
        /// Of what.
        what: &'static str,
    },
    /// No distribution of children.
    #[error("{0}")]
    Branching(&'static str),
}

impl TreeSpec {
    /// A tree of no node.
    #[must_use]
    pub const fn empty() -> Self {
        Self(Spec::Fixed(Shape(Kind::Empty)))
    }

    /// Every node above the last level has `branching` children; `depth` levels below the root.
    ///
    /// # Errors
    ///
    /// A branching of 0, or more nodes than a `u32` can number.
    pub fn full(branching: u32, depth: u32) -> Result<Self, ShapeError> {
        if branching == 0 {
            return Err(ShapeError::Zero { what: "branching" });
        }
        if !full_fits(branching, depth) {
            return Err(ShapeError::TooLarge { branching, depth });
        }
        Ok(Self(Spec::Fixed(Shape(Kind::Full { branching, depth }))))
    }

    /// Every node but the last has one child.
    ///
    /// # Errors
    ///
    /// No nodes.
    pub fn chain(nodes: u32) -> Result<Self, ShapeError> {
        match nodes {
            0 => Err(ShapeError::Zero { what: "nodes" }),
            nodes => Ok(Self(Spec::Fixed(Shape(Kind::Chain { nodes })))),
        }
    }

    /// A root with so many children, and no more.
    ///
    /// # Errors
    ///
    /// More than can be numbered.
    pub fn star(leaves: u32) -> Result<Self, ShapeError> {
        match leaves {
            u32::MAX => Err(ShapeError::TooManyLeaves { found: leaves }),
            leaves => Ok(Self(Spec::Fixed(Shape(Kind::Star { leaves })))),
        }
    }

    /// A root, so many children of it, and one child that all of those share: a graph.
    ///
    /// # Errors
    ///
    /// No parents, or more than can be numbered.
    pub fn diamond(parents: u32) -> Result<Self, ShapeError> {
        match parents {
            0 => Err(ShapeError::Zero { what: "parents" }),
            parents if parents > u32::MAX - 2 => Err(ShapeError::TooManyParents { found: parents }),
            parents => Ok(Self(Spec::Fixed(Shape(Kind::Diamond { parents })))),
        }
    }

    /// Every node has one child, and the last one's is the root: a graph in which a walk comes round for ever.
    ///
    /// # Errors
    ///
    /// No nodes.
    pub fn cycle(nodes: u32) -> Result<Self, ShapeError> {
        match nodes {
            0 => Err(ShapeError::Zero { what: "nodes" }),
            nodes => Ok(Self(Spec::Fixed(Shape(Kind::Cycle { nodes })))),
        }
    }

    /// Every node has all the others for children: a graph.
    ///
    /// # Errors
    ///
    /// No nodes.
    pub fn complete(nodes: u32) -> Result<Self, ShapeError> {
        match nodes {
            0 => Err(ShapeError::Zero { what: "nodes" }),
            nodes => Ok(Self(Spec::Fixed(Shape(Kind::Complete { nodes })))),
        }
    }

    /// Whether a node can be reached in more than one way: see [`Shape::is_graph`].
    #[must_use]
    pub const fn is_graph(&self) -> bool {
        match &self.0 {
            Spec::Fixed(shape) => shape.is_graph(),
            Spec::Random { .. } => false,
        }
    }

    /// A tree of exactly so many nodes that grows level by level, each node having children as drawn. One that would
    /// die out before it has its size goes on from the last node with one child.
    ///
    /// # Errors
    ///
    /// No nodes.
    pub const fn random(branching: Branching, nodes: u32) -> Result<Self, ShapeError> {
        match nodes {
            0 => Err(ShapeError::Zero { what: "nodes" }),
            nodes => Ok(Self(Spec::Random { branching, nodes })),
        }
    }

    /// The tree of a listing.
    #[must_use]
    pub fn listing(listing: Listing) -> Self {
        Self(Spec::Fixed(listing.into_shape()))
    }

    /// Makes the tree.
    #[must_use]
    pub fn build(&self, seed: u64) -> Shape {
        match &self.0 {
            Spec::Fixed(shape) => shape.clone(),
            Spec::Random { branching, nodes } => grow(branching, *nodes, seed),
        }
    }
}

/// Whether a `u32` can number the nodes of a full tree.
fn full_fits(branching: u32, depth: u32) -> bool {
    if branching == 1 {
        return depth < u32::MAX;
    }
    // At most 32 levels: each is at least twice the one above it.
    let mut level = 1u64;
    let mut nodes = level;
    for _ in 0..depth {
        level *= u64::from(branching);
        nodes += level;
        if nodes > u64::from(u32::MAX) {
            return false;
        }
    }
    true
}

fn grow(branching: &Branching, nodes: u32, seed: u64) -> Shape {
    let mut known = 1;
    let children = (0..nodes).map(|index| {
        let drawn = branching.draw(seed, index);
        // The last node that is known must not be the last that there is.
        let least = u32::from(known == index + 1);
        let count = drawn.max(least).min(nodes - known);
        known += count;
        count
    });
    Shape(Kind::Stored(Arc::new(Stored::new(children, None))))
}

impl Branching {
    /// Any number between the two, both included, as likely as any other.
    ///
    /// # Errors
    ///
    /// `min` is above `max`, or both are 0.
    pub fn uniform(min: u32, max: u32) -> Result<Self, ShapeError> {
        if max == 0 {
            return Err(ShapeError::Zero { what: "max" });
        }
        let uniform = Uniform::new_inclusive(min, max)
            .map_err(|_| ShapeError::Branching("min is above max, expected min to be at most max"))?;
        Ok(Self(Draw::Uniform(uniform)))
    }

    /// Many with none, fewer with each child more, with this mean.
    ///
    /// # Errors
    ///
    /// The mean is not above 0, or no number.
    pub fn geometric(mean: f64) -> Result<Self, ShapeError> {
        Some(mean)
            .filter(|mean| *mean > 0.0 && mean.is_finite())
            .and_then(|mean| Geometric::new(1.0 / (1.0 + mean)).ok())
            .map(|geometric| Self(Draw::Geometric(geometric)))
            .ok_or(ShapeError::Branching("mean is not above 0, expected a number above 0"))
    }

    /// Most nodes with none, and a few with very many, as in file systems: one less than a draw from Zipf's
    /// distribution over 1 to `max + 1`.
    ///
    /// # Errors
    ///
    /// The exponent is not above 0, or no number, or `max` is 0.
    pub fn skewed(exponent: f64, max: u32) -> Result<Self, ShapeError> {
        if max == 0 {
            return Err(ShapeError::Zero { what: "max" });
        }
        Some(exponent)
            .filter(|exponent| *exponent > 0.0 && exponent.is_finite())
            .and_then(|exponent| Zipf::new(f64::from(max) + 1.0, exponent).ok())
            .map(|zipf| Self(Draw::Skewed(zipf)))
            .ok_or(ShapeError::Branching("exponent is not above 0, expected a number above 0"))
    }

    fn draw(&self, seed: u64, index: u32) -> u32 {
        let mut generator = generator(Purpose::Branching, seed, u64::from(index), 0);
        match &self.0 {
            Draw::Uniform(uniform) => uniform.sample(&mut generator),
            Draw::Geometric(geometric) => u32::try_from(geometric.sample(&mut generator)).unwrap_or(u32::MAX),
            Draw::Skewed(zipf) => zipf.sample(&mut generator) as u32 - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_cannot_be_numbered_are_refused() {
        assert!(TreeSpec::full(5, 13).is_ok());
        assert_eq!(TreeSpec::full(5, 14).err(), Some(ShapeError::TooLarge { branching: 5, depth: 14 }));
        assert!(TreeSpec::full(u32::MAX, u32::MAX).is_err());
        assert_eq!(TreeSpec::full(2, 31).map(|tree| tree.build(1).nodes()).ok(), Some(u64::from(u32::MAX)));
        assert!(TreeSpec::full(2, 32).is_err());
        let chain = TreeSpec::full(1, u32::MAX - 1).map(|tree| tree.build(1).nodes());
        assert_eq!(chain.ok(), Some(u64::from(u32::MAX)));
        assert!(TreeSpec::full(1, u32::MAX).is_err());
        assert!(TreeSpec::full(0, 3).is_err());
        assert!(TreeSpec::chain(0).is_err());
        assert!(TreeSpec::star(u32::MAX).is_err());
        assert!(TreeSpec::diamond(0).is_err());
        assert!(TreeSpec::diamond(u32::MAX - 1).is_err());
        assert_eq!(
            TreeSpec::diamond(u32::MAX - 2).map(|tree| tree.build(1).nodes()).ok(),
            Some(u64::from(u32::MAX))
        );
        assert!(TreeSpec::cycle(0).is_err());
        assert!(TreeSpec::complete(0).is_err());
        assert!(TreeSpec::random(Branching::uniform(0, 3).expect("a range"), 0).is_err());
    }

    #[test]
    fn no_distribution_is_refused() {
        assert!(Branching::uniform(0, 0).is_err());
        assert!(Branching::uniform(3, 2).is_err());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Branching::geometric(bad).is_err(), "{bad}");
            assert!(Branching::skewed(bad, 3).is_err(), "{bad}");
        }
        assert!(Branching::skewed(1.0, 0).is_err());
    }

    #[test]
    fn the_seed_decides_and_the_size_is_exact() {
        let skewed = Branching::skewed(1.2, 200).expect("a tail");
        let spec = TreeSpec::random(skewed, 5_000).expect("it fits");
        let widths =
            |seed| (spec.build(seed).nodes(), spec.build(seed).levels(), spec.build(seed).widest_level());
        assert_eq!(widths(1), widths(1));
        assert_ne!(widths(1), widths(2));
        assert_eq!(widths(3).0, 5_000);
    }

    #[test]
    fn extreme_distributions_still_make_the_tree() {
        let branchings = [
            Branching::uniform(0, u32::MAX),
            Branching::geometric(1e-300),
            Branching::geometric(1e300),
            Branching::skewed(1e-300, u32::MAX),
            Branching::skewed(1e300, u32::MAX),
            Branching::skewed(1.000_000_000_000_000_2, 4),
        ];
        for branching in branchings {
            let shape =
                TreeSpec::random(branching.clone().expect("it is one"), 1_000).expect("it fits").build(1);
            assert_eq!(shape.nodes(), 1_000, "{branching:?}");
        }
    }

    #[test]
    fn a_skewed_tree_has_many_leaves_and_a_few_large_folders() {
        let skewed = Branching::skewed(1.2, 200).expect("a tail");
        let shape = TreeSpec::random(skewed, 20_000).expect("it fits").build(1);
        let mut level: Vec<_> = shape.root().into_iter().collect();
        let mut counts = Vec::new();
        while !level.is_empty() {
            counts.extend(level.iter().map(|&node| shape.children(node).len()));
            level = level.iter().flat_map(|&node| shape.children(node)).collect();
        }
        let leaves = counts.iter().filter(|&&count| count == 0).count() as f64 / counts.len() as f64;
        assert!(leaves > 0.5, "{leaves}");
        let largest = counts.iter().copied().max();
        assert!(largest > Some(150) && largest <= Some(200), "{largest:?}");
    }

    #[test]
    fn a_geometric_tree_has_its_mean() {
        let spec = TreeSpec::random(Branching::geometric(3.0).expect("a mean"), 40_000).expect("it fits");
        let shape = spec.build(1);
        // Of nodes with a geometric number of children, 1 / (1 + mean) have none; of a tree that was cut at its size
        // the last levels' nodes have none either, so the share of internal ones bounds the mean from below.
        let per_internal = shape.nodes() as f64 / shape.internal_nodes() as f64;
        assert!((3.8..4.2).contains(&per_internal), "{per_internal}");
    }
}
