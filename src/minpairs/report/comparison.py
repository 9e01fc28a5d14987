"""The table of models compared in pairs."""

from __future__ import annotations

from collections.abc import Sequence

from minpairs.comparisons import Comparison
from minpairs.report.model import Column, Table


def comparison_table(comparisons: Sequence[Comparison], *, caption: str = "") -> Table:
    """One row a pair of models, and suite where suites are compared one by one."""
    return Table(
        columns=(
            Column("first", "first model", "text"),
            Column("second", "second model", "text"),
            Column("items", "items", "text"),
            Column("n", "n", "count"),
            Column("first_accuracy", "first %", "percent"),
            Column("second_accuracy", "second %", "percent"),
            Column("difference", "difference (points)", "points"),
            Column("difference_interval", "95 % interval", "points_interval"),
            Column("only_first", "only first right", "count"),
            Column("only_second", "only second right", "count"),
            Column("p", "p", "p"),
            Column("p_holm", "p (Holm)", "p"),
        ),
        rows=tuple(
            (
                one.first,
                one.second,
                one.items,
                one.n,
                one.first_accuracy,
                one.second_accuracy,
                one.difference,
                one.interval,
                one.test.only_first,
                one.test.only_second,
                one.test.p_value,
                one.adjusted,
            )
            for one in comparisons
        ),
        caption=caption,
        footnotes=(
            "Difference: first less second, in percentage points over the items that both models "
            "were scored on (micro). Positive: the first model is right more often.",
            "p: McNemar's exact test, two-sided; it takes items as independent, so that it is too "
            "small where items share lexical material. The interval allows for that where the "
            "clusters are known: believe it where the two disagree.",
            f"p (Holm): corrected for the {len(comparisons)} comparisons of this table.",
        ),
    )
