"""``minpairs agreement``: what people's judgements say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def agreement(
    studies: Annotated[
        list[Path],
        typer.Argument(
            help="Folder of a study (`minpairs annotate --out`), with every annotator's file; or "
            "several folders, of different paradigms."
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Where to write; default: the first folder.")
    ] = None,
) -> None:
    """Prints how far people agree with the labels and with each other.

    By paradigm: accuracy over annotators with its 95 % interval, accuracy of the majority vote,
    Krippendorff's alpha. Then each annotator, and the pairs that most got wrong or skipped. Writes
    agreement.md, agreement.csv, suspects.csv and judgements.csv (every single answer).
    """
    from minpairs.annotation import (
        agree,
        agreement_table,
        annotators_table,
        judgements_csv,
        read_studies,
        suspects_table,
    )
    from minpairs.files import write_durably
    from minpairs.report import to_csv, to_markdown, to_rich

    study, judgements = read_studies(studies)
    found = agree(study, judgements)
    main, suspects = agreement_table(found, study), suspects_table(found)
    tables = [main, annotators_table(found), *([suspects] if suspects.rows else [])]
    console = Console()
    for table in tables:
        console.print(to_rich(table))
        console.print()
    folder = out or studies[0]
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "agreement.md": "\n".join(map(to_markdown, tables)),
        "agreement.csv": to_csv(main),
        "suspects.csv": to_csv(suspects),
        "judgements.csv": judgements_csv(judgements),
    }
    for name, text in files.items():
        write_durably(folder / name, text.encode())
