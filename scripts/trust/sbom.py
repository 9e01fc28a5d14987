"""Completes and checks a bill of materials (CycloneDX JSON) of the environment that runs this.

python scripts/trust/sbom.py trust/sbom.json requirements/dev.txt

Completed: licences that a distribution states in words only, which cyclonedx-py leaves out
(transformers' is one); folders of this machine are removed. Checked: every installed distribution
is there with its version, and with a licence where it declares one; so is every locked requirement
of this platform. Exit code 1, and each fault, otherwise.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_LONGEST = 200  # characters of a licence's name: some write the whole text there


@dataclass(frozen=True)
class Installed:
    """A distribution: its version, and the licence that it declares, if any."""

    version: str
    licence: str | None


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("sbom", type=Path)
    options.add_argument("requirements", type=Path)
    given = options.parse_args()
    there = installed()
    bill = completed(json.loads(given.sbom.read_text()), there)
    given.sbom.write_text(json.dumps(bill, indent=1) + "\n")
    found = faults(bill, there, locked(given.requirements.read_text()))
    silent = sorted(name for name, one in there.items() if one.licence is None)
    print(
        f"{given.sbom}: {len(bill['components'])} components; no licence declared by "
        f"{', '.join(silent) or 'none'}"
    )
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return int(bool(found))


def installed() -> dict[str, Installed]:
    """The distributions of this environment, by name."""
    found: dict[str, Installed] = {}
    for one in metadata.distributions():  # the first of a name is the one that is imported
        about = one.metadata
        found.setdefault(canonicalize_name(about["Name"]), Installed(one.version, _declared(about)))
    return found


def _declared(about: Any) -> str | None:
    stated = about.get("License-Expression") or (about.get("License") or "").strip()
    kinds = [kind for kind in about.get_all("Classifier") or () if kind.startswith("License ::")]
    lines = [line for line in (*stated.splitlines()[:1], *kinds) if line not in ("", "UNKNOWN")]
    return lines[0][:_LONGEST] if lines else None


def locked(requirements: str) -> set[str]:
    """Names of a file of requirements with hashes, as far as this platform needs them."""
    entries = re.sub(r"\\\n", " ", requirements).splitlines()
    lines = [re.split(r"\s--hash", entry)[0] for entry in entries]
    needed = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {
        canonicalize_name(one.name) for one in needed if one.marker is None or one.marker.evaluate()
    }


def completed(bill: Mapping[str, Any], there: Mapping[str, Installed]) -> dict[str, Any]:
    """The bill with licences that are stated in words, and without folders of this machine."""
    return {**bill, "components": [_component(one, there) for one in bill["components"]]}


def _component(one: Mapping[str, Any], there: Mapping[str, Installed]) -> dict[str, Any]:
    made = dict(one)
    known = there.get(canonicalize_name(one["name"]))
    if known is not None and known.licence is not None and not made.get("licenses"):
        licence = {"name": known.licence, "acknowledgement": "declared"}
        made["licenses"] = [{"license": licence}]
    if references := made.get("externalReferences"):
        made["externalReferences"] = [r for r in references if not r["url"].startswith("file:")]
    return made


def faults(bill: Mapping[str, Any], there: Mapping[str, Installed], wanted: set[str]) -> list[str]:
    """What the bill lacks.

    Args:
        bill: of materials.
        there: what is installed.
        wanted: names that must be there.
    """
    components = {canonicalize_name(one["name"]): one for one in bill["components"]}
    found = [f"{name}: locked, and not in the bill" for name in sorted(wanted - set(components))]
    for name, one in sorted(there.items()):
        component = components.get(name)
        if component is None:
            found.append(f"{name}: installed, and not in the bill")
            continue
        if component.get("version") != one.version:
            found.append(f"{name}: {one.version} is installed, not {component.get('version')}")
        if one.licence is not None and not component.get("licenses"):
            found.append(f"{name}: its licence ({one.licence}) is not in the bill")
    return found


if __name__ == "__main__":
    sys.exit(main())
