"""Mutated files, drawn by Hypothesis, and the inputs that fuzzing kept: the quick half of fuzzing.

The other half, a million cases guided by coverage, is ``scripts/trust/fuzz.py``.
"""

import runpy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trust.readers import READERS, Reader

from minpairs.errors import MinpairsError

ROOT = Path(__file__).parents[2]
SEEDS = Path(__file__).parent / "seeds"
_PIECES = (
    *(b"null", b"NaN", b"-1e999", b"[[[[", b"{}", b'"', b"'", b"\\ud800", b"\\u0000", b"\t", b"|"),
    *(b"\n", b"\r\n", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"../", b"&a", b"*a"),
    *(b"!!set", b"%", b"---", b"9" * 30, b" ", "。".encode(), "\u202e".encode(), b"\x1a"),
)


@st.composite
def mutants(draw: st.DrawFn, valid: bytes) -> bytes:
    """A sound file after some cuts, copies and insertions."""
    content = valid
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 30)))
        piece = draw(st.sampled_from(_PIECES) | st.binary(max_size=8) | st.just(content[start:end]))
        content = content[:start] + piece + content[end:]
    return content


def _read(reader: Reader, folder: Path, content: bytes) -> None:
    reader.put(folder, content)
    try:
        (reader.parse or reader.read)(folder)
    except MinpairsError:
        return


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_a_mutated_file_is_read_or_refused(reader: Reader, tmp_path: Path):
    @settings(
        max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(mutants(reader.valid))
    def check(content: bytes) -> None:
        _read(reader, tmp_path, content)

    check()


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_what_fuzzing_found_stays_mended(reader: Reader, tmp_path: Path):
    for seed in sorted((SEEDS / reader.name.replace(" ", "-")).glob("*")):
        _read(reader, tmp_path, seed.read_bytes())


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        (0, {"slow": 50, "middle": 50, "fast": 50}),  # some for each, whatever was asked for
        (200, {"slow": 51, "middle": 68, "fast": 80}),
        (1000, {"slow": 200, "middle": 400, "fast": 400}),
        (9000, {"slow": 1800, "middle": 3600, "fast": 3600}),
    ],
)
def test_every_reader_gets_some_cases_and_none_gets_most_of_them(
    cases: int, expected: dict[str, int]
):
    shares = runpy.run_path(str(ROOT / "scripts" / "trust" / "shares.py"))["shares"]
    speeds = {"slow": 1.0, "middle": 10.0, "fast": 1000.0}
    assert shares(speeds, cases, least=50, most=0.4) == expected
