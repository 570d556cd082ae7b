//! Text in a chart: ASCII alone, measured before it is placed.

/// Widths of ASCII 32 to 126 in thousandths of the font's size, in DejaVu Sans: the widest of the fonts that
/// a viewer is likely to take for `sans-serif`, so that what fits with it fits everywhere.
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
    500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// By how much its bold face is wider, at most.
const BOLD: f64 = 1.14;

/// A size and a weight of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Face {
    pub(crate) size: u32,
    pub(crate) bold: bool,
}

impl Face {
    pub(crate) const TITLE: Self = Self { size: 16, bold: true };
    pub(crate) const HEADING: Self = Self { size: 12, bold: true };
    pub(crate) const LABEL: Self = Self { size: 11, bold: false };
    pub(crate) const SMALL: Self = Self { size: 10, bold: false };

    /// How wide a text is at most, in pixels.
    pub(crate) fn width(self, text: &str) -> i32 {
        let thousandths: u32 = text.chars().map(|letter| u32::from(advance(letter))).sum();
        let width = f64::from(thousandths * self.size) / 1000.0;
        (if self.bold { width * BOLD } else { width }).ceil() as i32
    }

    /// The lines of a text that is to be no wider than `width`. A word that is wider is cut where it must be:
    /// a command may hold a path of any length.
    pub(crate) fn wrap(self, text: &str, width: i32) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = String::new();
        for word in text.split_whitespace() {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if self.width(&longer) <= width {
                line = longer;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            for letter in word.chars() {
                line.push(letter);
                if self.width(&line) > width && line.len() > 1 {
                    line.pop();
                    lines.push(std::mem::replace(&mut line, letter.to_string()));
                }
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
        lines
    }

    /// The text, or as much of it as fits and `..`.
    pub(crate) fn fit(self, text: &str, width: i32) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let mut cut = text.to_owned();
        while cut.pop().is_some() && self.width(&cut) + self.width("..") > width {}
        format!("{}..", cut.trim_end())
    }
}

fn advance(letter: char) -> u16 {
    (letter as usize).checked_sub(32).and_then(|at| REGULAR.get(at).copied()).unwrap_or(1000)
}

/// The text in ASCII: what has a plain form takes it, other letters become `?`, and all space is single.
pub(crate) fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            ' '..='~' => plain.push(letter),
            _ if letter.is_whitespace() => plain.push(' '),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
            '\u{2018}' | '\u{2019}' => plain.push('\''),
            '\u{201c}' | '\u{201d}' => plain.push('"'),
            '\u{d7}' => plain.push('x'),
            '\u{b5}' | '\u{3bc}' => plain.push('u'),
            '\u{2026}' => plain.push_str("..."),
            '\u{2264}' => plain.push_str("<="),
            '\u{2265}' => plain.push_str(">="),
            '\u{2192}' => plain.push_str("->"),
            _ if letter.is_control() => {}
            _ => plain.push('?'),
        }
    }
    plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_ascii() {
        assert_eq!(ascii("3,906 nodes \u{d7} 10\u{a0}ms\n\u{2014} caf\u{e9}"), "3,906 nodes x 10 ms - caf?");
        assert_eq!(ascii("a\u{2264}b\u{7}"), "a<=b");
    }

    #[test]
    fn widths_are_those_of_the_widest_font() {
        assert_eq!(Face::SMALL.width(""), 0);
        // Five digits of 6.36 px and a comma of 3.18 px.
        assert_eq!(Face::SMALL.width("12,345"), 35);
        assert!(Face::HEADING.width("tasks") > Face { bold: false, ..Face::HEADING }.width("tasks"));
    }

    #[test]
    fn lines_are_no_wider_than_asked() {
        let lines = Face::SMALL.wrap("fanout run --out /a/path/that/is/longer/than/the/line", 80);
        assert_eq!(lines, ["fanout run --out", "/a/path/that/is/l", "onger/than/the/", "line"]);
        assert!(lines.iter().all(|line| Face::SMALL.width(line) <= 80));
        assert!(Face::SMALL.wrap("  ", 80).is_empty());
    }

    #[test]
    fn a_long_text_is_cut_with_a_mark() {
        assert_eq!(Face::SMALL.fit("short", 100), "short");
        let cut = Face::SMALL.fit("a strategy with a very long name", 60);
        assert!(cut.ends_with("..") && Face::SMALL.width(&cut) <= 60, "{cut}");
    }
}
