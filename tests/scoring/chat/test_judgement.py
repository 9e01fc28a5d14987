"""From choices to accuracies: what counts as right, and what is said beside it."""

from __future__ import annotations

import pytest
from chat_servers import knows, pairs, said, scalar, serving, top

from minpairs.errors import ResultsError
from minpairs.judgements import judge
from minpairs.report import to_markdown
from minpairs.report.choices import choices_table
from minpairs.results import read_runs, write_run
from minpairs.scoring.chat import AnswerStore, ChatClient, Key, ask_all, judge_choices, questions

SETTINGS = {"kind": "chat", "base_url": "http://here/v1"}


def record(folder, behaviour, *suites, control=True):
    write_run(folder, "chat:tiny", SETTINGS, suites, ["minpairs", "chat"], {})
    asked = [question for suite in suites for question in questions(suite, control=control)]
    with serving(behaviour) as server:
        client = ChatClient("tiny", server.url, Key(None))
        ask_all(asked, client, AnswerStore(folder / "answers.jsonl"))
    return folder


def judged(folder, behaviour, *suites, **options):
    (run,) = read_runs(record(folder, behaviour, *suites, **options))
    (choices,) = judge_choices(run).values()
    return choices


def test_a_model_that_knows_is_right_and_has_no_bias(tmp_path):
    choices = judged(tmp_path, knows, scalar(3))
    assert choices.items.micro.accuracy == 1.0
    assert choices.items.micro.n == 3
    assert choices.items.micro.interval.low == pytest.approx(0.438, abs=1e-3)  # Wilson, 3 of 3
    assert choices.control.micro.accuracy == 1.0
    assert choices.chose_a.micro.accuracy == 0.5
    assert choices.unreadable == {"scalar": 0}


def test_a_model_that_always_says_a_is_never_right(tmp_path):
    choices = judged(tmp_path, lambda request: said("A"), scalar(3))
    assert choices.items.micro.accuracy == 0.0
    assert [order.micro.accuracy for order in choices.orders.values()] == [0.0, 0.0]
    assert {letter: e.micro.accuracy for letter, e in choices.letters.items()} == {"A": 1, "B": 0}
    assert choices.single.micro.accuracy == 0.5
    assert choices.chose_a.micro.accuracy == 1.0


def test_a_model_that_ignores_the_order_of_mention_is_right_in_one_order(tmp_path):
    def behave(request):
        """Holds that a trunk whose colour comes earlier in the list is lighter."""
        return said("A" if request.line("A. ").split()[1] > request.line("B. ").split()[1] else "B")

    choices = judged(tmp_path, behave, scalar(1))
    base, swapped = (order.micro.accuracy for order in choices.orders.values())
    assert sorted([base, swapped]) == [0.0, 1.0]
    assert choices.items.micro.accuracy == 0.0
    assert choices.single.micro.accuracy == 0.5


def test_one_unreadable_reply_makes_its_item_wrong(tmp_path):
    def behave(request):
        green = "let alone the green" in request.prompt and "A. The green" in request.prompt
        return said("A, I think") if green else knows(request)

    choices = judged(tmp_path, behave, scalar(2))
    assert choices.items.micro.right == 1
    assert choices.unreadable == {"scalar": 1}
    assert choices.replies == {"scalar": 16}
    assert choices.single.micro.accuracy == 7 / 8
    assert choices.chose_a.micro.n == 15


def test_without_a_letter_there_is_no_bias_to_speak_of(tmp_path):
    choices = judged(tmp_path, lambda request: said("Both."), scalar(1))
    assert (choices.items.micro.accuracy, choices.chose_a, choices.control) == (0.0, None, None)
    assert choices.unreadable == {"scalar": 8}
    assert "unreadable" in to_markdown(choices_table(choices))


def test_the_control_does_not_decide_whether_an_item_is_right(tmp_path):
    def behave(request):
        return said("A") if "trunk and the" in request.prompt else knows(request)

    choices = judged(tmp_path, behave, scalar(2))
    assert choices.items.micro.accuracy == 1.0
    assert choices.control.micro.accuracy == 0.5
    assert choices.chose_a.micro.accuracy == 0.75


def test_a_control_that_was_not_asked_is_not_missed(tmp_path):
    choices = judged(tmp_path, knows, scalar(2), control=False)
    assert (choices.items.micro.accuracy, choices.control, choices.incomplete) == (1.0, None, 0)
    assert choices.replies == {"scalar": 8}


def test_log_probabilities_see_through_a_bias_for_a_position(tmp_path):
    def behave(request):
        fits = knows(request).body["choices"][0]["message"]["content"]
        return said("A", logprobs=top(A=-0.1, B=-1.0 if fits == "B" else -4.0))

    choices = judged(tmp_path, behave, scalar(2))
    assert choices.items.micro.accuracy == 0.0
    assert choices.logprobs.micro.accuracy == 1.0
    assert choices.logprobs.micro.chance == 0.25


