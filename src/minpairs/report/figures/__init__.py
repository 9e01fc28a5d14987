"""Figures of a report: for readers of a page, and for papers (SVG and PNG)."""

from minpairs.report.figures._style import themed, to_bytes
from minpairs.report.figures.accuracy import accuracy_figure
from minpairs.report.figures.collect import Drawing, drawings, short_names, write_figures
from minpairs.report.figures.felicity import felicity_figure
from minpairs.report.figures.filters import FilterPoint, filters_figure
from minpairs.report.figures.interactions import interaction_figure

__all__ = [
    "Drawing",
    "FilterPoint",
    "accuracy_figure",
    "drawings",
    "felicity_figure",
    "filters_figure",
    "interaction_figure",
    "short_names",
    "themed",
    "to_bytes",
    "write_figures",
]
