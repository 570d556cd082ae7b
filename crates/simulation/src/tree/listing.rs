use std::io::BufRead;
use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

use super::shape::{Kind, Shape};
use super::stored::{Names, Stored};

/// More folders in one another than any file system has.
const DEEPEST: usize = 4_096;

/// The tree of a listing of paths, one a line, as `find`, `git ls-files` or an inventory of an object store print them.
///
/// Its nodes are the folders and files that the paths name or imply, in byte order; its root is the longest path that
/// all of them share. So what `find DIR` prints makes a tree of exactly as many nodes as lines. Empty lines, doubled
/// slashes, a slash at the end, `./`, line ends of any kind, a missing last one, and lines that come twice make no
/// difference; `..` is a name like any other. Paths are bytes: what is no UTF-8 counts like anything else, and is shown
/// as well as it can be. A name may be of any length, a path of at most 4,096 names.
#[derive(Debug, Clone)]
pub struct Listing(Shape);

/// Why a listing makes no tree.
#[derive(Debug, Error)]
pub enum ListingError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A zero byte: paths that are separated in another way.
    #[error("line {line}: found a zero byte, expected one path a line: list them with -print, not -print0")]
    Zero {
        /// The line, from 1.
        line: u64,
    },
    /// Deeper than anything in earnest.
    #[error("line {line}: found {found} folders in one another, expected at most {DEEPEST}")]
    TooDeep {
        /// The line, from 1.
        line: u64,
        /// How many there are.
        found: usize,
    },
    /// No folder holds both.
    #[error("line {line}: found a path that is {}, expected one that is {} like those before it", word(*.absolute), word(!*.absolute))]
    Mixed {
        /// The line, from 1.
        line: u64,
        /// Whether the path at fault begins with a slash.
        absolute: bool,
    },
    /// More nodes than can be numbered.
    #[error("the listing has more than {} nodes", u32::MAX)]
    TooLarge,
}

const fn word(absolute: bool) -> &'static str {
    if absolute { "absolute" } else { "relative" }
}

impl Listing {
    /// Reads a listing to its end.
    ///
    /// # Errors
    ///
    /// It cannot be read, a line is no path, or there are too many.
    pub fn read(from: impl BufRead) -> Result<Self, ListingError> {
        Paths::read(from)?.into_shape().map(Self)
    }

    pub(super) fn into_shape(self) -> Shape {
        self.0
    }
}

/// All paths, each as its names with a zero byte between them: so they sort folder by folder.
struct Paths {
    bytes: Vec<u8>,
    paths: Vec<Range<usize>>,
}

impl Paths {
    fn read(mut from: impl BufRead) -> Result<Self, ListingError> {
        let mut paths = Self { bytes: Vec::new(), paths: Vec::new() };
        let mut line = Vec::new();
        let mut absolute = None;
        for number in 1.. {
            line.clear();
            if from.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let path = line.strip_suffix(b"\n").unwrap_or(&line);
            let path = path.strip_suffix(b"\r").unwrap_or(path);
            if path.is_empty() {
                continue;
            }
            if path.contains(&0) {
                return Err(ListingError::Zero { line: number });
            }
            let is_absolute = path[0] == b'/';
            if *absolute.get_or_insert(is_absolute) != is_absolute {
                return Err(ListingError::Mixed { line: number, absolute: is_absolute });
            }
            paths.push(path, number)?;
        }
        Ok(paths)
    }

    fn push(&mut self, path: &[u8], line: u64) -> Result<(), ListingError> {
        let start = self.bytes.len();
        let names = || path.split(|&byte| byte == b'/').filter(|name| !name.is_empty() && *name != b".");
        let found = names().count();
        if found > DEEPEST {
            return Err(ListingError::TooDeep { line, found });
        }
        // The name of the folder that holds them all.
        self.bytes.push(if path[0] == b'/' { b'/' } else { b'.' });
        for name in names() {
            self.bytes.push(0);
            self.bytes.extend_from_slice(name);
        }
        self.paths.push(start..self.bytes.len());
        Ok(())
    }

