//! Every page, in Markdown.

mod claims;
mod comparison;
mod dependencies;
mod index;
mod markdown;
mod provenance;
mod runtime;
mod scenario;
mod sweep;

pub(crate) use comparison::comparison;
pub(crate) use index::index;
pub(crate) use markdown::{inline, target};
pub(crate) use provenance::caption;
pub(crate) use scenario::{Charts, page};
