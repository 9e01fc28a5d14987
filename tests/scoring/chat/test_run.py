"""A run: every question once, so many at a time, and nothing that was paid for is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from chat_servers import Response, always, knows, pairs, said, scalar, serving

from minpairs.errors import ModelError
from minpairs.scoring.chat import AnswerStore, ChatClient, Key, Prompt, Retries, ask_all, questions

FAST = Retries(limit=1, first=0.01)


def ask(server, path, asked, **options):
    client = ChatClient("tiny", server.url, Key(None), retries=FAST)
    return ask_all(asked, client, AnswerStore(path), **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


def test_every_question_is_asked_and_its_answer_kept(path):
    asked = questions(scalar(2))
    with serving(knows) as server:
        done = ask(server, path, asked)
    assert len(server.requests) == len(asked) == 16
    assert (done.distinct, done.known, done.answered, done.failures) == (16, 0, 16, ())
    store = AnswerStore(path)
    assert [store.get(question.key).letter for question in asked] == list("AB") * 8


def test_what_is_kept_says_where_it_belongs(path):
    with serving(always("B")) as server:
        ask(server, path, questions(pairs(1)))
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert {line["fits"] for line in (first, second)} == {"A", "B"}
    assert {
        name: first[name]
        for name in ("suite", "item", "cells", "reply", "letter", "prompt_tokens", "model")
    } == {
        "suite": "mine.agreement",
        "item": 0,
        "cells": ["acceptable", "unacceptable"],
        "reply": "B",
        "letter": "B",
        "prompt_tokens": 50,
        "model": "fake-1",
    }
    assert first["latency"] > 0


def test_nothing_is_asked_twice(path):
    with serving(knows) as server:
        ask(server, path, questions(scalar(1)))
        done = ask(server, path, [*questions(scalar(2)), *questions(scalar(2, name="again"))])
    assert len(server.requests) == 16
    assert (done.distinct, done.known, done.answered) == (16, 8, 8)


def test_an_unreadable_reply_is_kept_as_it_came_and_not_asked_again(path):
    with serving(always("It depends.")) as server:
        ask(server, path, questions(pairs(1)))
        done = ask(server, path, questions(pairs(1)))
    assert len(server.requests) == 2
    assert done.known == 2
    answer = AnswerStore(path).get(questions(pairs(1))[0].key)
    assert (answer.reply, answer.letter) == ("It depends.", None)


def test_a_server_that_never_says_a_letter_is_warned_about_once(path, caplog):
    with serving(always("It depends.")) as server:
        ask(server, path, questions(scalar(2)), concurrency=1)
    (warning,) = caplog.messages
    assert "none of the first 10 replies is a letter; the last is 'It depends.'" in warning


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_requests_are_under_way_than_allowed(path, most):
    def behave(request):
        end = time.monotonic() + 30
        while server.most_in_flight < most and time.monotonic() < end:
            time.sleep(0.01)  # the first ones wait for the others
        return replace(said("A"), delay=0.05)

    with serving(behave) as server:
        ask(server, path, questions(scalar(2)), concurrency=most)
    assert server.most_in_flight == most


def test_a_question_that_fails_is_left_out_and_asked_again_next_time(path):
    asked = questions(pairs(3))
    bad = asked[2].a

    def behave(request):
        if request.line("A. ") == bad:
            return Response({"error": "broken"}, 500)
        return said("A")

    with serving(behave) as server:
        done = ask(server, path, asked, concurrency=1)
        assert (done.answered, len(done.failures)) == (5, 1)
        assert "status 500 (broken)" in done.failures[0]
        server.behaviour = always("A")
        assert ask(server, path, asked).answered == 1


def test_failures_here_and_there_do_not_stop_a_run(path):
    def behave(request):
        return said("A") if request.number % 3 == 0 else Response({"error": "hiccup"}, 500)

    with serving(behave) as server:  # an answer, then two tries of a question that fails
        done = ask(server, path, questions(scalar(2)), concurrency=1)
    assert (done.answered, len(done.failures)) == (8, 8)


def test_a_server_that_breaks_down_stops_the_run_and_answers_are_kept(path):
    def behave(request):
        return said("A") if request.number < 4 else Response({"error": "down"}, 500)

    with (
        serving(behave) as server,
        pytest.raises(ModelError, match=r"down.*4 of 16 answers are kept: run the same command"),
    ):
        ask(server, path, questions(scalar(2)), concurrency=1)
    assert len(AnswerStore(path)) == 4
    assert len(server.requests) == 4 + 5 * 2


def test_a_server_that_never_answers_stops_the_run_sooner(path):
    with (
        serving(lambda request: Response({"error": "down"}, 500)) as server,
        pytest.raises(ModelError, match="0 of 16 answers are kept"),
    ):
        ask(server, path, questions(scalar(2)), concurrency=1)
    assert len(server.requests) == 2 * 2


def test_a_refusal_stops_the_run_at_once(path):
    with (
        serving(lambda request: Response({"error": "who?"}, 401)) as server,
        pytest.raises(ModelError, match="401"),
    ):
        ask(server, path, questions(scalar(2)), concurrency=2)
    assert len(server.requests) <= 2


def test_a_prompt_that_does_not_fit_is_refused_before_anything_is_asked(path):
    with serving(always("A")) as server, pytest.raises(ModelError.__base__, match="text"):
        ask(server, path, questions(scalar(1)), prompt=Prompt("{choices}", "mine.txt"))
    assert not server.requests


def test_progress_begins_with_what_is_known_and_ends_with_all(path):
    seen = []
    with serving(knows) as server:
        ask(server, path, questions(scalar(1)))
        ask(server, path, questions(scalar(2)), progress=lambda *now: seen.append(now))
    assert seen == [(done, 16) for done in range(8, 17)]


RUN = """
import sys
from pathlib import Path
from chat_servers import scalar
from minpairs.scoring.chat import AnswerStore, ChatClient, Key, ask_all, questions
client = ChatClient("tiny", sys.argv[1], Key(None))
ask_all(questions(scalar(15)), client, AnswerStore(Path(sys.argv[2])), concurrency=3)
"""


def test_a_run_that_is_killed_goes_on_where_it_was(path):
    with serving(lambda request: replace(knows(request), delay=0.02)) as server:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", RUN, server.url, str(path)]
        process = subprocess.Popen(command, env=environment)
        deadline = time.monotonic() + 60
        while len(server.requests) < 30 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = len(AnswerStore(path))
    asked = questions(scalar(15))
    with serving(knows) as again:
        done = ask(again, path, asked, concurrency=3)
    assert 0 < kept < len(asked)
    assert len(server.requests) - kept <= 3  # those under way when it was killed
    assert (done.known, done.answered) == (kept, len(asked) - kept)
    assert len(again.requests) == done.answered
