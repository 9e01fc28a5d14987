"""Prompts: a template is checked before it is sent, and says what it should."""

from __future__ import annotations

import pytest
from chat_servers import pairs, scalar

from minpairs.errors import TemplateError
from minpairs.scoring.chat import Prompt, prompts_for, questions, read_prompt

FOLLOW_UP = questions(scalar())[0]
SENTENCES = questions(pairs())[0]


def test_our_prompt_for_a_text_shows_the_text_and_both_choices():
    (prompt,) = prompts_for([FOLLOW_UP])
    assert '"let alone"' in prompt
    assert "\nText: He can't carry the red trunk let alone the green trunk.\n" in prompt
    assert (
        "\nA. The green trunk beats the red trunk.\nB. The red trunk beats the green trunk.\n"
        in prompt
    )


def test_our_prompt_for_sentences_shows_both():
    (prompt,) = prompts_for([SENTENCES])
    assert "\nA. The red fox naps.\nB. The red fox nap.\n" in prompt


def test_a_template_in_the_papers_form_is_taken_as_it_is():
    prompt = Prompt("Text: {text} Choices: {formatted_choices}", "paper")
    assert prompt.render(FOLLOW_UP) == (
        "Text: He can't carry the red trunk let alone the green trunk. Choices: "
        "A. The green trunk beats the red trunk.\nB. The red trunk beats the green trunk."
    )


def test_doubled_braces_are_literal():
    assert Prompt('{{"a": "{a}"}} {b}', "json").render(SENTENCES) == (
        '{"a": "The red fox naps."} The red fox nap.'
    )


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{txt} {choices}", r"unknown field \{txt\}: did you mean 'text'"),
        ("{text}", "shows no choices"),
        ("{text} {a}", "shows no choices"),
        ("{text.__class__} {choices}", "not the name of a field"),
        ("{text!r} {choices}", "not the name of a field"),
        ("{} {choices}", "not the name of a field"),
        ("{text {choices}", "literal brace|not the name of a field"),
        ("100 % } {choices}", "write a literal brace twice"),
    ],
)
def test_a_wrong_template_is_refused(template, message):
    with pytest.raises(TemplateError, match=message):
        Prompt(template, "mine.txt")


def test_a_template_that_leaves_out_the_text_is_refused_for_choices_after_a_text():
    with pytest.raises(TemplateError, match=r"no field \{text\}"):
        prompts_for([FOLLOW_UP], Prompt("{choices}", "mine.txt"))


@pytest.mark.parametrize("field", ["text", "construction"])
def test_a_template_that_names_what_an_item_has_not_is_refused(field):
    with pytest.raises(TemplateError, match=field):
        prompts_for([SENTENCES], Prompt(f"{{{field}}} {{choices}}", "mine.txt"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TemplateError, match=r"gone\.txt"):
        read_prompt(tmp_path / "gone.txt")
