"""Builds the documentation site in build/docs: the pages that other files hold, then zensical.

The site generator works in a folder of its own, since it keeps and empties a `.cache` beside its
configuration.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGE = ROOT / "build" / "docs"
COPIES = {
    "write-a-paradigm.md": ROOT / "generation" / "README.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "changes.md": ROOT / "CHANGELOG.md",
}
# A link to a file beside the original leads nowhere from the site: its text stays.
_LOCAL_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]+\)")


def stage(folder: Path) -> None:
    """Puts the configuration and all pages into a folder, those that are generated included."""
    shutil.rmtree(folder, ignore_errors=True)
    # The examples' Markdown is for reading in the repository; the site links to their pages.
    shutil.copytree(
        ROOT / "docs",
        folder / "docs",
        ignore=lambda path, names: [
            name for name in names if name.endswith(".md") and "examples" in Path(path).parts
        ],
    )
    shutil.copy(ROOT / "mkdocs.yml", folder)
    (folder / "src").symlink_to(ROOT / "src")
    pages = folder / "docs" / "generated"
    pages.mkdir()
    typer = [sys.executable, "-m", "typer", "minpairs.cli", "utils", "docs"]
    options = ["--name", "minpairs", "--title", "Commands", "--output", str(pages / "commands.md")]
    subprocess.run([*typer, *options], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    for name, source in COPIES.items():
        text = _LOCAL_LINK.sub(r"\1", source.read_text(encoding="utf-8"))
        (pages / name).write_text(text, encoding="utf-8")
    (pages / "examples.md").write_text(_examples(), encoding="utf-8")


def _examples() -> str:
    """A page that links to the example reports that are there."""
    reports = sorted((ROOT / "docs" / "examples").glob("*/report.html"))
    links = [
        f"- [{path.parent.name}](../examples/{path.parent.name}/report.html)" for path in reports
    ]
    return "\n".join(
        [
            "# Example reports",
            "",
            "SmolLM2-135M and a 5-gram on samples of both benchmarks; `make example` writes them.",
            "",
            *(links or ["They have not been made here yet."]),
            "",
        ]
    )


def build(folder: Path) -> int:
    """Writes the site of a staged folder to its ``site``; a warning is an error."""
    zensical = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(zensical, cwd=folder, check=False).returncode


def main() -> None:
    """Builds the site."""
    stage(STAGE)
    status = build(STAGE)
    if status == 0:
        print(f"the site is in {STAGE.relative_to(ROOT)}/site")
    raise SystemExit(status)


if __name__ == "__main__":
    main()
