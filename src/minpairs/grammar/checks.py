"""Checks of a whole benchmark: faults of its lexicon and templates, and what nothing uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from minpairs.errors import MinpairsError
from minpairs.grammar._explain import contradictions
from minpairs.grammar._generate import benchmark_folder, load_file, template_files
from minpairs.grammar.constraints import (
    arc_consistent,
    check_printed,
    compile_grammar,
    reduced,
)
from minpairs.grammar.constructions import load_constructions
from minpairs.grammar.counting import count
from minpairs.grammar.lexicon import COMPUTED, Lexicon, Table, join_values, load_lexicon
from minpairs.grammar.template import Grammar, Template

OPPOSITE = "_not"


@dataclass(frozen=True, slots=True)
class TableCheck:
    """The size of a table, and how much of it the templates use."""

    name: str
    rows: int
    used_rows: int
    columns: int
    used_columns: int


@dataclass(frozen=True, slots=True)
class TemplateCheck:
    """How many assignments a template has, per variant (the empty name: no variants)."""

    uid: str
    items: int
    assignments: dict[str, int]


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found.

    Attributes:
        problems: faults; any of them makes the check fail.
        notes: entries, columns and values that no template uses.
        tables: the tables, by name.
        templates: the templates that loaded, by uid.
        forms: distinct forms over all tables.
        words: distinct forms that some template can draw.
        features: documented columns that have a value in some row.
        used_features: columns that some template names.
    """

    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[TableCheck, ...] = ()
    templates: tuple[TemplateCheck, ...] = ()
    forms: int = 0
    words: tuple[str, ...] = ()
    features: int = 0
    used_features: int = 0

    @property
    def used_forms(self) -> int:
        """How many distinct forms some template can draw."""
        return len(self.words)

    @property
    def ok(self) -> bool:
        """True without problems."""
        return not self.problems

    def __str__(self) -> str:
        lines = [f"problem: {problem}" for problem in self.problems]
        lines += [f"note: {note}" for note in self.notes]
        lines += [
            f"table {t.name}: {t.rows} rows ({t.used_rows} used), "
            f"{t.columns} columns ({t.used_columns} used)"
            for t in self.tables
        ]
        for template in self.templates:
            sizes = ", ".join(f"{k + ' ' if k else ''}{v}" for k, v in template.assignments.items())
            lines.append(f"template {template.uid}: {sizes} assignments for {template.items} items")
        lines.append(
            f"{self.forms} distinct forms ({self.used_forms} used), "
            f"{self.features} features with values ({self.used_features} used by templates), "
            f"{len(self.problems)} problems, {len(self.notes)} notes"
        )
        return "\n".join(lines)


def check(benchmark: str | Path) -> Report:
    """Checks a benchmark's lexicon and all its templates; faults are collected, not raised."""
    try:
        folder = benchmark_folder(benchmark)
        lexicon = load_lexicon(folder / "lexicon")
        files = template_files(folder)
        constructions = load_constructions(folder, [path.stem for path in files])
    except MinpairsError as fault:
        return Report(problems=(str(fault),))
    problems = list(_contradictions(lexicon))
    notes: list[str] = []
    templates: list[TemplateCheck] = []
    lines: dict[str, set[int]] = {name: set() for name in lexicon.tables}
    columns: dict[str, set[str]] = {name: set() for name in lexicon.tables}
    for path in files:
        try:
            template = load_file(path, lexicon, constructions)[1][0]
            compiled = [compile_grammar(grammar, lexicon) for grammar in template.grammars]
            drawable = [reduced(problem, arc_consistent(problem)) for problem in compiled]
            for problem in drawable:
                check_printed(problem, lexicon, path)
        except MinpairsError as fault:
            problems.append(str(fault))
            continue
        notes += [note for grammar in template.grammars for note in _absent(path, grammar, lexicon)]
        sizes = {problem.grammar.name: count(problem) for problem in drawable}
        for problem in compiled:
            if not sizes[problem.grammar.name]:
                problems += [f"{path}: {fault}" for fault in contradictions(problem)]
        templates.append(TemplateCheck(template.uid, template.items, sizes))
        for table, column in _columns(template):
            columns[table].add(column)
        for problem in drawable:
            for entries in problem.candidates:
                for entry in entries:
                    lines[entry.table].add(entry.line)
    notes += _unused(lexicon, lines, columns)
    return _report(lexicon, lines, columns, problems, notes, templates)


