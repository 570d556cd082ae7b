use std::ops::Range;

/// A tree in level order, where the children of a node stand next to each other, and those of the next node right
/// behind them: the first child of each node says it all.
#[derive(Debug)]
pub(super) struct Stored {
    /// For each node the index of its first child, or where that would be; one more at the end.
    first_child: Vec<u32>,
    /// For each level the index of its first node.
    level_starts: Vec<u32>,
    names: Option<Names>,
}

/// The nodes' names, one behind the other.
#[derive(Debug)]
pub(super) struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Names {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new() }
    }

    pub(super) fn push(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
    }

    fn get(&self, index: u32) -> String {
        let index = index as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        String::from_utf8_lossy(&self.bytes[start..self.ends[index]]).into_owned()
    }
}

impl Stored {
    /// Takes how many children each node has, in level order; at least one node, and the counts add up to all nodes
    /// but the root.
    pub(super) fn new(children: impl Iterator<Item = u32>, names: Option<Names>) -> Self {
        let mut first_child = vec![1];
        for count in children {
            first_child.push(first_child[first_child.len() - 1] + count);
        }
        let nodes = first_child.len() as u32 - 1;
        debug_assert_eq!(first_child.last(), Some(&nodes), "every node but the root is someone's child");
        let mut level_starts = vec![0];
        let mut next = 1;
        while next < nodes {
            level_starts.push(next);
            next = first_child[next as usize];
        }
        Self { first_child, level_starts, names }
    }

    pub(super) fn nodes(&self) -> u32 {
        self.first_child.len() as u32 - 1
    }

    pub(super) fn levels(&self) -> u32 {
        self.level_starts.len() as u32
    }

    pub(super) fn level_start(&self, depth: u32) -> u32 {
        self.level_starts[depth as usize]
    }

    pub(super) fn widest_level(&self) -> u32 {
        let ends = self.level_starts.iter().skip(1).copied().chain([self.nodes()]);
        self.level_starts.iter().zip(ends).map(|(start, end)| end - start).max().unwrap_or(0)
    }

    pub(super) fn internal_nodes(&self) -> u32 {
        self.first_child.windows(2).filter(|pair| pair[0] < pair[1]).count() as u32
    }

    pub(super) fn children(&self, index: u32) -> Range<u32> {
        self.first_child[index as usize]..self.first_child[index as usize + 1]
    }

    /// The parent of a node that is not the root: the last whose first child is not behind it.
    pub(super) fn parent(&self, index: u32) -> u32 {
        self.first_child.partition_point(|&first| first <= index) as u32 - 1
    }

    pub(super) fn name(&self, index: u32) -> Option<String> {
        self.names.as_ref().map(|names| names.get(index))
    }
}
