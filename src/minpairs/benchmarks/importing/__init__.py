"""Benchmarks that people already have, turned into items of ours and checked."""

from minpairs.benchmarks.importing._checks import Faults
from minpairs.benchmarks.importing._folder import Imported, import_source, read_source
from minpairs.benchmarks.importing._formats import FORMATS, Format, Options
from minpairs.benchmarks.importing._model import ImportedSuite

__all__ = [
    "FORMATS",
    "Faults",
    "Format",
    "Imported",
    "ImportedSuite",
    "Options",
    "import_source",
    "read_source",
]