    fn into_shape(mut self) -> Result<Shape, ListingError> {
        let bytes = &self.bytes;
        self.paths.sort_unstable_by(|a, b| bytes[a.clone()].cmp(&bytes[b.clone()]));
        self.paths.dedup_by(|a, b| bytes[a.clone()] == bytes[b.clone()]);
        let (Some(first), Some(last)) = (self.paths.first(), self.paths.last()) else {
            return Ok(Shape(Kind::Empty));
        };
        // Of sorted paths, what the first and the last share, all share.
        let root = shared(&self.bytes[first.clone()], &self.bytes[last.clone()]);
        let levels = self.levels(root);
        let nodes: usize = levels.iter().map(Vec::len).sum();
        if u32::try_from(nodes).is_err() {
            return Err(ListingError::TooLarge);
        }

        let mut names = Names::new();
        names.push(&root_name(&self.bytes[first.clone()], root));
        for entry in levels.iter().skip(1).flatten() {
            names.push(&self.bytes[entry.name.clone()]);
        }
        let children = levels.iter().flatten().map(|entry| entry.children);
        Ok(Shape(Kind::Stored(Arc::new(Stored::new(children, Some(names))))))
    }

    /// The nodes of each level below the first `root` names, in order: one pass over the sorted paths.
    fn levels(&self, root: usize) -> Vec<Vec<Entry>> {
        let mut levels = vec![vec![Entry { name: 0..0, children: 0 }]];
        let mut before: &[u8] = &[];
        for path in &self.paths {
            let bytes = &self.bytes[path.clone()];
            let known = shared(before, bytes).max(root);
            for (depth, name) in names_of(bytes).enumerate().skip(known) {
                let level = depth - (root - 1);
                if let Some(parent) = levels[level - 1].last_mut() {
                    parent.children += 1;
                }
                if levels.len() == level {
                    levels.push(Vec::new());
                }
                let name = path.start + name.start..path.start + name.end;
                levels[level].push(Entry { name, children: 0 });
            }
            before = bytes;
        }
        levels
    }
}

struct Entry {
    name: Range<usize>,
    children: u32,
}

/// Where the names of a path are.
fn names_of(path: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    path.split(|&byte| byte == 0).map(move |name| {
        let range = start..start + name.len();
        start = range.end + 1;
        range
    })
}

/// How many names two paths share from their start.
fn shared(a: &[u8], b: &[u8]) -> usize {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    a.split(|&byte| byte == 0).zip(b.split(|&byte| byte == 0)).take_while(|(a, b)| a == b).count()
}

