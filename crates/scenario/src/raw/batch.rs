use serde::Deserialize;
use toml::Spanned;

use super::{Downstream, Fault, Latency, OneOf, Whole};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct Batch {
    pub items: Spanned<Whole>,
    pub blocking_threads: Option<Spanned<Whole>>,
}

/// One that a variant has under the same name takes the place of the file's as a whole.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct Dependency {
    pub latency: Option<OneOf<Latency>>,
    #[serde(default)]
    pub fault: Vec<Spanned<Fault>>,
    pub downstream: Option<Spanned<Downstream>>,
    pub limit: Option<Spanned<Whole>>,
    #[serde(default)]
    pub fallback: bool,
    pub call: Option<Spanned<Manner>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Manner {
    Waiting,
    Blocking,
    BlockingPool,
    Computing,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct Calls {
    pub deadline: Option<Spanned<String>>,
    pub budget: Option<Spanned<String>>,
    pub timeout: Option<Spanned<String>>,
    pub attempts: Option<Spanned<Whole>>,
    pub backoff: Option<Spanned<String>>,
}
