//! Expectations: each must be about a cell that there is, and in terms of values that this cell has.

use std::num::NonZeroUsize;
use std::ops;

use fanout_record::{Clock, DependencyRow, Metric, Unit};
use toml::Spanned;

use super::Origin;
use super::number::{positive, whole};
use crate::error::Problem;
use crate::expression::Expression;
use crate::names::{self, Fact, only_on};
use crate::raw::{self, Bound, Entry, OneOrMore, Side};
use crate::scenario::{Expectation, Measure, Published, Range, Scenario, StrategyPlan, Workload};

/// Fills in what the file expects of its strategies and what was published of them, once all of them are known.
pub(super) fn add(file: &raw::File, scenario: &mut Scenario, origin: Origin<'_>) -> Result<(), Problem> {
    let mut said = Vec::with_capacity(scenario.strategies.len());
    for (plan, (_, raw)) in scenario.strategies.iter().zip(&file.strategy.0) {
        let about = About { scenario, plan, origin };
        let expect = each(raw.expect.as_ref(), |entry, span| about.one(entry, span))?;
        let published = each(raw.published.as_ref(), |published, span| about.published(published, span))?;
        said.push((expect, published));
    }
    for (plan, (expect, published)) in scenario.strategies.iter_mut().zip(said) {
        (plan.expect, plan.published) = (expect, published);
    }
    Ok(())
}

/// Checks one table or several, each with its place.
fn each<R, T>(
    raw: Option<&Spanned<OneOrMore<R>>>,
    check: impl Fn(&R, ops::Range<usize>) -> Result<T, Problem>,
) -> Result<Vec<T>, Problem> {
    let Some(raw) = raw else { return Ok(Vec::new()) };
    match raw.get_ref() {
        OneOrMore::One(one) => Ok(vec![check(one, raw.span())?]),
        OneOrMore::Several(several) => several.iter().map(|one| check(one.get_ref(), one.span())).collect(),
    }
}

/// Reads what stands on one side of an expectation. `text` is the file's: a part of an expression is pointed at.
pub(super) fn expression(
    side: &Side,
    span: ops::Range<usize>,
    unit: Unit,
    text: &str,
    resolve: &dyn Fn(&str) -> Result<Unit, String>,
) -> Result<Expression, Problem> {
    let words = match side {
        Side::Whole(number @ ..0) => {
            return Err(Problem::at(span, format!("found {number}, expected no number below 0")));
        }
        Side::Whole(number) => &number.to_string(),
        Side::Text(words) => words,
    };
    Expression::parse(words, unit, resolve).map_err(|misfit| {
        // Within a string the place is known only as long as the string stands in the file as it reads.
        let quoted = text.get(span.clone()).and_then(|literal| literal.find(words.as_str()));
        let start = span.start + quoted.map_or(0, |at| at + misfit.offset);
        Problem::at(start..span.end, misfit.problem)
    })
}

/// The strategy that expectations are about.
struct About<'a> {
    scenario: &'a Scenario,
    plan: &'a StrategyPlan,
    origin: Origin<'a>,
}

