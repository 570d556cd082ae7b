use std::fmt;

/// Who holds the slots of a pool, what each of them waits for, and who waits for a slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many slots there are.
    pub slots: usize,
    /// Who holds one, in the order in which they got it.
    pub holders: Vec<Holder>,
    /// Who waits for one, in the order in which they asked.
    pub waiters: Vec<String>,
}

/// How near a pool came to a deadlock, whether or not it came to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldWaiting {
    /// Most slots held at one moment by holders that waited for others who need a slot of the same pool.
    pub peak: usize,
    /// How many slots there are.
    pub slots: usize,
    /// The first such holder, and one whom it waited for; `None` where there was none.
    pub first: Option<(String, String)>,
}

impl fmt::Display for HeldWaiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { peak, slots, first } = self;
        match first {
            None => write!(f, "no holder of a slot waited for anyone who needs one"),
            Some((holder, other)) => write!(
                f,
                "at most {peak} of {slots} slots were held by holders that waited for others who need one, first by \
                 {holder} for {other}: a deadlock once it is all of them"
            ),
        }
    }
}

/// One who holds a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its name.
    pub name: String,
    /// Whom it waits for while it holds the slot; empty where it said nothing.
    pub waits_for: Vec<String>,
}

impl Report {
    /// The chain from the first holder that waits, through whom it waits for, to one that waits for a slot: why none
    /// of them can move. `None` where no holder waits for anyone that needs a slot.
    #[must_use]
    pub fn chain(&self) -> Option<Vec<&str>> {
        self.holders.iter().find_map(|first| self.chain_from(first))
    }

    fn chain_from<'a>(&'a self, first: &'a Holder) -> Option<Vec<&'a str>> {
        let mut chain = vec![first.name.as_str()];
        let mut holder = first;
        loop {
            let waiter = holder.waits_for.iter().find(|name| self.waiters.contains(name));
            if let Some(waiter) = waiter {
                chain.push(waiter);
                return Some(chain);
            }
            // No further than there are holders: names may repeat, and then the chain would never end.
            holder = holder
                .waits_for
                .iter()
                .find_map(|name| self.holders.iter().find(|other| other.name == *name))
                .filter(|_| chain.len() < self.holders.len())?;
            chain.push(&holder.name);
        }
    }
}

impl fmt::Display for Report {
    /// First the sentence to act on, then the lists behind it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slots, holders, waiters } = self;
        writeln!(f, "{} of {slots} slots are held, {} wait for one", holders.len(), waiters.len())?;
        match self.chain() {
            Some(chain) => {
                let (first, below) = chain.split_first().expect("a chain has two ends");
                let below = below.join(" is done, which holds one until ");
                writeln!(
                    f,
                    "{first} holds a slot until {below} is done, which waits for a slot: give the slot back before waiting"
                )?;
            }
            None if holders.len() < *slots && !waiters.is_empty() => {
                // A waiter that was given a slot holds it only once it is polled again.
                let nobodys = slots - holders.len();
                writeln!(
                    f,
                    "{nobodys} of them are held by nobody: lost, or given to a waiter that is not polled"
                )?;
            }
            None => {}
        }
        for Holder { name, waits_for } in holders {
            match waits_for.as_slice() {
                [] => writeln!(f, "  {name} holds a slot")?,
                names => writeln!(f, "  {name} holds a slot and waits for {}", names.join(", "))?,
            }
        }
        for name in waiters {
            writeln!(f, "  {name} waits for a slot")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(name: &str, waits_for: &[&str]) -> Holder {
        Holder { name: name.to_owned(), waits_for: waits_for.iter().map(ToString::to_string).collect() }
    }

    #[test]
    fn the_chain_ends_at_one_that_waits_for_a_slot() {
        let report = Report {
            slots: 2,
            holders: vec![holder("/", &["/0", "/1"]), holder("/0", &["/0/0"])],
            waiters: vec!["/0/0".into()],
        };
        assert_eq!(report.chain(), Some(vec!["/", "/0", "/0/0"]));
        assert_eq!(
            report.to_string(),
            "2 of 2 slots are held, 1 wait for one\n\
             / holds a slot until /0 is done, which holds one until /0/0 is done, which waits for a slot: give the slot back before waiting\n  \
             / holds a slot and waits for /0, /1\n  \
             /0 holds a slot and waits for /0/0\n  \
             /0/0 waits for a slot\n"
        );
    }

    #[test]
    fn holders_that_wait_for_each_other_end_the_search() {
        let report = Report {
            slots: 2,
            holders: vec![holder("a", &["b"]), holder("b", &["a"])],
            waiters: vec!["c".into()],
        };
        assert_eq!(report.chain(), None);
    }

    #[test]
    fn slots_that_nobody_holds_were_lost() {
        let report = Report { slots: 3, holders: vec![holder("a", &[])], waiters: vec!["b".into()] };
        assert!(report.to_string().contains("2 of them are held by nobody: lost, or given to a waiter"));
    }
}
