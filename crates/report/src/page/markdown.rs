//! Markdown's pieces: tables whose source can be read too, links, escapes.

/// On which side a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// What stands where nothing was measured, or where a column does not apply.
pub(crate) const ABSENT: &str = "-";

/// What the mark of [`less_of_the_work`] means.
pub(crate) const LESS_OF_THE_WORK: &str =
    "\\*: did less of the work than it was given or than other runs did, since some of it failed or was cut.";

/// A time that is not for the same work as its neighbours.
pub(crate) fn less_of_the_work(time: String) -> String {
    time + " \\*"
}

/// A table under construction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    header: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(header: impl IntoIterator<Item = (S, Align)>) -> Self {
        Self {
            header: header.into_iter().map(|(name, align)| (cell(&name.into()), align)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a line of Markdown texts; what is missing at its end is empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<String> = cells.into_iter().map(|text| cell(&text)).collect();
        cells.resize(self.header.len(), String::new());
        self.rows.push(cells);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Without the columns, but for the first `keep`, in which no line has anything.
    pub(crate) fn without_empty_columns(mut self, keep: usize) -> Self {
        let empty = |text: &String| text.is_empty() || text == ABSENT;
        for at in (keep..self.header.len()).rev() {
            if self.rows.iter().all(|row| empty(&row[at])) {
                self.header.remove(at);
                for row in &mut self.rows {
                    row.remove(at);
                }
            }
        }
        self
    }

    /// The table, each line ended.
    pub(crate) fn render(&self) -> String {
        let length = |text: &String| text.chars().count();
        let width = |at: usize| {
            let cells = self.rows.iter().map(|row| length(&row[at]));
            cells.chain([length(&self.header[at].0), 3]).max().unwrap_or(3)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        let mut line = |cells: &[&str]| {
            for ((cell, width), (_, align)) in cells.iter().zip(&widths).zip(&self.header) {
                let padded = match align {
                    Align::Left => format!("| {cell:<width$} "),
                    Align::Right => format!("| {cell:>width$} "),
                };
                text.push_str(&padded);
            }
            text.push_str("|\n");
        };
        line(&self.header.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
        let rules: Vec<String> = widths
            .iter()
            .zip(&self.header)
            .map(|(width, (_, align))| match align {
                Align::Left => "-".repeat(*width),
                Align::Right => format!("{}:", "-".repeat(width - 1)),
            })
            .collect();
        line(&rules.iter().map(String::as_str).collect::<Vec<_>>());
        for row in &self.rows {
            line(&row.iter().map(String::as_str).collect::<Vec<_>>());
        }
        text
    }
}

/// A Markdown text within a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// A plain text as Markdown within a line: no line break, no tag.
pub(crate) fn inline(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('<', "\\<")
}

/// A link to a file beside the page.
pub(crate) fn link(text: &str, file: &str) -> String {
    format!("[{}]({})", inline(text), target(file))
}

/// A picture beside the page.
pub(crate) fn image(text: &str, file: &str) -> String {
    format!("!{}", link(text, file))
}

/// A file's name as the target of a link: one with a space or a bracket needs its own.
pub(crate) fn target(file: &str) -> String {
    let plain = file.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./".contains(letter));
    if plain { file.to_owned() } else { format!("<{}>", file.replace(['<', '>'], "")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_can_be_read_as_source() {
        let mut table =
            Table::new([("strategy", Align::Left), ("time", Align::Right), ("rss", Align::Right)]);
        table.row(["queue-workers".to_owned(), "1.97 s".to_owned(), ABSENT.to_owned()]);
        table.row([inline("a|b <i>"), "12 ms".to_owned()]);
        assert_eq!(
            table.without_empty_columns(1).render(),
            "\
| strategy      |   time |
| ------------- | -----: |
| queue-workers | 1.97 s |
| a\\|b \\<i>     |  12 ms |
"
        );
    }

    #[test]
    fn a_link_survives_odd_names() {
        assert_eq!(link("01 <b>", "01.md"), "[01 \\<b>](01.md)");
        assert_eq!(link("a", "my scenario (2).md"), "[a](<my scenario (2).md>)");
    }
}
