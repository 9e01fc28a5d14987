"""Whole benchmarks: from grammars to folders, the same to the byte, within their bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from datasets import disable_progress_bars, get_dataset_config_names, load_dataset

from minpairs.benchmarks.build import build, check_bounds
from minpairs.benchmarks.schema import holds_items
from minpairs.benchmarks.suites import load_suites
from minpairs.cli import main
from minpairs.errors import SuiteError, TemplateError
from minpairs.hub.benchmark import read_registration
from minpairs.training.filters import load_filters

disable_progress_bars()
LEXICON = {
    "features.yaml": "verbs: {about: verbs, columns: {form: the verb, number: its number}}\n",
    "verbs.tsv": "form\tnumber\nis\tsingular\nwas\tsingular\nare\tplural\nwere\tplural\n",
}
TEMPLATE = """
uid: agreement
phenomenon: agreement
language: en
design: minimal_pair
about: A verb agrees.
items: 2
slots: {verb: {from: verbs, where: {number: singular}}, other: {from: verbs}}
relations: [other.number != verb.number, verb.form < other.form]
cells: {acceptable: "Here he {verb} now.", unacceptable: "Here he {verb}n now."}
"""
BOUNDS = ", bounds: {edit_only: 55, unigram: [40, 60]}"
CARD = f"{{name: Toy, language: en, about: A toy.{BOUNDS}}}\n"


@pytest.fixture
def toy(tmp_path):
    """A benchmark whose acceptable members are shorter and of known words."""
    folder = tmp_path / "toy"
    (folder / "lexicon").mkdir(parents=True)
    for name, text in LEXICON.items():
        (folder / "lexicon" / name).write_text(text)
    (folder / "agreement.yaml").write_text(TEMPLATE)
    (folder / "card.yaml").write_text(CARD)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def climp(tmp_path_factory):
    """CLiMP, a few pairs of each paradigm."""
    folder = tmp_path_factory.mktemp("built") / "climp"
    build("climp", folder, n=4)
    return folder


@pytest.fixture(scope="module")
def let_alone(tmp_path_factory):
    """The let-alone benchmark, a few items of each suite."""
    folder = tmp_path_factory.mktemp("built") / "let_alone"
    build("let_alone", folder, n=17)
    return folder


def test_climp_generated_twice_is_the_same_to_the_byte(climp, tmp_path):
    build("climp", tmp_path / "again", n=4)
    assert files(tmp_path / "again") == files(climp)


def test_let_alone_generated_twice_is_the_same_to_the_byte(let_alone, tmp_path):
    build("let_alone", tmp_path / "again", n=17)
    assert files(tmp_path / "again") == files(let_alone)


def test_every_suite_has_three_other_constructions_of_the_same_items(let_alone):
    configs = [name for name in get_dataset_config_names(str(let_alone)) if holds_items(name)]
    assert len(configs) == 24
    suites = {suite.config: suite for suite in load_suites(str(let_alone), configs)}
    for uid in ("npi", "clause", "cleft", "vp", "gap", "scalar"):
        for name in ("much_less", "never_mind", "not_to_mention"):
            own, other = suites[uid], suites[f"{uid}.{name}"]
            assert other.texts("base_and") == own.texts("base_and")
            both = zip(own.texts("base_let_alone"), other.texts(f"base_{name}"), strict=True)
            for text, exchanged in both:
                words = f" {name.replace('_', ' ')} "
                whole = text.context + text.continuation
                assert whole.count(" let alone ") == 1
                assert exchanged.context + exchanged.continuation == whole.replace(
                    " let alone ", words
                )


def test_the_card_describes_the_other_constructions(let_alone):
    card = (let_alone / "README.md").read_text(encoding="utf-8")
    assert "## Other constructions" in card
    assert "- *much less*, `<suite>.much_less`: The nearest relative" in card
    assert "The items of `npi`, with *much less* for *let alone*" in card


def test_every_filter_is_a_config_of_let_alone_over_a_sample_corpus(let_alone, tmp_path):
    def load(config):
        return load_dataset(str(let_alone), config, split="test", cache_dir=str(tmp_path))

    filters = load_filters()
    configs = {name for name in get_dataset_config_names(str(let_alone)) if not holds_items(name)}
    ends = [name + end for name in filters.scenarios for end in ("", ".as_released")]
    assert configs == {f"{kind}.{end}" for kind in ("corpus", "unigrams") for end in ends}
    kept = load("corpus.no_let")["text"]
    assert len(kept) > 4000
    assert not any(filters.removes("no_let", text) for text in kept)
    assert set(load("unigrams.no_let").column_names) == {"token", "count"}


def test_the_card_says_what_the_corpora_are(let_alone):
    card = (let_alone / "README.md").read_text(encoding="utf-8")
    suites, corpora = card.split("## Training text")
    assert "| `corpus." not in suites
    assert (
        "| `corpus.no_let` | Sample corpus, written by a grammar. Without the word let." in corpora
    )


def test_a_training_text_is_no_suite(let_alone):
    default = {suite.config for suite in load_suites(str(let_alone))}
    assert default == {"npi", "clause", "cleft", "vp", "gap", "scalar"}
    with pytest.raises(SuiteError, match=r"corpus\.no_let is no suite: it holds a training text"):
        load_suites(str(let_alone), ["corpus.no_let"])


def test_a_comma_is_set_in_every_cell_and_the_card_says_so(tmp_path):
    build("let_alone", tmp_path / "out", n=2, phrases={"comma": ","})
    (suite,) = load_suites(str(tmp_path / "out"), ["npi.much_less"])
    for cell in suite.design.cells:
        assert all(text.continuation.count(", ") == 1 for text in suite.texts(cell))
    assert "- `comma` = `,`" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_a_misspelt_phrase_is_an_error_with_the_nearest(tmp_path):
    with pytest.raises(TemplateError, match=r"phrase 'coma'; did you mean 'comma'\?"):
        build("let_alone", tmp_path / "out", n=2, phrases={"coma": ","})


def test_climp_proves_itself_on_its_card(climp):
    card = (climp / "README.md").read_text(encoding="utf-8")
    assert "## What can be guessed without grammar" in card
    assert card.count("` | 4 | 50.0 % (") == 16
    assert "![Frequency of the lexicon's words by rank](figures/lexicon_frequency.svg)" in card
    assert (climp / "figures" / "lexicon_frequency.svg").is_file()


def test_climp_is_registered_as_a_benchmark_of_its_configs(climp):
    registered = read_registration(climp)
    assert [task.config for task in registered.tasks][:2] == ["all", "anaphor_agreement_gender"]
    assert {task.config for task in registered.tasks} == set(get_dataset_config_names(str(climp)))


def test_let_alone_has_leaderboards_of_its_six_suites(let_alone):
    configs = {task.config for task in read_registration(let_alone).tasks}
    assert configs == {"npi", "clause", "cleft", "vp", "gap", "scalar"}


def test_climp_loads_with_its_figure_beside_it(climp, tmp_path):
    assert len(load_dataset(str(climp), split="test", cache_dir=str(tmp_path / "cache"))) == 64


def test_a_benchmark_that_misses_its_bounds_is_told_where(toy):
    found = check_bounds(toy)
    assert any("unequal numbers of characters" in fault for fault in found)
    assert any("the more frequent words are right in 100.0 %" in fault for fault in found)


def test_check_fails_where_bounds_are_missed(toy, monkeypatch, capsys):
    assert run(monkeypatch, "generate", str(toy), "--check") == 1
    assert "problem: agreement: the more frequent words" in capsys.readouterr().out


def test_check_passes_where_there_are_no_bounds(toy, monkeypatch):
    (toy / "card.yaml").write_text(CARD.replace(BOUNDS, ""))
    assert run(monkeypatch, "generate", str(toy), "--check") == 0


def test_a_setting_without_an_equals_sign_is_an_error(toy, monkeypatch, capsys):
    assert run(monkeypatch, "generate", str(toy), "--set", "comma") == 2
    assert "--set 'comma' is not PHRASE=TEXT" in capsys.readouterr().err


def run(monkeypatch, *arguments: str) -> int:
    """The exit code of a command."""
    monkeypatch.setattr("sys.argv", ["minpairs", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(stopped.value.code or 0)


def test_bounds_out_of_range_are_an_error(toy):
    (toy / "card.yaml").write_text(CARD.replace("55", "155"))
    with pytest.raises(TemplateError, match=r"card.yaml, line 1, bounds.edit_only: .* 100"):
        check_bounds(toy)


@pytest.mark.slow
def test_climp_keeps_its_bounds():
    assert check_bounds("climp") == []
