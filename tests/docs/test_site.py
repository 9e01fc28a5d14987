"""The documentation site builds without a warning, and is whole without a network."""

import importlib.util
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer
from docs.blocks import ROOT
from typer.core import TyperGroup

from minpairs.cli import app

FETCHED = re.compile(r"<(?:link|script|img|iframe)\b[^>]*?\b(?:href|src)=[\"']?([^\"'\s>]+)")
LINK = re.compile(r"<(?:a|img|link|script)\b[^>]*?\b(?:href|src)=[\"']?([^\"'\s>]+)")


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "scripts" / "build_docs.py")
    build_docs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build_docs)
    folder = tmp_path_factory.mktemp("site") / "docs"
    build_docs.stage(folder)
    assert build_docs.build(folder) == 0
    return folder


@pytest.fixture(scope="module")
def pages(staged):
    found = {path: path.read_text(encoding="utf-8") for path in (staged / "site").rglob("*.html")}
    found = {path: text for path, text in found.items() if path.name != "404.html"}
    assert len(found) > 15
    return found


def test_every_page_of_the_sources_is_in_the_navigation(staged):
    navigation = (staged / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (staged / "docs").rglob("*.md"):
        name = page.relative_to(staged / "docs").as_posix()
        assert f": {name}\n" in navigation, f"{name} is in no menu"


def test_local_links_lead_somewhere(pages):
    for page, text in pages.items():
        for link in LINK.findall(text):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            target = Path(page.parent, unquote(parts.path)).resolve()
            assert target.is_file() or (target / "index.html").is_file(), f"{page}: {link}"


def test_a_page_fetches_nothing_from_elsewhere(pages):
    for page, text in pages.items():
        away = [url for url in FETCHED.findall(text) if urlsplit(url).netloc]
        assert away == [], page


def test_formulas_are_mathml_and_need_no_script(pages):
    (measures,) = (text for page, text in pages.items() if page.parent.name == "measures")
    assert measures.count("<math") > 40
    assert "$" not in re.sub(r"<(script|style|code)\b.*?</\1>", "", measures, flags=re.DOTALL)


def test_the_reference_of_commands_has_every_option(staged):
    text = (staged / "docs" / "generated" / "commands.md").read_text(encoding="utf-8")

    def walk(command, name):
        section = text.partition(f"## `{name}`")[2]
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or f"`{option}" in section or (
                    f", {option}" in section
                ), f"{name} {option}"  # fmt: skip
        if isinstance(command, TyperGroup):
            for below, found in command.commands.items():
                walk(found, f"{name} {below}")

    root = typer.main.get_command(app)
    for below, found in root.commands.items():
        walk(found, f"minpairs {below}")
