"""Hub dataset folders: Parquet files and a card that ``load_dataset`` reads as they stand."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from minpairs.benchmarks.card import SPLIT, CardText, ConfigFiles, features, render
from minpairs.benchmarks.designs import Layout, check_columns
from minpairs.benchmarks.schema import holds_items
from minpairs.errors import SuiteError, nearest
from minpairs.files import write_durably

__all__ = ["CardText", "content_hash", "write_folder"]

# What we wrote, and what write_durably leaves where it is killed.
_OURS = re.compile(rf"\.?{SPLIT}-[0-9a-f]{{16}}\.parquet(\.[0-9a-f]{{32}}\.tmp)?")
_LEVEL = 17  # of zstd: a third smaller than its default, in seconds; more costs minutes
_FORBIDDEN = "<>:/\\|?*"
_LONGEST = 200  # bytes of a config's name: a file system takes 255


def write_folder(
    tables: Mapping[str, pa.Table],
    out: Path,
    card: CardText,
    designs: Mapping[str, Layout] | None = None,
    *,
    files: Mapping[str, bytes] | None = None,
) -> None:
    """Writes ``out/data/<config>/test-<hash>.parquet`` per config and ``out/README.md``.

    The same rows give the same files to the byte. Data are written first, then the card, then
    what an earlier call wrote and this one did not is removed: a process killed in between leaves
    a card whose files exist.

    Args:
        tables: rows per config, in the order of the card.
        out: the folder; made if missing. Files in it that are not ours are left alone.
        card: what a person writes on the card.
        designs: for configs whose columns do not say by themselves what they are, the design and
            the columns of its cells; written on the card, where ``load_suites`` reads them.
        files: further files that the card refers to, by their path in the folder.

    Raises:
        SuiteError: a name or type that ``datasets`` refuses, no table at all, or a design of no
            config or of columns that are not there.
    """
    out = Path(out)
    _check_names(tables, out, card.union)
    for table in tables.values():
        features(table.schema)
    for config, layout in (designs or {}).items():
        if config not in tables:
            raise SuiteError(f"{out}: a design of config {config!r}; {nearest(config, tables)}")
        check_columns(layout, tables[config].column_names, f"{out}: config {config!r}")
    configs = [_write(name, table, out) for name, table in tables.items()]
    if card.union is not None:
        items = {name: table for name, table in tables.items() if holds_items(name)}
        joined = [config for config in configs if holds_items(config.name)]
        configs.insert(0, _union(card.union, items, joined, out))
    for path, content in (files or {}).items():
        write_durably(out / path, content)
    write_durably(out / "README.md", render(configs, tables, card, designs or {}).encode("utf-8"))
    _remove_stale(out / "data", {out / file for config in configs for file in config.files})


def content_hash(table: pa.Table) -> str:
    """SHA-256 of the rows as JSON lines: the same rows, whatever wrote them, have the same hash."""
    digest = hashlib.sha256(json.dumps(table.column_names).encode("ascii") + b"\n")
    for batch in table.to_batches(max_chunksize=1024):
        for row in batch.to_pylist():
            digest.update(
                json.dumps(list(row.values()), ensure_ascii=False).encode("utf-8") + b"\n"
            )
    return digest.hexdigest()


def _write(name: str, table: pa.Table, out: Path) -> ConfigFiles:
    table = table.combine_chunks().replace_schema_metadata(None)
    sha256 = content_hash(table)
    file = f"data/{name}/{SPLIT}-{sha256[:16]}.parquet"
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        compression_level=_LEVEL,
        use_dictionary=_repetitive(table),
        store_schema=False,
    )
    write_durably(out / file, buffer.getvalue())
    return ConfigFiles(name, table.schema, table.num_rows, table.nbytes, sha256, (file,))


def _repetitive(table: pa.Table) -> list[str]:
    """The columns that a dictionary makes smaller, by their Parquet paths."""
    paths = []
    for column in table.schema:
        if pa.types.is_list(column.type):
            paths.append(f"{column.name}.list.element")
        elif 2 * pc.count_distinct(table[column.name]).as_py() <= table.num_rows:
            paths.append(column.name)
    return paths


def _union(
    name: str, tables: Mapping[str, pa.Table], configs: list[ConfigFiles], out: Path
) -> ConfigFiles:
    """The config of all rows: the same files where the columns agree, else the columns all have."""
    first = configs[0].schema
    if all(config.schema.equals(first) for config in configs):
        digest = hashlib.sha256("".join(config.sha256 for config in configs).encode("ascii"))
        return ConfigFiles(
            name,
            first,
            sum(config.rows for config in configs),
            sum(config.size for config in configs),
            digest.hexdigest(),
            tuple(file for config in configs for file in config.files),
            default=True,
        )
    common = [
        column.name
        for column in first
        if all(
            column in (config.schema.field(i) for i in range(len(config.schema)))
            for config in configs
        )
    ]
    joined = pa.concat_tables(
        table.replace_schema_metadata(None).select(common) for table in tables.values()
    )
    written = _write(name, joined, out)
    return ConfigFiles(
        name,
        written.schema,
        written.rows,
        written.size,
        written.sha256,
        written.files,
        default=True,
    )


def _check_names(tables: Mapping[str, pa.Table], out: Path, union: str | None) -> None:
    if not tables:
        raise SuiteError(f"{out}: there is nothing to write")
    for name in (*tables, *([union] if union else [])):
        if _is_refused(name):
            raise SuiteError(
                f"{out}: {name!r} cannot name a config; use letters, digits, '_', and '.' inside, "
                f"{_LONGEST} bytes at most"
            )
    if union in tables:
        raise SuiteError(f"{out}: {union!r} joins all configs and cannot be one of them")
    script = out / f"{out.resolve().name}.py"
    if script.exists():
        raise SuiteError(f"{script}: load_dataset refuses a folder with a script of its own name")


def _is_refused(name: str) -> bool:
    """Whether a folder of that name is one that ``datasets`` or a file system would not take."""
    return (
        not name
        or name == "default"
        or name.startswith(".")
        or not name.isprintable()
        or len(name.encode()) > _LONGEST
        or any(character in _FORBIDDEN for character in name)
    )


def _remove_stale(folder: Path, keep: set[Path]) -> None:
    for path in sorted(folder.rglob("*")):
        if path not in keep and path.is_file() and _OURS.fullmatch(path.name):
            path.unlink()
    for path in sorted((p for p in folder.rglob("*") if p.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