impl About<'_> {
    fn one(&self, entry: &Entry, span: ops::Range<usize>) -> Result<Expectation, Problem> {
        if entry.outcome.is_none() && entry.metrics.is_empty() {
            let problem = "this expects nothing: add `outcome = \"complete\"`, or a metric";
            return Err(Problem::at(span, problem));
        }
        let mut expectation = Expectation {
            clock: self.clock(entry.clock.as_ref(), span)?,
            limits: (None, None),
            variant: entry.variant.as_ref().map(|variant| self.variant(variant)).transpose()?,
            seed: entry.seed.as_ref().map(|seed| self.seed(seed)).transpose()?,
            threads: None,
            outcome: entry.outcome,
            metrics: Vec::with_capacity(entry.metrics.len()),
        };
        if let Some(limits) = &entry.limits {
            expectation.limits = self.limits(limits, Some(expectation.clock))?;
        }
        if let Some(threads) = &entry.threads {
            expectation.threads = Some(self.threads(threads, expectation.clock)?);
        }
        for (metric, bound) in &entry.metrics {
            let measure = metric.get_ref().clone();
            let terms = Terms { about: self, expectation: &expectation, metric: measure.metric };
            terms
                .measured()
                .and_then(|()| self.has(&measure))
                .map_err(|problem| Problem::at(metric.span(), problem))?;
            let range = terms.range(bound)?;
            expectation.metrics.push((measure, range));
        }
        Ok(expectation)
    }

    fn published(&self, raw: &raw::Published, span: ops::Range<usize>) -> Result<Published, Problem> {
        if raw.figures.is_empty() {
            return Err(Problem::at(
                span,
                "this publishes nothing: add a metric, such as `wall = \"2.13s\"`",
            ));
        }
        let figure = |(metric, figure): &(Spanned<raw::KnownMetric>, Spanned<Side>)| {
            let raw::KnownMetric(metric) = *metric.get_ref();
            let no_names =
                |name: &str| Err(format!("found `{name}`: a published figure is a number, with its unit"));
            let read =
                expression(figure.get_ref(), figure.span(), metric.unit(), self.origin.text, &no_names)?;
            let value = read
                .constant()
                .ok_or_else(|| Problem::at(figure.span(), "found a name, expected a number"))?;
            Ok((metric, value))
        };
        Ok(Published {
            limits: raw.limits.as_ref().map_or(Ok((None, None)), |limits| self.limits(limits, None))?,
            variant: raw.variant.as_ref().map(|variant| self.variant(variant)).transpose()?,
            figures: raw.figures.iter().map(figure).collect::<Result<_, Problem>>()?,
        })
    }

    /// Whether all variants that the strategy takes part in have the dependency, if it is one's metric, and whether
    /// that is measured for each.
    fn has(&self, Measure { dependency, metric }: &Measure) -> Result<(), String> {
        let Some(dependency) = dependency else { return Ok(()) };
        if !DependencyRow::METRICS.contains(metric) {
            let known: Vec<&str> = DependencyRow::METRICS.iter().map(Into::into).collect();
            return Err(format!(
                "`{metric}` is not measured for each dependency (those that are: {})",
                known.join(", ")
            ));
        }
        for variant in self.scenario.variants.iter().filter(|variant| self.plan.takes_part_in(variant)) {
            let Workload::Batch(batch) = &variant.workload else {
                return Err(format!(
                    "only a batch has dependencies, and the workload is a {}",
                    self.scenario.kind()
                ));
            };
            let names: Vec<&str> = batch.dependencies().iter().map(|known| known.name.as_str()).collect();
            if !names.contains(&dependency.as_str()) {
                return Err(names::unknown("dependency", dependency, names));
            }
        }
        Ok(())
    }

    fn clock(&self, named: Option<&Spanned<Clock>>, span: ops::Range<usize>) -> Result<Clock, Problem> {
        let name = &self.plan.name;
        match named {
            Some(clock) if self.plan.clocks.contains(clock.get_ref()) => Ok(*clock.get_ref()),
            Some(clock) => {
                let problem = format!("{name} does not run on the {} clock in this file", clock.get_ref());
                Err(Problem::at(clock.span(), problem))
            }
            None if self.plan.clocks.contains(&Clock::Virtual) => Ok(Clock::Virtual),
            None => {
                let problem = format!(
                    "this speaks of the virtual clock, as it names none, and {name} does not run on it: \
                     add `clock = \"wall\"`"
                );
                Err(Problem::at(span, problem))
            }
        }
    }

    /// `clock` is the one that is spoken of; none: whichever.
    fn limits(
        &self,
        range: &Spanned<raw::LimitRange>,
        clock: Option<Clock>,
    ) -> Result<(Option<NonZeroUsize>, Option<NonZeroUsize>), Problem> {
        let end = |end: &Option<Spanned<raw::Whole>>| {
            end.as_ref().map(|end| positive(end, u32::MAX.into())).transpose()
        };
        let (min, max) = (end(&range.get_ref().min)?, end(&range.get_ref().max)?);
        let here = |problem| Err(Problem::at(range.span(), problem));
        if self.plan.limits.is_empty() {
            return here(format!("{} takes no limit: leave this out", self.plan.name));
        }
        if (min, max) == (None, None) {
            return here("found an empty table, expected `min`, `max` or both".to_owned());
        }
        let within =
            |limit: &NonZeroUsize| min.is_none_or(|min| *limit >= min) && max.is_none_or(|max| *limit <= max);
        let limits = clock.map_or(&*self.plan.limits, |clock| self.plan.limits_on(clock));
        if !limits.iter().any(within) {
            let name = &self.plan.name;
            let on = clock.map(|clock| format!(" on the {clock} clock")).unwrap_or_default();
            return here(format!("none of the limits of {name}{on} lies within this"));
        }
        Ok((min, max))
    }

    fn variant(&self, name: &Spanned<String>) -> Result<String, Problem> {
        let variants: Vec<&str> =
            self.scenario.variants.iter().filter_map(|variant| variant.name.as_deref()).collect();
        if self.plan.variants.contains(name.get_ref()) {
            return Ok(name.get_ref().clone());
        }
        let problem = if variants.contains(&name.get_ref().as_str()) {
            format!("{} takes no part in the variant {:?} in this file", self.plan.name, name.get_ref())
        } else if variants.is_empty() {
            "this file has no `[[variant]]`".to_owned()
        } else {
            names::unknown("variant", name.get_ref(), variants)
        };
        Err(Problem::at(name.span(), problem))
    }

    fn seed(&self, seed: &Spanned<raw::Whole>) -> Result<u64, Problem> {
        let value = whole(seed, 0..=u64::MAX)?;
        if self.scenario.seeds.contains(&value) {
            return Ok(value);
        }
        let all: Vec<String> = self.scenario.seeds.iter().map(u64::to_string).collect();
        Err(Problem::at(
            seed.span(),
            format!("found {value}, expected one of the file's seeds: {}", all.join(", ")),
        ))
    }

    fn threads(&self, threads: &Spanned<raw::Whole>, clock: Clock) -> Result<NonZeroUsize, Problem> {
        if clock == Clock::Virtual {
            let problem = "the virtual clock has one thread, and this speaks of it: leave this out, or say \
                           `clock = \"wall\"`";
            return Err(Problem::at(threads.span(), problem));
        }
        let value = positive(threads, super::MAX_THREADS)?;
        if self.scenario.threads.contains(&value) {
            return Ok(value);
        }
        let all: Vec<String> = self.scenario.threads.iter().map(ToString::to_string).collect();
        let problem = format!("found {value}, expected one of the file's `threads`: {}", all.join(", "));
        Err(Problem::at(threads.span(), problem))
    }
}

