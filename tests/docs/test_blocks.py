"""Every code block of the documentation is run, or says why not and is still checked."""

import re

import pytest
from docs.blocks import PAGES, ROOT, SHELL, blocks, commands
from docs.running import check_block, parse, run_block

KNOWN = SHELL | {"python", "yaml", "tsv", "csv", "json", "text", "markdown", "bibtex", "r", "make"}


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_blocks_of_a_page_run_one_after_the_other(page, home):
    namespace = {"__name__": "__main__"}
    for block in blocks(page):
        try:
            if block.not_run:
                check_block(block)
            else:
                run_block(block, name(page), namespace)
        except BaseException as error:
            error.add_note(f"in the block at {name(page)}:{block.line}")
            raise


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_says_what_it_is(page):
    for block in blocks(page):
        assert block.language in KNOWN, f"{name(page)}:{block.line}: {block.language!r}"
    fences = re.findall(r"^ *```\w", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == sum(1 for _ in blocks(page)), "a fence is hidden in an indented block"


def test_commands_are_cut_at_double_ampersands_and_joined_at_backslashes():
    text = "minpairs a --b 'c d' \\\n  e  # remark\nmake x && pip y"
    assert commands(text) == [
        ["minpairs", "a", "--b", "c d", "e"], ["make", "x"], ["pip", "y"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "arguments", [["scor"], ["score", "gpt2", "climp", "--limitt", "3"], ["train", "ngram"]]
)
def test_a_command_that_does_not_parse_is_found(arguments):
    with pytest.raises(Exception, match=r"No such|Missing"):
        parse(arguments)


def test_a_command_that_parses_is_not_run(home):
    parse(["score", "no-such-model", "climp", "--limit", "3"])
    parse(["train", "ngram", "corpus.txt", "--out", "x.arpa", "--order", "3"])
    assert not (home / "results").exists()
    assert not (home / "x.arpa").exists()
