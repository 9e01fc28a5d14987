"""Figures: what they show, and that anyone can read them."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import font_manager
from report.tiny_runs import interactions, judged, write

from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.errors import MinpairsError
from minpairs.evaluation import evaluate_items
from minpairs.report.figures import (
    FilterPoint,
    _style,
    accuracy_figure,
    drawings,
    filters_figure,
    short_names,
    themed,
    to_bytes,
    write_figures,
)


def evaluation(accuracies, phenomena=None):
    """Ten pairs a paradigm, of which so many are right."""
    difference = [1.0 if i < right else -1.0 for right in accuracies.values() for i in range(10)]
    return evaluate_items(
        {"acceptable": difference, "unacceptable": [0.0] * len(difference)},
        MINIMAL_PAIR,
        groups=[name for name in accuracies for _ in range(10)],
        phenomena=phenomena,
    )


def labels(figure):
    (axes, *_) = figure.axes
    return [label.get_text() for label in axes.get_yticklabels()]


def points(figure, name):
    """Positions of what the legend calls so."""
    (axes, *_) = figure.axes
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    line = handles[name]
    return (line[0] if isinstance(line, tuple) else line).get_xdata().tolist()


def let_alone(text):
    """The manipulation costs three with *let alone*, one with *and*."""
    if not text.split()[0].endswith("_manipulated"):
        return -10
    return -13 if "let_alone" in text else -11


def test_climp_stands_in_the_papers_order_beside_its_people():
    found = evaluation({"p": 6, "c": 9}, {"p": "passive", "c": "classifier"})
    figure = accuracy_figure({"model": found})
    assert labels(figure) == ["classifier", "passive", "overall"]
    assert points(figure, "model") == [90, 60, 75]
    assert points(figure, "people (the CLiMP paper's, on its own items)") == pytest.approx(
        [99.7, 91]
    )


def test_people_can_be_left_out_and_are_not_shown_for_other_benchmarks():
    found = evaluation({"p": 6}, {"p": "passive"})
    _, names = accuracy_figure({"m": found}, references=False).axes[0].get_legend_handles_labels()
    assert names == ["m"]
    figure = accuracy_figure({"m": evaluation({"negation": 6, "agreement": 4})})
    assert figure.axes[0].get_legend_handles_labels()[1] == ["m"]
    assert labels(figure) == ["negation", "agreement", "overall"]


def test_no_overall_figure_where_a_model_lacks_a_paradigm():
    figure = accuracy_figure({"a": evaluation({"x": 6, "y": 4}), "b": evaluation({"x": 5})})
    assert labels(figure) == ["x", "y"]
    assert points(figure, "b") == [50]


def test_series_differ_in_more_than_colour():
    looks = [_style.look(i) for i in range(12)]
    assert len({(one.marker, one.filled) for one in looks}) == 12
    assert len({one.hatch for one in looks[:6]}) == 6


def test_the_figures_of_an_interaction(tmp_path):
    suites = [interactions("npi", 6), interactions("scalar", 5, contexts=True)]
    write(tmp_path / "m", suites, let_alone)
    drawn = drawings(judged(tmp_path))
    assert [one.name for one in drawn] == [
        "let_alone.accuracy",
        "let_alone.interaction",
        "let_alone.scalar.felicity",
    ]
    left, right = drawn[1].figure.axes
    bars = [one for one in (*left.containers, *right.containers) if hasattr(one, "lines")]
    means = [bar.lines[0].get_xdata()[0] for bar in bars]
    assert means == [3, 1, 2]  # let alone, and, their difference


def test_files_are_written_as_svg_and_png_and_are_the_same_every_time(tmp_path):
    write(tmp_path / "m", [interactions("npi", 4)], let_alone)
    first = write_figures(drawings(judged(tmp_path)), tmp_path / "a")
    second = write_figures(drawings(judged(tmp_path)), tmp_path / "b")
    assert {path.suffix for path in first} == {".svg", ".png"}
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_hostile_names_stay_text(tmp_path):
    name = 'a$x^2$<script>&"'
    svg = to_bytes(accuracy_figure({name: evaluation({"p$_1$": 5})}), "svg_text")
    texts = ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter()]
    assert name in [text.strip() for text in texts]
    assert "<script>" not in themed(svg, "f")


def test_in_a_page_ids_do_not_clash_and_colours_are_the_pages():
    svg = to_bytes(accuracy_figure({"m": evaluation({"p": 5})}), "svg_text")
    text = themed(svg, "CLiMP.accuracy")
    ids = [node.attrib["id"] for node in ElementTree.fromstring(text).iter() if "id" in node.attrib]
    assert ids
    assert all(one.startswith("climp-accuracy-") for one in ids)
    assert "currentColor" in text
    assert _style.INK not in text


@pytest.mark.skipif(
    not any("CJK" in font.name for font in font_manager.fontManager.ttflist),
    reason="no font with Chinese characters here (fonts-noto-cjk)",
)
def test_chinese_is_drawn_and_not_boxes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of glyphs that no font has
        to_bytes(accuracy_figure({"模型": evaluation({"把字句": 5})}), "png")


def test_without_a_chinese_font_the_package_is_named(monkeypatch):
    monkeypatch.setattr(_style, "_installed", lambda: {"DejaVu Sans"})
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    with pytest.warns(UserWarning, match="fonts-noto-cjk"):
        accuracy_figure({"模型": evaluation({"p": 5})})


def test_filters_show_each_seed_and_their_mean_beside_the_papers():
    found = [FilterPoint("NoLet", seed, "npi", share) for seed, share in ((1, 0.4), (2, 0.6))]
    (axes,) = filters_figure(found).axes
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    assert list(handles["one seed"].get_xdata()) == [40, 60]
    assert handles["mean over seeds"][0].get_width() == 50
    assert list(handles["the paper's (its own items)"].get_xdata()) == pytest.approx([71.8])
    assert axes.get_title(loc="left") == "NPI"


def test_two_accuracies_for_one_model_are_refused():
    with pytest.raises(MinpairsError, match="NoLet, seed 1, npi: two"):
        filters_figure([FilterPoint("NoLet", 1, "npi", 0.4)] * 2)
    with pytest.raises(MinpairsError, match="at least one"):
        filters_figure([])


def test_names_lose_the_hash_of_their_settings_where_they_stay_distinct():
    names = ["gpt2-01234567", "opt-01234567", "opt-89abcdef"]
    assert list(short_names(names).values()) == ["gpt2", "opt-01234567", "opt-89abcdef"]


def test_the_direction_of_felicity_is_fitting_less_contradicting(tmp_path):
    write(tmp_path / "m", [interactions("scalar", 5, contexts=True)], let_alone)
    (axes,) = drawings(judged(tmp_path))[-1].figure.axes
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["after let alone: 100.0 % above zero", "after and: 100.0 % above zero"]
    assert np.isclose(sum(patch.get_xy()[:, 1].max() for patch in axes.patches[:1]), 100)