/// In terms of what one metric of an expectation may be given.
struct Terms<'a> {
    about: &'a About<'a>,
    /// Without its metrics: which cells it speaks of.
    expectation: &'a Expectation,
    metric: Metric,
}

impl Terms<'_> {
    /// Whether the metric is measured on the expectation's clock at all.
    fn measured(&self) -> Result<(), String> {
        let (metric, clock) = (self.metric, self.expectation.clock);
        match only_on(metric) {
            Some(only) if only != clock => Err(format!(
                "`{metric}` is measured on the {only} clock alone, and this speaks of the {clock} one: \
                 expect it in a table of its own, with `clock = \"{only}\"`"
            )),
            _ => Ok(()),
        }
    }

    fn range(&self, bound: &Spanned<Bound>) -> Result<Range, Problem> {
        let range = match bound.get_ref() {
            Bound::Exactly(side) => {
                let exact = self.side(side, bound.span())?;
                Range { min: Some(exact.clone()), max: Some(exact) }
            }
            Bound::Between(between) => {
                let end = |end: &Option<Spanned<Side>>| {
                    end.as_ref().map(|end| self.side(end.get_ref(), end.span())).transpose()
                };
                Range { min: end(&between.min)?, max: end(&between.max)? }
            }
        };
        if range.min.is_none() && range.max.is_none() {
            return Err(Problem::at(bound.span(), "found an empty table, expected `min`, `max` or both"));
        }
        let constant = |end: &Option<Expression>| end.as_ref().and_then(Expression::constant);
        if let (Some(min), Some(max)) = (constant(&range.min), constant(&range.max))
            && min > max
        {
            return Err(Problem::at(bound.span(), "no value lies within this: `min` is above `max`"));
        }
        Ok(range)
    }

    fn side(&self, side: &Side, span: ops::Range<usize>) -> Result<Expression, Problem> {
        expression(side, span, self.metric.unit(), self.about.origin.text, &|name| self.resolve(name))
    }

    /// What a name counts in, if it has a value for each cell that the expectation speaks of.
    fn resolve(&self, name: &str) -> Result<Unit, String> {
        if let Ok(fact) = name.parse::<Fact>() {
            return self.fact(fact);
        }
        if let Ok(metric) = name.parse::<Metric>() {
            return self.other_metric(metric);
        }
        if let Some(other) = self.about.scenario.strategies.iter().find(|plan| plan.name == name) {
            return self.other_strategy(other);
        }
        if self.about.origin.known.iter().any(|facts| facts.name == name) {
            return Err(format!("`{name}` is a strategy that takes no part in this file"));
        }
        Err(self.unknown(name))
    }

    fn unknown(&self, name: &str) -> String {
        let strategies: Vec<&str> =
            self.about.scenario.strategies.iter().map(|plan| plan.name.as_str()).collect();
        let listed = [names::facts().collect(), strategies].concat();
        let all = [listed.clone(), names::metrics().collect()].concat();
        let hint = names::hint(name, &all);
        format!("unknown name `{name}`{hint} (known: {}, and every metric)", listed.join(", "))
    }

    fn fact(&self, fact: Fact) -> Result<Unit, String> {
        let (plan, kind) = (self.about.plan, self.about.scenario.kind());
        if fact == Fact::Limit && plan.limits.is_empty() {
            return Err(format!("{} takes no limit", plan.name));
        }
        if fact.of().contains(&kind) {
            return Ok(fact.unit());
        }
        let owners: Vec<String> = fact.of().iter().map(|owner| format!("a {owner}")).collect();
        Err(format!("`{fact}` belongs to {}, and the workload is a {kind}", owners.join(" or ")))
    }

    /// Of the same cell; for a wall cell, what is measured on the virtual clock alone comes from there.
    fn other_metric(&self, metric: Metric) -> Result<Unit, String> {
        let plan = self.about.plan;
        if metric == self.metric {
            return Err(format!("`{metric}` would be compared with itself"));
        }
        match only_on(metric) {
            Some(Clock::Wall) if self.expectation.clock == Clock::Virtual => Err(format!(
                "`{metric}` is measured on the wall clock alone, and this speaks of the virtual one"
            )),
            Some(Clock::Virtual) if !plan.clocks.contains(&Clock::Virtual) => Err(format!(
                "`{metric}` is measured on the virtual clock alone, and {} does not run on it",
                plan.name
            )),
            _ => Ok(metric.unit()),
        }
    }

    /// The same metric of another strategy's cell: the one of the same limit, or the only one where the other takes
    /// none.
    fn other_strategy(&self, other: &StrategyPlan) -> Result<Unit, String> {
        let (plan, expectation) = (self.about.plan, self.expectation);
        if other.name == plan.name {
            return Err(format!("`{}` would be compared with itself", other.name));
        }
        if !other.clocks.contains(&expectation.clock) {
            return Err(format!(
                "`{}` does not run on the {} clock in this file",
                other.name, expectation.clock
            ));
        }
        if plan.limits.is_empty() && !other.limits.is_empty() {
            return Err(format!(
                "`{}` takes a limit and {} takes none, so no one cell is the counterpart: say it the other way round",
                other.name, plan.name
            ));
        }
        let speaks_of = |variant: &&String| expectation.variant.as_ref().is_none_or(|only| only == *variant);
        let absent = plan.variants.iter().filter(speaks_of).find(|variant| !other.variants.contains(variant));
        if let Some(variant) = absent {
            return Err(format!(
                "`{}` takes no part in the variant {variant:?}, which this speaks of",
                other.name
            ));
        }
        let speaks_of = |limit: &&NonZeroUsize| expectation.speaks_of_limit(Some(**limit));
        let clock = expectation.clock;
        let (own, others) = (plan.limits_on(clock), other.limits_on(clock));
        let absent = own.iter().filter(speaks_of).find(|limit| !others.contains(limit));
        match absent {
            Some(limit) if !other.limits.is_empty() => {
                Err(format!("`{}` does not run with the limit {limit}, which this speaks of", other.name))
            }
            _ => Ok(self.metric.unit()),
        }
    }
}
