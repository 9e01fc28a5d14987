"""The code blocks of a Markdown page, with what a comment before a block says about it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "generation" / "README.md"]
    # examples/ is written by a script; reference/commands.md by the command line's own help.
    + [path for path in (ROOT / "docs").rglob("*.md")
       if not {"examples", "commands.md"} & set(path.relative_to(ROOT / "docs").parts)]
)  # fmt: skip
SHELL = frozenset({"sh", "bash", "shell", "console"})
_MARK = re.compile(r"<!--\s*(not run|last line fails):\s*(.*?)\s*-->", re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_NAMED = re.compile(r"`([\w./-]+\.(?:yaml|tsv|csv))`")  # "`lexicon/nouns.tsv`:" before a block


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        line: of its first line of code in the page, from 1.
        language: as its fence says.
        title: of a file that the reader is told to write, else None.
        text: its code.
        not_run: why it is not run, if it is not.
        fails: what its last line's error says, if it is meant to fail.
    """

    line: int
    language: str
    title: str | None
    text: str
    not_run: str | None = None
    fails: str | None = None


def blocks(page: Path) -> Iterator[Block]:
    """All fenced blocks of a page, in order; those in lists too."""
    mark: tuple[str, str] | None = None
    before = ""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "html_block":
            found = _MARK.search(token.content)
            mark = (found[1], " ".join(found[2].split())) if found else None
        elif token.type == "fence":
            language, _, rest = token.info.partition(" ")
            title = _TITLE.search(rest) or _NAMED.match(before)
            kind, said = mark or ("", None)
            yield Block(
                line=token.map[0] + 2,
                language=language,
                title=title[1] if title else None,
                text=token.content,
                not_run=said if kind == "not run" else None,
                fails=said if kind == "last line fails" else None,
            )
            mark, before = None, ""
        elif token.type == "inline":
            before = token.content


def commands(text: str) -> list[list[str]]:
    """The commands of a shell block as words: lines joined at backslashes, cut at ``&&``."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words:
            end = words.index("&&") if "&&" in words else len(words)
            found.append(words[:end])
            words = words[end + 1 :]
    return found
