"""A tiny chat model behind ``transformers serve``, asked as a user asks it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from chat_servers import scalar
from tiny_models import byte_tokenizer, causal
from transformers.utils.import_utils import is_serve_available

from minpairs.results import read_runs, write_run
from minpairs.scoring.chat import AnswerStore, ChatClient, Key, ask_all, judge_choices, questions

pytestmark = [
    pytest.mark.serve,
    pytest.mark.skipif(
        not is_serve_available(),
        reason="transformers serve needs: pip install 'transformers[serving]'",
    ),
]
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve") / "tiny"
    tokenizer = byte_tokenizer()
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    causal("llama", positions=2048).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def url(model):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(model)]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"],
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            with (
                contextlib.suppress(OSError),
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as answer,
            ):
                assert answer.status == 200
                break
            time.sleep(0.2)
        else:
            pytest.fail("transformers serve did not come up")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


def choices(url, model, folder, **body):
    suite = scalar(1)
    write_run(folder, f"chat:{model}", {"kind": "chat"}, [suite], ["minpairs"], {})
    client = ChatClient(str(model), url, Key(None), body=body)
    ask_all(questions(suite), client, AnswerStore(folder / "answers.jsonl"), concurrency=2)
    (run,) = read_runs(folder)
    (judged,) = judge_choices(run).values()
    return judged


def test_a_model_that_babbles_is_counted_as_unreadable(url, model, tmp_path):
    judged = choices(url, model, tmp_path)
    assert judged.unreadable == judged.replies == {"scalar": 8}
    assert judged.items.micro.accuracy == 0.0
    assert judged.usage.uncounted == 0
    assert judged.usage.completion_tokens == 8 * 8


def test_a_model_that_is_made_to_say_a_has_a_bias(url, model, tmp_path):
    letter = str(byte_tokenizer().convert_tokens_to_ids("A"))
    judged = choices(url, model, tmp_path, max_tokens=1, logit_bias={letter: 1000.0})
    assert judged.unreadable == {"scalar": 0}
    assert judged.chose_a.micro.accuracy == 1.0
    assert judged.single.micro.accuracy == 0.5
    assert judged.logprobs is None  # this server gives none, and says so with status 400
