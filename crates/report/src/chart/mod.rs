//! Every chart: plotters draws its shapes into SVG, the layout is here.

mod bars;
mod canvas;
mod comparison;
mod dependencies;
mod lines;
mod palette;
mod ratios;
mod scales;
mod sheet;
mod sweep;
mod text;
mod timeline;
mod track;

pub(crate) use comparison::{comparison, memory_metric};
pub(crate) use dependencies::dependencies;
pub(crate) use palette::Palette;
pub use ratios::{RatioLine, ratios_svg};
pub(crate) use sweep::sweep;
pub(crate) use timeline::timeline;
pub use timeline::timeline_svg;