/// The first `names` names of a path as the path that they are.
fn root_name(path: &[u8], names: usize) -> Vec<u8> {
    let shared: Vec<&[u8]> = path.split(|&byte| byte == 0).take(names).collect();
    match shared.as_slice() {
        [b"/", below @ ..] => [b"/".as_slice(), &below.join(&b'/')].concat(),
        [b"."] => b".".to_vec(),
        [_, below @ ..] => below.join(&b'/'),
        [] => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample;

    use super::*;
    use crate::tree::Node;

    fn read(listing: &[u8]) -> Shape {
        Listing::read(listing).expect("a listing").into_shape()
    }

    /// All paths in level order.
    fn paths(listing: &[u8]) -> Vec<String> {
        let shape = read(listing);
        let mut level: Vec<Node> = shape.root().into_iter().collect();
        let mut paths = Vec::new();
        while !level.is_empty() {
            paths.extend(level.iter().map(|&node| shape.path(node)));
            level = level.iter().flat_map(|&node| shape.children(node)).collect();
        }
        paths
    }

    #[test]
    fn what_find_prints_has_a_node_a_line() {
        let find =
            b"/usr/share\n/usr/share/doc\n/usr/share/doc/a\n/usr/share/base-files\n/usr/share/doc-base\n";
        assert_eq!(
            paths(find),
            [
                "/usr/share",
                "/usr/share/base-files",
                "/usr/share/doc",
                "/usr/share/doc-base",
                "/usr/share/doc/a"
            ]
        );
    }

    #[test]
    fn what_git_ls_files_prints_implies_its_folders() {
        assert_eq!(
            paths(b"README\nsrc/lib.rs\nsrc/a/b.rs\n"),
            [".", "./README", "./src", "./src/a", "./src/lib.rs", "./src/a/b.rs"]
        );
    }

    #[test]
    fn the_root_is_what_all_share() {
        assert_eq!(paths(b"a/b/c\na/b/d\n"), ["a/b", "a/b/c", "a/b/d"]);
        assert_eq!(paths(b"/\n/etc\n"), ["/", "/etc"]);
        assert_eq!(paths(b"one\n"), ["one"]);
        assert_eq!(paths(b"../a\n..\n"), ["..", "../a"]);
    }

    #[test]
    fn how_it_is_written_makes_no_difference() {
        let plain = paths(b"./a/b\n./a/c\n");
        assert_eq!(plain, ["a", "a/b", "a/c"]);
        for other in [&b"a/b\r\na/c\r\n"[..], b"a//b\n\n\na/c", b"./a/./b/\na/c\na/c\n", b"a/c\na\na/b\n"] {
            assert_eq!(paths(other), plain, "{}", String::from_utf8_lossy(other));
        }
    }

    /// All that the paths name or imply below what they share, in byte order of their names, level by level.
    fn expected(paths: &[Vec<&str>]) -> Vec<String> {
        // Paths that are all the same share all their names, and nothing beyond.
        let names = 0..paths[0].len();
        let root = names.take_while(|&at| paths.iter().all(|path| path.get(at) == paths[0].get(at))).count();
        let known: BTreeSet<(usize, &[&str])> =
            paths.iter().flat_map(|path| (root..=path.len()).map(|names| (names, &path[..names]))).collect();
        known.iter().map(|(_, names)| format!("/{}", names.join("/"))).collect()
    }

    proptest! {
        #[test]
        fn all_that_is_named_or_implied_is_there_once(
            paths in vec(vec(sample::select(&["a", "b", "a-b", "a.b", "B", "..", "\u{e4}"][..]), 0..5), 1..30),
            root in sample::select(&["/", "/a/", "/x/y/"][..]),
        ) {
            let lines: Vec<String> = paths.iter().map(|path| format!("{root}{}", path.join("/"))).collect();
            let full: Vec<Vec<&str>> =
                lines.iter().map(|line| line.split('/').filter(|name| !name.is_empty()).collect()).collect();
            let listing = lines.join("\n");
            prop_assert_eq!(tests::paths(listing.as_bytes()), expected(&full));
        }
    }

    #[test]
    fn nothing_is_a_tree_of_no_node() {
        assert_eq!(read(b"").nodes(), 0);
        assert_eq!(read(b"\n\r\n\n").nodes(), 0);
    }

    #[test]
    fn paths_are_bytes() {
        assert_eq!(paths(b"a/\xff\na/\xfe\n").len(), 3);
        assert_eq!(paths(b"a/\xff\na/b\n"), ["a", "a/b", "a/\u{fffd}"]);
    }

    #[test]
    fn one_name_of_ten_megabytes_is_a_node() {
        let mut listing = b"a/".to_vec();
        listing.resize(10 << 20, b'x');
        assert_eq!(read(&listing).nodes(), 1);
        listing.extend_from_slice(b"\na/b");
        assert_eq!(read(&listing).nodes(), 3);
    }

    #[test]
    fn what_is_no_listing_is_refused_where_it_is() {
        let error = |listing: &[u8]| Listing::read(listing).expect_err("no listing").to_string();
        assert_eq!(
            error(b"a\nb\0c\0"),
            "line 2: found a zero byte, expected one path a line: list them with -print, not -print0"
        );
        assert_eq!(
            error(b"a\n\n/b\n"),
            "line 3: found a path that is absolute, expected one that is relative like those before it"
        );
        let deep = "a/".repeat(5 << 20);
        assert_eq!(
            error(deep.as_bytes()),
            "line 1: found 5242880 folders in one another, expected at most 4096"
        );
    }
}
