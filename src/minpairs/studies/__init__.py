"""The published studies as plans of models to train, and what carries them out."""

from minpairs.studies.cell import Done, Work
from minpairs.studies.corpora import climp_texts, let_alone_texts
from minpairs.studies.errors import StudyError
from minpairs.studies.plan import (
    Cell,
    Plan,
    climp_plan,
    default_sizes,
    let_alone_plan,
    parse_changes,
)
from minpairs.studies.run import gpu_processes, run_cells, visible_gpus
from minpairs.studies.tables import study_tables, write_report

__all__ = [
    "Cell",
    "Done",
    "Plan",
    "StudyError",
    "Work",
    "climp_plan",
    "climp_texts",
    "default_sizes",
    "gpu_processes",
    "let_alone_plan",
    "let_alone_texts",
    "parse_changes",
    "run_cells",
    "study_tables",
    "visible_gpus",
    "write_report",
]