def test_an_item_without_log_probabilities_is_not_right_by_them(tmp_path):
    def behave(request):
        fits = knows(request).body["choices"][0]["message"]["content"]
        lacks = "let alone the blue" in request.prompt and "A. The blue" in request.prompt
        values = {"A": -0.1, "B": -0.1, fits: -0.05}
        return said("A", logprobs=None if lacks else top(**values))

    choices = judged(tmp_path, behave, scalar(3))
    assert (choices.logprobs.micro.right, choices.logprobs.micro.n) == (2, 3)
    assert choices.no_logprobs == 1
    assert "1 replies came without them" in to_markdown(choices_table(choices))


def test_without_any_log_probabilities_there_is_no_such_figure(tmp_path):
    assert judged(tmp_path, knows, scalar(1)).logprobs is None


def test_minimal_pairs_are_right_under_both_letters(tmp_path):
    def behave(request):
        good = "A" if request.line("A. ").endswith("naps.") else "B"
        return said("A" if "red" in request.prompt else good)

    choices = judged(tmp_path, behave, pairs(4))
    assert (choices.items.micro.right, choices.items.micro.n) == (3, 4)
    assert choices.items.micro.chance == 0.25
    assert choices.single.micro.accuracy == 7 / 8


def test_items_that_lack_an_answer_are_left_out_and_said_so(tmp_path):
    record(tmp_path, knows, scalar(3))
    path = tmp_path / "answers.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    missing = questions(scalar(3))[0].key
    path.write_text("".join(line for line in lines if missing not in line))
    (run,) = read_runs(tmp_path)
    (choices,) = judge_choices(run).values()
    assert (choices.items.micro.n, choices.incomplete) == (2, 1)
    assert choices.items.signature.get("answered") == "2/3"
    assert "NOT COMPLETE: 1 items" in to_markdown(choices_table(choices))


def test_a_run_without_a_complete_item_cannot_be_judged(tmp_path):
    write_run(tmp_path, "chat:tiny", SETTINGS, [scalar(1)], ["minpairs"], {})
    (run,) = read_runs(tmp_path)
    with pytest.raises(ResultsError, match="no item of let_alone has all its answers"):
        judge_choices(run)


def test_suites_are_rows_and_share_a_foot(tmp_path):
    def behave(request):
        return said("A") if "black" in request.prompt else knows(request)

    choices = judged(tmp_path, behave, scalar(4), scalar(15, name="scalar.more"))
    assert {group.name: group.accuracy for group in choices.items.groups} == {
        "scalar": 1.0,
        "scalar.more": pytest.approx(10 / 15),
    }
    assert choices.items.macro.accuracy == pytest.approx((1 + 10 / 15) / 2)
    table = choices_table(choices)
    assert [row[0] for row in table.rows] == ["scalar", "scalar.more"]
    assert [row[0] for row in table.summary] == ["macro (mean of 2 suites)", "micro (all items)"]


def test_suites_of_two_forms_are_reported_apart(tmp_path):
    (run,) = read_runs(record(tmp_path, lambda request: said("A"), scalar(1), pairs(2)))
    assert list(judge_choices(run)) == ["let_alone (forced choice)", "mine (forced choice)"]


def test_the_signature_says_who_was_asked_what(tmp_path):
    signature = judged(tmp_path, knows, scalar(1)).items.signature
    assert signature.get("model") == "chat:tiny"
    assert signature.get("served") == "fake-1"
    assert signature.get("base_url") == "http://here/v1"
    assert signature.get("design") == "forced_choice"


def test_judge_gives_the_accuracy_of_items(tmp_path):
    (run,) = read_runs(record(tmp_path, knows, scalar(2)))
    (evaluation,) = judge(run).values()
    assert evaluation.micro.accuracy == 1.0
    assert evaluation.micro.chance == 0.5**4


def test_the_table_shows_every_figure(tmp_path):
    def behave(request):
        return said("A", logprobs=top(A=-0.1, B=-1.0))

    text = to_markdown(choices_table(judged(tmp_path, behave, scalar(2)), caption="tiny"))
    header = text.splitlines()[2]
    for title in ("right %", "95 % interval", "base order %", "swapped order %", "fits = A %",
                  "fits = B %", "single replies %", "log-prob. %", "control %", "A chosen %",
                  "unreadable", "replies"):  # fmt: skip
        assert f" {title} |" in header
    assert text.splitlines()[4].endswith("| 0 | 16 |")
    assert "16 distinct replies, 800 prompt and 16 reply tokens" in text
