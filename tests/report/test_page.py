"""The page of a results folder: what it says, that it is safe, and that it works in a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from annotation.chromium import chromium, missing, requested_hosts
from chat_servers import knows, scalar, serving
from report.tiny_runs import interactions, judged, pairs, write
from typer.testing import CliRunner

from minpairs.benchmarks.schema import MINIMAL_PAIR
from minpairs.cli import app
from minpairs.evaluation import evaluate_items
from minpairs.report.page import render_page, write_page
from minpairs.report.page.answers import answer
from minpairs.report.page.items import suite_items
from minpairs.report.page.tokens import Piece, compared, pieces
from minpairs.results import write_run
from minpairs.scoring.chat import AnswerStore, ChatClient, Key, ask_all, questions
from minpairs.scoring.score import Score

HOSTILE = '<script>alert("x")</script>'
PAIRS = [("我把门关上了。", "我被门关上了。"), ("他把书看完了。", "他被书看完了。")]


def score(text, tokens):
    logprobs = tuple(-float(i + 1) for i in range(len(tokens)))
    return Score(
        context="",
        continuation=text,
        logprob=sum(logprobs),
        tokens=len(tokens),
        words=1,
        characters=len(text),
        token_texts=tuple(tokens),
        token_logprobs=logprobs,
    )


def read(text, *tokens):
    return [(one.text, one.surprisal, one.tokens) for one in pieces(score(text, tokens))]


# Tokens ------------------------------------------------------------------------------------------


def test_bytes_of_one_character_are_one_piece_with_their_sum():
    tokens = ("æ", "Ĭ", "Ĭ", "éĹ¨")  # GPT-2's letters for the bytes of 把门
    assert read("把门", *tokens) == [("把", 6.0, 3), ("门", 4.0, 1)]


def test_spaces_are_where_the_tokenizer_marks_them():
    assert read("The cat", "The", "Ġcat") == [("The", 1.0, 1), (" cat", 2.0, 1)]
    assert read("The cat", "▁The", "▁cat") == [("The", 1.0, 1), (" cat", 2.0, 1)]
    assert read("the cats", "the", "cat", "##s") == [
        ("the", 1.0, 1),
        (" cat", 2.0, 1),
        ("s", 3.0, 1),
    ]


def test_byte_fallback_is_read():
    assert read("把", "<0xE6>", "<0x8A>", "<0x8A>") == [("把", 6.0, 3)]


def test_characters_are_units_of_their_own():
    assert read("把门", "把", "门") == [("把", 1.0, 1), ("门", 2.0, 1)]


def test_a_beginning_that_was_not_scored_is_shown_without_a_number():
    assert read("The cat", "Ġcat") == [("The", None, 0), (" cat", 1.0, 1)]


def test_what_does_not_spell_the_text_is_shown_as_it_is():
    assert read("The cat", "[UNK]", "cat", "</s>")[0] == ("[UNK]", 1.0, 1)


def test_no_tokens_no_pieces():
    assert pieces(score("The cat", ())) == ()


def test_pieces_are_marked_between_common_beginning_and_end():
    left, right = ([Piece(one, 1.0) for one in text] for text in ("abcd", "axyd"))
    marked = compared(left, right)
    assert [[one.differs for one in side] for side in marked] == [[False, True, True, False]] * 2


def test_a_piece_that_one_text_has_more_is_the_difference():
    left, right = ([Piece(one, 1.0) for one in text] for text in ("aab", "ab"))
    assert [[one.differs for one in side] for side in compared(left, right)] == [
        [False, True, False],
        [False, False],
    ]


# Items -------------------------------------------------------------------------------------------


def chosen(folder):
    (one,) = judged(folder)
    ((_, judgement),) = one.judgements.items()
    (suite,) = suite_items({"m": (one.run, judgement)})
    return suite.models[0]


def test_worst_items_are_wrong_ones_and_closest_are_nearest_to_a_tie(tmp_path):
    values = {"a": -1, "b": -9, "c": -4, "d": -2, "e": -3, "f": -2.5}
    suite = pairs("p", [("b", "a"), ("c", "d"), ("f", "e"), ("a", "b")])
    found = chosen(write(tmp_path / "m", [suite], values.get))
    assert [(one.number, one.margin) for one in found.worst] == [(0, -8), (1, -2)]
    assert [(one.number, one.margin) for one in found.closest] == [(2, 0.5), (3, 8)]
    assert (found.wrong, found.n) == (2, 4)


def test_an_interaction_shows_the_prediction_that_holds_least(tmp_path):
    def logprob(text):
        cell = text.split()[0]
        return -7 if cell == "swapped_let_alone" else -5

    found = chosen(write(tmp_path / "m", [interactions("npi", 2)], logprob))
    item = found.worst[0]
    assert (item.prediction, item.margin) == ("swapped", -2)
    assert [(one.title, one.difference) for one in item.comparisons] == [
        ("let alone", -2),
        ("and", 0),
    ]
    assert item.comparisons[0].left.text == "swapped_let_alone 0"


def test_other_models_margins_stand_beside(tmp_path):
    write(tmp_path / "a", [pairs("p", [("x", "y")])], {"x": -1, "y": -2}.get, model="a")
    write(tmp_path / "b", [pairs("p", [("x", "y")])], {"x": -5, "y": -2}.get, model="b")
    found = {one.name: (one.run, one.judgements["climp"]) for one in judged(tmp_path)}
    first, second = suite_items(found)[0].models
    assert first.closest[0].others == (("b", -3),)
    assert second.worst[0].others == (("a", 1),)


# Answers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "expected"),
    [(90, "above chance"), (10, "below chance"), (52, "not to be told from chance")],
)
def test_an_answer_says_no_more_than_its_interval_allows(right, expected):
    difference = [1.0] * right + [-1.0] * (100 - right)
    cells = {"acceptable": difference, "unacceptable": [0.0] * 100}
    text = answer(evaluate_items(cells, MINIMAL_PAIR), {})
    assert f"{right}.0 % of 100 pairs" in text
    assert expected in text


def test_the_answer_on_let_alone_keeps_form_controls_and_meaning_apart(tmp_path):
    def logprob(text):
        manipulated = "_manipulated" in text
        return -10 - 3 * manipulated * ("let_alone" in text)

    suites = [interactions(name, 40) for name in ("npi", "vp")]
    write(tmp_path / "m", [*suites, interactions("scalar", 40, contexts=True)], logprob)
    (one,) = judged(tmp_path)
    felicity = {name.partition(".")[2]: found for name, found in one.felicity.items()}
    text = answer(one.evaluations["let_alone"], felicity)
    assert "Form: " in text
    assert "100.0 % (vp)" in text
    assert "not all of the difference above is grammar" in text
    assert "Meaning (scalar)" in text


# The page ----------------------------------------------------------------------------------------


class Seen(HTMLParser):
    """Elements of a page, their links, and languages."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.links, self.languages, self.data = [], [], set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.links += [found[name] for name in ("src", "href", "xlink:href") if name in found]
        self.languages.add(found.get("lang"))

    def handle_data(self, data):
        self.data += data


