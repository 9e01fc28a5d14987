"""Coverage-guided fuzzing of every reader: mutated files in, only our own errors out.

python scripts/trust/fuzz.py [--cases 1000000] [--least 5000] [--most 0.06] [--out FOLDER]
    [--only READER]…

Needs atheris (pip install atheris; libFuzzer with Python's coverage). Readers are those of
``tests/trust/readers.py``. Each gets ``--least`` cases, however slow it is; the rest of ``--cases``
is shared out by speed, as a trial measures it, but none gets more than the share ``--most`` of all:
otherwise two readers of short JSON lines would take most of a million. Each runs in a process of
its own, so that a crash of native code (pyarrow, KenLM) is found too and the rest goes on. Inputs
that failed are kept in FOLDER/failures; those that reached new code, in FOLDER/corpus. Run again
with the same FOLDER and another ``--seed``, it adds to what is there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import atheris
from shares import shares

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

with atheris.instrument_imports(include=["minpairs", "csv", "json", "trust"]):
    import pyarrow as pa
    from trust.hostile import TRANSFORMS
    from trust.readers import READERS, Reader

    from minpairs.errors import MinpairsError

SEEDS = ROOT / "tests" / "trust" / "seeds"
_LONGEST = 4096  # bytes of an input
_SECONDS = 10  # of processor time for one input: what takes longer counts as a failure


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=1_000_000)
    options.add_argument("--least", type=int, default=5000)
    options.add_argument("--most", type=float, default=0.06)
    options.add_argument("--out", type=Path, default=Path("fuzz"))
    options.add_argument("--only", action="append", default=[])
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    pa.set_cpu_count(1)  # threads do not survive a fork
    pa.set_io_thread_count(1)
    if unknown := set(given.only) - {reader.name for reader in READERS}:
        options.error(f"no reader {', '.join(sorted(unknown))}")
    chosen = [reader for reader in READERS if not given.only or reader.name in given.only]
    speeds = {reader.name: _speed(reader) for reader in chosen}
    cases = shares(speeds, given.cases, given.least, given.most)
    for turn in range(given.rounds):  # a run that is stopped has had every reader
        for number, reader in enumerate(chosen):
            seed = given.seed + turn * len(chosen) + number
            now = -(-cases[reader.name] // given.rounds)
            _fuzz(reader, now, given.out.resolve(), seed)
        _report(given.out)


def _speed(reader: Reader) -> float:
    """Cases a second in a trial, in a process of its own, since this one forks."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        _quiet()
        one = _reading(reader, _folder(os.getpid()))
        one(reader.valid)
        start = time.perf_counter()
        for _ in range(20):
            one(reader.valid)
            one(reader.valid[:-3])
        os.write(write_end, str(40 / (time.perf_counter() - start)).encode())
        os._exit(0)
    os.close(write_end)
    os.waitpid(child, 0)
    shutil.rmtree(_folder(child), ignore_errors=True)
    with os.fdopen(read_end) as pipe:
        return float(pipe.read() or 1)


def _folder(process: int) -> Path:
    """Where a process writes its cases: in memory; removed by its parent, as it may crash."""
    return Path(f"/dev/shm/minpairs-fuzz-{process}")


def _reading(reader: Reader, folder: Path) -> Callable[[bytes], None]:
    read = reader.parse or reader.read
    path = reader.put(folder, reader.valid)

    def one(content: bytes) -> None:
        path.write_bytes(content)
        try:
            read(folder)
        except MinpairsError:
            return

    return one