def _report(
    lexicon: Lexicon,
    lines: Mapping[str, Set[int]],
    columns: Mapping[str, Set[str]],
    problems: list[str],
    notes: list[str],
    templates: list[TemplateCheck],
) -> Report:
    tables = lexicon.tables.values()
    return Report(
        problems=tuple(dict.fromkeys(problems)),
        notes=tuple(dict.fromkeys(notes)),
        tables=tuple(
            TableCheck(
                t.name, len(t.entries), len(lines[t.name]), len(t.columns), len(columns[t.name])
            )
            for t in tables
        ),
        templates=tuple(templates),
        forms=len({entry.form for table in tables for entry in table.entries}),
        words=tuple(
            sorted(
                {e.form for table in tables for e in table.entries if e.line in lines[table.name]}
            )
        ),
        features=sum(len(_filled(table)) for table in tables),
        used_features=sum(len(used) for used in columns.values()),
    )


def _filled(table: Table) -> set[str]:
    """The documented columns that have a value in some row."""
    return {name for name in table.columns if any(entry.features[name] for entry in table.entries)}


def _contradictions(lexicon: Lexicon) -> Iterator[str]:
    """Columns ``x`` and ``x_not`` say what is licensed and what is not: no value stands in both."""
    for table in lexicon.tables.values():
        for name in table.columns:
            opposite = name + OPPOSITE
            if opposite not in table.columns:
                continue
            for entry in table.entries:
                both = entry.features[name] & entry.features[opposite]
                if both:
                    yield (
                        f"{table.path}, line {entry.line}: {entry.form!r} has {join_values(both)} "
                        f"in both {name} and {opposite}"
                    )


def _absent(path: Path, grammar: Grammar, lexicon: Lexicon) -> Iterator[str]:
    """Values that a slot asks for and no row of its table has."""
    for slot in grammar.slots:
        entries = lexicon.tables[slot.table].entries
        for key, filters in (("where", slot.where), ("without", slot.without)):
            for feature, values in filters:
                present = frozenset[str]().union(*(entry.features[feature] for entry in entries))
                for value in sorted(values - present):
                    yield (
                        f"{path}, line {slot.line}: no row of {slot.table} has {value!r} in "
                        f"{feature} ('{key}' of slot {slot.name!r})"
                    )


def _columns(template: Template) -> Iterator[tuple[str, str]]:
    """The lexicon columns that a template names."""
    even, exchange = template.balance.even, template.balance.exchange or ()
    for grammar in template.grammars:
        tables = {slot.name: slot.table for slot in grammar.slots}
        for slot in grammar.slots:
            yield from ((slot.table, feature) for feature, _ in (*slot.where, *slot.without))
        for reference in {*grammar.references(), *even, *exchange}:
            if reference.feature not in COMPUTED[1:]:
                yield tables[reference.slot], reference.feature


def _unused(
    lexicon: Lexicon, lines: Mapping[str, Set[int]], columns: Mapping[str, Set[str]]
) -> Iterator[str]:
    for table in lexicon.tables.values():
        for name in table.columns:
            if name not in columns[table.name] and name not in ("form", "sense"):
                yield f"{table.path}: no template uses the column {name!r}"
        for entry in table.entries:
            if entry.line not in lines[table.name]:
                yield f"{table.path}, line {entry.line}: no template can draw {entry.form!r}"
