//! A cell over time, in characters.

use fanout_record::{Bin, Row, Unit};

/// With the names and the peaks beside it, a line of 80.
const WIDTH: usize = 52;
const LEVELS: [char; 8] = [' ', '.', ':', '-', '=', '+', '*', '#'];

/// The cell in words.
pub(crate) fn title(row: &Row) -> String {
    let mut title = format!("{}, {}", row.scenario, row.strategy);
    if let Some(variant) = &row.variant {
        title += &format!(", variant {variant}");
    }
    if let Some(limit) = row.limit {
        title += &format!(", limit {limit}");
    }
    if let Some(virtual_ns) = row.virtual_ns {
        title += &format!(": {} in {}", row.outcome, Unit::Nanoseconds.show(virtual_ns));
    } else {
        title += &format!(": {}", row.outcome);
    }
    title
}

/// A line each for calls in flight, tasks and backlog, each scaled to its own peak, which stands beside it.
pub(crate) fn draw(bins: &[Bin], row: &Row) -> String {
    let Some(last) = bins.last() else { return "nothing was measured\n".to_owned() };
    // The row's peaks where it has them: tasks are counted at the verdict too, which no bin has seen.
    let values = |value: fn(&Bin) -> u64| bins.iter().map(value).collect::<Vec<_>>();
    let lines = [
        ("in flight", values(|bin| bin.in_flight), row.in_flight_peak),
        ("tasks", values(|bin| bin.tasks), row.tasks_peak),
        ("backlog", values(|bin| bin.backlog), row.backlog_peak),
    ];
    let mut drawn = String::new();
    for (name, values, peak) in lines {
        let peak = peak.into_iter().chain(values.iter().copied()).max().unwrap_or(0);
        drawn += &format!("{name:>9} |{}| peak {}\n", line(&values, peak), Unit::Count.show(peak));
    }
    let end = Unit::Nanoseconds.show(last.start_ns + last.width_ns);
    let columns = columns(bins.len());
    drawn + &format!("{:>9} 0{end:>columns$}\n", "")
}

fn columns(bins: usize) -> usize {
    bins.clamp(8, WIDTH)
}

/// The values in so many characters: of those that share one, the highest. What is not zero is not blank.
fn line(values: &[u64], peak: u64) -> String {
    let columns = columns(values.len());
    (0..columns)
        .map(|column| {
            let from = column * values.len() / columns;
            let to = ((column + 1) * values.len() / columns).max(from + 1);
            let highest = values[from..to].iter().copied().max().unwrap_or(0);
            let top = LEVELS.len() as u64 - 1;
            let level = if peak == 0 { 0 } else { (highest * top).div_ceil(peak) };
            LEVELS[level as usize]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_zero_is_not_blank() {
        assert_eq!(line(&[0, 1, 50, 100, 100, 7, 0, 0], 100), " .=##.  ");
        assert_eq!(line(&[0; 8], 0), "        ");
    }

    #[test]
    fn of_those_that_share_a_character_the_highest_shows() {
        let mut values = vec![1; 128];
        values[1] = 8;
        let line = line(&values, 8);
        assert_eq!((line.len(), &line[..3]), (WIDTH, "#.."));
    }
}
