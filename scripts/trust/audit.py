"""What pip-audit says of the locked requirements, or that it could say nothing.

python scripts/trust/audit.py PIP-AUDIT REQUIREMENTS

Exit code 0: every locked package was looked up and none has a known vulnerability. 1: some have. 2:
there is no verdict, since not all could be looked up (PyPI's database was out of reach, say).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("pip_audit")
    options.add_argument("requirements", type=Path)
    given = options.parse_args()
    command = [given.pip_audit, "--strict", "--disable-pip", "--format", "json"]
    command += ["--requirement", given.requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    code, said = verdict(done.stdout, done.stderr, locked(given.requirements.read_text()))
    print(said, file=sys.stderr if code else sys.stdout)
    return code


def locked(requirements: str) -> set[tuple[str, str]]:
    """Names and versions that a file of requirements holds."""
    pins = re.findall(r"^([\w.-]+)==([^\s;\\]+)", requirements, re.MULTILINE)
    return {(plain(name), version) for name, version in pins}


def plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def verdict(output: str, errors: str, wanted: set[tuple[str, str]]) -> tuple[int, str]:
    """The exit code and what to say.

    Args:
        output: pip-audit's, as JSON; nothing where it gave up.
        errors: what it said on standard error.
        wanted: what should have been looked up.
    """
    try:
        found: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        found = []
    known = {(plain(one["name"]), one["version"]) for one in found if "vulns" in one}
    bad = [
        f"{one['name']} {one['version']}: {fault['id']}, mended in "
        f"{', '.join(fault['fix_versions']) or 'no version'}"
        for one in found
        for fault in one.get("vulns", ())
    ]
    if bad:
        return 1, "\n".join(["known vulnerabilities:", *bad])
    missing = wanted - known
    if missing or not wanted:
        return 2, (
            f"{errors.strip().rpartition(chr(10))[2]}\n"
            f"no verdict: {len(missing)} of {len(wanted)} locked packages could "
            "not be looked up in PyPI's database of vulnerabilities, so nothing is known of them. "
            "This is a failure, not a pass: run it again where that database can be reached."
        )
    return 0, f"{len(known)} locked packages, none with a known vulnerability"


if __name__ == "__main__":
    sys.exit(main())
