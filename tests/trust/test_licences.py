"""Every package that minpairs installs has a licence that its users can live with.

So has every one that its extras bring, for those who develop it.
"""

from __future__ import annotations

import re
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ALLOWED = re.compile(
    r"apache|\bmit\b|bsd|\bisc\b|python software foundation|\bpsf\b|python-2\.0|mozilla|mpl|"
    r"unlicense|zlib|cc0|0bsd|hpnd|matplotlib|cnri|llvm",
    re.IGNORECASE,
)
# Not allowed by that list, and why they may stay; versions are not part of the reason.
REVIEWED = {
    "chardet": "LGPL-2.1 or later: lm-eval's, which only comparisons with it need",
    "kenlm": "LGPL-2.1 or later: used as it is, by its public interface, and not passed on with us",
    "l2m4m": "GPL-3.0: writes the formulas of the documentation's pages, and is not passed on",
    "locate": "MIT by the file that comes with it; its metadata names none",
}


def _closure(name: str, extras: frozenset[str] = frozenset()) -> set[str]:
    """Names of all packages that installing a package brings on this platform."""
    found: set[str] = set()
    waiting = [(name, extras)]
    seen = set()
    while waiting:
        package, extras = waiting.pop()
        if (package, extras) in seen:
            continue
        seen.add((package, extras))
        try:
            requires = metadata.requires(package) or []
        except metadata.PackageNotFoundError:
            continue  # of another platform, or of an extra that nobody asked for
        found.add(package)
        for line in requires:
            one = Requirement(line)
            needed = one.marker is None or any(
                one.marker.evaluate({"extra": extra}) for extra in extras or {""}
            )
            if needed:
                waiting.append((canonicalize_name(one.name), frozenset(one.extras)))
    return found - {name}


def _licence(package: str) -> str:
    about = metadata.metadata(package)
    stated = [about.get("License-Expression") or "", (about.get("License") or "")[:200]]
    stated += [
        line.rpartition("::")[2].strip()
        for line in about.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    return " / ".join(part for part in stated if part)


PACKAGES = sorted(_closure("minpairs"))
EXTRAS = frozenset(metadata.metadata("minpairs").get_all("Provides-Extra") or ())
OF_EXTRAS = sorted(_closure("minpairs", EXTRAS) - set(PACKAGES))


def test_the_packages_are_found():
    assert {"torch", "transformers", "pyarrow", "kenlm", "numpy"} <= set(PACKAGES)
    assert {"pytest", "mypy"} <= set(OF_EXTRAS)


@pytest.mark.parametrize("package", [*PACKAGES, *OF_EXTRAS])
def test_a_package_has_a_licence_on_the_list(package: str):
    licence = _licence(package)
    assert package in REVIEWED or ALLOWED.search(licence), f"{package}: {licence or 'none stated'}"
