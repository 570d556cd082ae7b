use serde::Deserialize;
use toml::Spanned;

use super::Whole;
use crate::walk::WalkOrder;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct Walk {
    #[serde(default)]
    pub order: WalkOrder,
    pub depth: Option<Spanned<Whole>>,
    pub nodes: Option<Spanned<Whole>>,
    pub frontier: Option<Spanned<Whole>>,
    pub deadline: Option<Spanned<String>>,
    pub call_deadline: Option<Spanned<String>>,
    pub retry: Option<Retry>,
    #[serde(default)]
    pub seen: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct Retry {
    pub attempts: Spanned<Whole>,
    pub backoff: Spanned<String>,
    pub longest: Option<Spanned<String>>,
    #[serde(default)]
    pub jitter: bool,
}
