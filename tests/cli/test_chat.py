"""``minpairs chat`` as a user runs it: plans, answers, tables, and no key anywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from chat_servers import Response, always, knows, said, scalar, serving
from typer.testing import CliRunner

from minpairs.cli import app
from minpairs.errors import MinpairsError, TemplateError

MINPAIRS = (sys.executable, "-m", "minpairs")
KEY = "sk-secret-4711"
CARD = """---
configs:
- config_name: scalar
  data_files: [{split: test, path: scalar.parquet}]
---
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A working folder with a benchmark of three items."""
    (tmp_path / "let_alone").mkdir()
    (tmp_path / "let_alone" / "README.md").write_text(CARD)
    pq.write_table(scalar(3).table, tmp_path / "let_alone" / "scalar.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    return tmp_path


def run(*arguments: str, fails: bool = False) -> str:
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert (done.exit_code != 0) == fails, done.output
    return done.stdout


def test_score_on_a_chat_model_prints_its_accuracy_and_report_prints_it_again(home):
    with serving(knows) as server:
        out = run("score", "chat:org/tiny", "let_alone:scalar", "--base-url", server.url)
    assert re.search(r"scalar +3 +100\.0 ", out)
    assert "24 distinct replies, 1,200 prompt and 24 reply tokens" in " ".join(out.split())
    assert run("report", "results") == out
    (folder,) = Path("results").glob("tiny-*")
    assert "{choices}" in (folder / "prompts" / "follow_up.txt").read_text()
    assert "100.0" in (folder.parent / "report.md").read_text()


def test_chat_is_the_same_command_and_asks_nothing_again(home):
    with serving(knows) as server:
        first = run("score", "chat:tiny", "let_alone:scalar", "--base-url", server.url)
        again = run("chat", "tiny", "let_alone:scalar", "--base-url", f"{server.url}/")
    assert again == first
    assert len(server.requests) == 24


def test_a_sample_is_part_of_the_whole(home):
    with serving(knows) as server:
        base = ("chat", "tiny", "let_alone:scalar", "--base-url", server.url, "--no-control")
        run(*base, "--limit", "1")
        assert len(server.requests) == 4
        run(*base)
    assert len(server.requests) == 12


def test_a_dry_run_asks_nothing_and_says_what_a_run_takes(home):
    with serving(knows) as server:
        base = ("chat", "tiny", "let_alone:scalar", "--base-url", server.url)
        out = run(*base, "--dry-run", "--price-in", "2", "--price-out", "8")
    assert not server.requests
    assert not Path("results").exists()
    assert "24 requests of 24" in out
    assert re.search(r"about [23],\d{3} prompt tokens", out)
    assert "about 48 reply tokens, 192 at most" in out
    assert "costs about 0.01, 0.01 at most" in out
    assert "Text: He can't carry the red trunk let alone the green trunk." in out


def test_the_cost_is_counted_from_the_servers_counts(home):
    with serving(knows) as server:
        arguments = ("chat", "tiny", "let_alone:scalar", "--base-url", server.url)
        done = subprocess.run(
            [*MINPAIRS, *arguments, "--price-in", "100", "--price-out", "1000"],
            capture_output=True,
            text=True,
            check=True,
        )
    assert "24 replies, 1,200 prompt tokens, 24 reply tokens, cost 0.1440" in done.stderr


def test_another_prompt_is_another_run(home):
    Path("mine.txt").write_text("{text} {formatted_choices} A or B?")
    with serving(always("A")) as server:
        base = ("chat", "tiny", "let_alone:scalar", "--base-url", server.url, "--limit", "1")
        run(*base)
        run(*base, "--prompt-file", "mine.txt")
    assert len(server.requests) == 16
    assert server.requests[-1].prompt.endswith("trunk. A or B?")
    assert len(list(Path("results").glob("chat-tiny-*"))) == 2


def test_a_question_without_an_answer_ends_with_an_error_after_the_report(home):
    def behave(request):
        first = "A. The green trunk beats the red trunk." in request.prompt
        return Response({"error": "broken"}, 500) if first else knows(request)

    with serving(behave) as server:
        base = ("chat", "tiny", "let_alone:scalar", "--base-url", server.url, "--retries", "0")
        out = run(*base, "--concurrency", "1", fails=True)
    assert "NOT COMPLETE: 1 items" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--body", "{"), "not JSON"),
        (("--body", "[]"), "not a JSON object"),
        (("--key-variable", "NO_SUCH_KEY"), "NO_SUCH_KEY"),
        (("--prompt-file", "none.txt"), "none.txt"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(home, arguments, message):
    with pytest.raises(MinpairsError, match=message):
        run("chat", "tiny", "let_alone:scalar", "--base-url", "http://127.0.0.1:9/v1", *arguments)
    assert not Path("results").exists()


def test_a_prompt_without_the_text_is_refused_in_a_dry_run_too(home):
    Path("mine.txt").write_text("{choices}")
    with pytest.raises(TemplateError, match="text"):
        run("chat", "tiny", "let_alone:scalar", "--base-url", "http://127.0.0.1:9/v1",
            "--prompt-file", "mine.txt", "--dry-run")  # fmt: skip


def test_the_key_is_nowhere_but_in_the_requests(home):
    """The server repeats it in replies, model name and errors; the run is verbose."""

    def behave(request):
        if request.number < 5:
            return said(f"key {KEY}", model=f"m {KEY}")
        if request.number == 5:
            return Response({"error": {"message": f"{KEY} is busy"}}, 429)
        return Response({"error": {"message": f"{KEY} is wrong"}}, 401)

    with serving(behave) as server:
        arguments = ("score", "chat:tiny", "let_alone:scalar", "--base-url", server.url)
        done = subprocess.run(
            [*MINPAIRS, "-v", *arguments, "--key-variable", "MY_KEY", "--concurrency", "1"],
            env={**os.environ, "MY_KEY": KEY, "HF_DEBUG": "1"},
            capture_output=True,
            check=False,
        )
    assert done.returncode == 2
    assert b"refused: status 401 (*** is wrong)" in b" ".join(done.stderr.split())
    assert all(r.headers["authorization"] == f"Bearer {KEY}" for r in server.requests)
    written = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert any(path.name == "answers.jsonl" and content for path, content in written.items())
    assert any(path.name == "run.json" for path in written)
    for content in (done.stdout, done.stderr, *written.values()):
        assert KEY.encode() not in content