def _quiet() -> None:
    """KenLM writes progress on standard error for every file."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.dup2(nowhere, 1)


def _fuzz(reader: Reader, cases: int, out: Path, seed: int) -> None:
    name = reader.name.replace(" ", "-")
    corpus, failures = out / "corpus" / name, out / "failures" / name
    for folder in (corpus, failures):
        folder.mkdir(parents=True, exist_ok=True)
    kept = [path.read_bytes() for path in sorted((SEEDS / name).glob("*"))]
    hostile = [change(reader.valid) for change in TRANSFORMS.values()]
    for content in [reader.valid, *hostile, *kept]:
        if len(content) <= _LONGEST:
            (corpus / hashlib.sha1(content).hexdigest()).write_bytes(content)
    record = out / f"{name}.json"
    done, crashes, start = 0, 0, time.time()
    found: dict[str, int] = {}
    while done < cases and crashes < 20:
        child = os.fork()
        if not child:
            _child(reader, cases - done, seed + 1000 * crashes, corpus, failures)
        _, status = os.waitpid(child, 0)
        shutil.rmtree(_folder(child), ignore_errors=True)
        told = failures.parent.parent / f".{name}.count"
        counted = json.loads(told.read_text()) if told.exists() else {"cases": 0, "found": {}}
        told.unlink(missing_ok=True)
        done += counted["cases"]
        for place, times in counted["found"].items():
            found[place] = found.get(place, 0) + times
        if status:
            crashes += 1
            found[f"process ended with status {status}"] = crashes
    before = json.loads(record.read_text()) if record.exists() else {"failures": {}}
    for place, times in before["failures"].items():
        found[place] = found.get(place, 0) + times
    line = {
        "reader": reader.name,
        "cases": done + before.get("cases", 0),
        "seconds": round(time.time() - start) + before.get("seconds", 0),
        "failures": found,
    }
    record.write_text(json.dumps(line))


def _child(reader: Reader, cases: int, seed: int, corpus: Path, failures: Path) -> None:
    _quiet()
    one = _reading(reader, _folder(os.getpid()))
    told = failures.parent.parent / f".{failures.name}.count"
    count = 0
    found: dict[str, int] = {}

    def tell() -> None:
        told.write_text(json.dumps({"cases": count, "found": found}))

    def case(content: bytes) -> None:
        nonlocal count
        count += 1
        if not count % 100 or count == cases:
            tell()  # what a crash would lose
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        try:
            one(content)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
            if place not in found:
                name = hashlib.sha1(content).hexdigest()[:12]
                (failures / name).write_bytes(content)
                (failures / f"{name}.txt").write_text("".join(traceback.format_exception(error)))
            found[place] = found.get(place, 0) + 1
            tell()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    signal.signal(signal.SIGPROF, _too_long)
    words = corpus.parent / f"{corpus.name}.dict"
    _dictionary(reader, words)
    atheris.Setup(
        [
            *("fuzz", f"-atheris_runs={cases}", f"-seed={seed}", f"-max_len={_LONGEST}"),
            *("-timeout=1000000", "-rss_limit_mb=6000", f"-dict={words}"),
            *(f"-artifact_prefix={failures}/crash-", str(corpus)),
        ],
        case,
    )
    atheris.Fuzz()


def _too_long(*_: object) -> None:
    raise TimeoutError(f"a case took more than {_SECONDS} seconds")


def _dictionary(reader: Reader, path: Path) -> None:
    """Words of the file's own, and those that have broken readers before."""
    own = {word for word in reader.valid.replace(b'"', b" ").split() if 2 < len(word) < 20}
    hostile = [b"null", b"NaN", b"-Infinity", b"1e400", b"[[", b"{}", b"\\ud800", b"\xef\xbb\xbf"]
    hostile += [b"../", b"\0", b"\r\n", b"!!python/", b"&a", b"*a", b"\t", b"\xed\xa0\x80", b"\x1a"]
    with path.open("w") as file:
        for word in [*sorted(own)[:60], *hostile]:
            file.write('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n')


def _report(out: Path) -> None:
    lines = [json.loads(path.read_text()) for path in sorted(out.glob("*.json"))]
    print(f"\n{'reader':<20}{'cases':>10}{'seconds':>9}  failures")
    for line in lines:
        said = ", ".join(f"{place} ({n})" for place, n in line["failures"].items()) or "none"
        print(f"{line['reader']:<20}{line['cases']:>10,}{line['seconds']:>9}  {said}")
    print(f"{'all':<20}{sum(line['cases'] for line in lines):>10,}", flush=True)


if __name__ == "__main__":
    main()