def page(tmp_path, texts=PAIRS, *, tokens=True, drawn=()):
    """The page of one model; without figures, unless they are what matters (None: all)."""
    suite = pairs("ba_construction", texts, phenomenon="ba_construction")
    write(tmp_path / "m", [suite], lambda text: -len(text) - text.count("把"), tokens=tokens)
    return render_page(judged(tmp_path), drawn=drawn)


def test_every_text_is_escaped(tmp_path):
    seen = Seen(page(tmp_path, [(HOSTILE, "x")], tokens=False))
    assert seen.tags.count("script") == 1  # the page's own
    assert HOSTILE in seen.data


def test_nothing_is_fetched(tmp_path):
    text = page(tmp_path, drawn=None)
    assert all(link.startswith(("#", "data:")) for link in Seen(text).links)
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\((?!#)", text)


def test_chinese_is_marked_as_such(tmp_path):
    assert {"en", "zh"} <= Seen(page(tmp_path)).languages


def test_every_token_has_its_surprisal_and_without_tokens_the_page_says_how_to_get_them(tmp_path):
    assert 'class="word">把</span><span class="cost">' in page(tmp_path / "with")
    without = page(tmp_path / "without", tokens=False)
    assert 'class="cost"' not in without
    assert "Score with <code>--tokens</code>" in without
    assert "我把门关上了。" in without


def test_a_measure_that_is_no_sum_is_shown_beside_the_sum(tmp_path):
    write(tmp_path / "m", [pairs("p", [("ab", "cde")])], lambda _: -6.0)
    text = Seen(render_page(judged(tmp_path, measure_name="mean"), drawn=())).data
    assert "log p −6.00, 2 tokens; mean −3.000" in text


def test_question_answer_signature_and_warnings_are_there(tmp_path):
    suite = pairs("p", [("x", "y")] * 3)
    fault = "ignores what it reads"
    write(tmp_path / "m", [suite], lambda _: -1.0, settings={"kind": "causal", "fault": fault})
    text = Seen(render_page(judged(tmp_path), drawn=())).data
    assert "Does the model prefer the Mandarin sentence" in text
    assert "In 0.0 % of 3 pairs" in text
    assert fault in text
    assert "design:minimal_pair" in text


def test_the_command_writes_page_and_figures_where_it_is_told(tmp_path):
    write(tmp_path / "runs" / "m", [pairs("p", [("x", "y")])], {"x": -1, "y": -2}.get)
    arguments = ["report", str(tmp_path / "runs"), "--html", str(tmp_path / "out" / "page.html")]
    result = CliRunner().invoke(app, [*arguments, "--figures", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "climp.accuracy.png",
        "climp.accuracy.svg",
        "page.html",
    ]


def test_a_chat_models_choices_have_a_page_too(tmp_path):
    suite = scalar(2)
    settings = {"kind": "chat", "base_url": "http://here/v1"}
    write_run(tmp_path / "m", "chat:tiny", settings, [suite], ["minpairs", "chat"], {})
    with serving(knows) as server:
        client = ChatClient("tiny", server.url, Key(None))
        ask_all(questions(suite), client, AnswerStore(tmp_path / "m" / "answers.jsonl"))
    text = Seen(render_page(judged(tmp_path), drawn=())).data
    assert "the choice that fits is named every time it is asked for" in text
    assert "Where it goes wrong" not in text


def test_a_page_does_not_tell_where_models_lay(tmp_path):
    suite = pairs("p", [("x", "y")])
    write(tmp_path / "a", [suite], lambda _: -1.0, model="/home/someone/models/mine")
    write(tmp_path / "b", [suite], lambda _: -1.0, model="org/theirs")
    text = Seen(render_page(judged(tmp_path), drawn=())).data
    assert "someone" not in text
    assert "org/theirs" in text


def test_the_same_results_give_the_same_page(tmp_path):
    assert page(tmp_path, drawn=None) == render_page(judged(tmp_path))


def ratio(first, second):
    """Contrast of two colours, by the Web Content Accessibility Guidelines 2.2."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (
            p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_text_has_contrast_in_light_and_in_dark(tmp_path):
    css = re.search(r"<style>(.*?)</style>", page(tmp_path), re.DOTALL).group(1)
    roots = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    light, dark = (dict(re.findall(r"--(\w+): (#\w{6})", root)) for root in roots)
    for colours in (light, {**light, **dark}):
        for name in ("ink", "soft", "accent", "good", "bad"):
            assert ratio(colours[name], colours["paper"]) >= 4.5, name
            assert ratio(colours[name], colours["tint"]) >= 4.5, name


browser = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(missing()), reason=missing() or "never"),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A page of two models on both benchmarks, in a browser of a phone's width."""
    folder = tmp_path_factory.mktemp("page")
    texts = [(f"我把第{i}扇门关上了。", f"我被第{i}扇门关上了。") for i in range(3)]
    suites = [pairs(f"paradigm_{i}", texts[: 1 + i % 3]) for i in range(9)]
    suites += [interactions("npi", 3), interactions("scalar", 3, contexts=True)]
    for name in ("a-model-of-a-rather-long-name-0123456789", "b"):
        write(folder / name, suites, lambda text: -len(text), model=name, tokens=True)
    path = folder / "report.html"
    write_page(judged(folder), path)
    with chromium(folder, width=390, height=844) as driver:
        driver.get(path.as_uri())
        driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
        yield driver


def column(driver, position):
    script = """return Array.from(document.querySelector("table").tBodies[0].rows)
      .filter((row) => !row.hidden).map((row) => row.cells[arguments[0]].textContent)"""
    return driver.execute_script(script, position)


class TestInABrowser:
    """The page in a headless Chromium."""

    pytestmark = browser

    def test_a_phone_shows_it_without_scrolling_to_the_side(self, opened):
        width, inner = opened.execute_script(
            "return [document.documentElement.scrollWidth, window.innerWidth]"
        )
        assert width <= inner == 390

    def test_a_heading_sorts_by_the_keyboard_too_and_turns_round(self, opened):
        from selenium.webdriver.common.keys import Keys

        button = opened.find_elements("css selector", "thead button")[1]
        assert button.text.startswith("n")
        script = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"
        opened.execute_script(script, button)
        button.click()
        assert column(opened, 1) == sorted(column(opened, 1), reverse=True)
        head = button.find_element("xpath", "..")
        assert head.get_attribute("aria-sort") == "descending"
        button.send_keys(Keys.ENTER)
        assert column(opened, 1) == sorted(column(opened, 1))
        assert head.get_attribute("aria-sort") == "ascending"

    def test_rows_are_filtered_as_one_types(self, opened):
        field = opened.find_element("css selector", "input[type=search]")
        field.send_keys("_7")
        assert column(opened, 0) == ["paradigm_7"]
        assert field.find_element("xpath", "../output").text == "1 of 9"
        field.clear()
        field.send_keys(" ")
        assert len(column(opened, 0)) == 9

    def test_it_asks_the_network_for_nothing_and_reports_no_error(self, opened):
        assert requested_hosts(opened) == set()
        assert opened.get_log("browser") == []
