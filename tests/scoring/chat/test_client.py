"""The client against servers that misbehave: it tries again where that helps."""

from __future__ import annotations

import asyncio
import time

import pytest
from chat_servers import Response, always, in_turn, said, serving, top

from minpairs.errors import ModelError
from minpairs.scoring.chat import ChatClient, Key, NoAnswerError, Retries, check_url, find_key
from minpairs.scoring.chat.retries import retry_after

KEY = "sk-secret-4711"
FAST = Retries(limit=3, first=0.01)


def ask(url: str, *prompts: str, **options):
    async def run():
        options.setdefault("retries", FAST)
        options.setdefault("timeout", 5.0)
        async with ChatClient("tiny", url, options.pop("key", Key(None)), **options) as client:
            return [await client.ask(prompt) for prompt in prompts or ("A or B?",)]

    return asyncio.run(run())


def test_a_request_names_the_model_and_asks_for_a_short_certain_reply():
    with serving(always("A")) as server:
        ask(server.url)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.prompt == "A or B?"
    assert {name: request.body[name] for name in ("model", "temperature", "max_tokens")} == {
        "model": "tiny",
        "temperature": 0,
        "max_tokens": 8,
    }


def test_a_reply_is_read_with_its_counts():
    with serving(always(" B.")) as server:
        (reply,) = ask(server.url)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == (" B.", 50, 1)
    assert (reply.finish_reason, reply.model, reply.tries) == ("stop", "fake-1", 1)


@pytest.mark.parametrize(
    "trouble",
    [
        Response({"error": "slow down"}, 429),
        Response({"error": {"message": "oops"}}, 500),
        Response(b"<html>Bad gateway</html>", 502, {"content-type": "text/html"}),
        Response({"error": "busy"}, 503),
        Response(b'{"id": "1", "choi'),
        Response(b"\xff\xfe"),
        Response([1, 2]),
        Response({"choices": []}),
        Response({"choices": None}),
        Response({"choices": [{"message": None}]}),
        Response({"choices": [{"message": {"content": [1]}}]}),
        Response({"choices": "A"}),
        Response({"choices": ["A"]}),
        Response({}),
        Response(reset=True),
        Response([], 500),
    ],
    ids=lambda response: f"{response.status}-{str(response.body)[:24]}",
)
def test_a_failure_that_may_pass_is_tried_again(trouble):
    with serving(in_turn(trouble, said("B"))) as server:
        (reply,) = ask(server.url)
    assert (reply.text, reply.tries) == ("B", 2)


def test_a_timeout_is_tried_again():
    with serving(in_turn(Response({}, delay=6), said("B"))) as server:
        (reply,) = ask(server.url, timeout=2)  # long enough for a busy machine's answer
    assert (reply.text, reply.tries) == ("B", 2)


def test_an_answer_that_drips_in_for_ever_is_a_timeout():
    with serving(in_turn(Response({"id": "x" * 200}, trickle=0.15), said("B"))) as server:
        start = time.monotonic()
        (reply,) = ask(server.url, timeout=2)
        assert time.monotonic() - start < 25  # all of it takes half a minute
    assert (reply.text, reply.tries) == ("B", 2)


def test_a_server_that_is_not_there_is_no_answer():
    with serving(always("A")) as server:
        url = server.url
    with pytest.raises(NoAnswerError, match=r"gave no answer in 4 tries.*connection failed"):
        ask(url)


def test_trying_ends():
    with serving(always("A")) as server:
        server.behaviour = lambda request: Response({"error": "broken"}, 500)
        with pytest.raises(NoAnswerError, match=r"4 tries; the last one: status 500 \(broken\)"):
            ask(server.url)
    assert len(server.requests) == 4


def test_a_retry_after_is_waited_for():
    busy = Response({"error": "slow down"}, 429, {"retry-after": "1"})
    with serving(in_turn(busy, said("A"))) as server:
        start = time.monotonic()
        ask(server.url)
        assert time.monotonic() - start >= 1.0


def test_a_server_that_wants_to_rest_for_hours_is_not_waited_for():
    busy = Response({"error": "quota"}, 429, {"retry-after": "7200"})
    with serving(lambda request: busy) as server, pytest.raises(NoAnswerError, match="quota"):
        ask(server.url)
    assert len(server.requests) == 1


def test_all_requests_wait_while_a_server_is_busy(caplog):
    busy = Response({"error": "slow down"}, 429, {"retry-after": "1"})
    arrivals = []

    def behave(request):
        arrivals.append(time.monotonic())
        return busy if request.number == 0 else said("A")

    async def run(url):
        async with ChatClient("tiny", url, Key(None), retries=FAST) as client:
            first = asyncio.create_task(client.ask("first"))
            while not caplog.messages:  # until it has been told to wait
                await asyncio.sleep(0.01)
            await asyncio.gather(first, client.ask("second"))

    with serving(behave) as server:
        asyncio.run(run(server.url))
    assert all(arrival - arrivals[0] >= 1.0 for arrival in arrivals[1:])


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "--key-variable"), (404, "--base-url"), (400, "--body")]
)
def test_a_refusal_is_not_tried_again(status, hint):
    refusal = Response({"error": "no such thing"}, status)
    with (
        serving(lambda request: refusal) as server,
        pytest.raises(ModelError, match=rf"status {status} \(no such thing\).*{hint}"),
    ):
        ask(server.url, logprobs=False)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"error": "no such thing"},
        {"error": {"message": "no such thing", "code": 7}},
        {"detail": "no such thing"},
        b"no such thing",
    ],
)
def test_a_refusal_is_given_in_the_servers_words(body):
    refusal = Response(body, 400)
    with (
        serving(lambda request: refusal) as server,
        pytest.raises(ModelError, match=r"status 400 \(no such thing\)"),
    ):
        ask(server.url, logprobs=False)


def test_one_refused_question_does_not_speak_for_the_others():
    refusal = Response({"error": "filtered"}, 400)
    with (
        serving(in_turn(said("A"), refusal)) as server,
        pytest.raises(NoAnswerError, match="one question, but not others"),
    ):
        ask(server.url, "first", "second")
    assert len(server.requests) == 2


@pytest.mark.parametrize(("most", "tries"), [(20, 1), (5, 2), (0, 3)])
def test_fewer_alternatives_are_asked_for_where_the_server_allows_fewer(most, tries):
    def behave(request):
        if request.body.get("top_logprobs", 0) > most:
            return Response({"error": f"top_logprobs must be at most {most}"}, 400)
        return said("A")

    with serving(behave) as server:
        ask(server.url, "first", "second")
    assert [request.body.get("top_logprobs", 0) for request in server.requests] == [
        *(20, 5, 0)[:tries],
        most,
    ]


def test_log_probabilities_of_both_letters_are_read():
    with serving(lambda request: said("A", logprobs=top(A=-0.1, B=-2.5, C=-7.0))) as server:
        (reply,) = ask(server.url)
    assert reply.logprobs == (-0.1, -2.5)


def test_spellings_of_a_letter_are_added_and_an_unlisted_letter_is_bounded():
    logprobs = top(**{"A": -1.0, " A": -1.0, "The": -3.0})
    with serving(lambda request: said("A", logprobs=logprobs)) as server:
        (reply,) = ask(server.url)
    assert reply.logprobs == pytest.approx((-0.30685, -3.0), abs=1e-5)


@pytest.mark.parametrize("logprobs", [None, {"content": []}, {"content": None}, top(The=-0.1)])
def test_without_the_letters_there_are_no_log_probabilities(logprobs):
    with serving(lambda request: said("A", logprobs=logprobs)) as server:
        assert ask(server.url)[0].logprobs is None


def test_missing_usage_is_missing():
    with serving(lambda request: said("A", usage=None)) as server:
        (reply,) = ask(server.url)
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)


def test_a_reply_without_content_is_empty():
    with serving(always(None)) as server:
        assert ask(server.url)[0].text == ""


def test_fields_of_the_user_replace_ours_and_null_removes():
    with serving(always("A")) as server:
        ask(server.url, body={"max_tokens": None, "max_completion_tokens": 500, "seed": 7})
    body = server.requests[0].body
    assert "max_tokens" not in body
    assert (body["max_completion_tokens"], body["seed"], body["temperature"]) == (500, 7, 0)


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n"])
def test_what_minpairs_sets_itself_cannot_be_replaced(name):
    with pytest.raises(ModelError, match=name):
        ChatClient("tiny", "http://localhost", Key(None), body={name: 1})


def test_the_key_is_sent(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(always("A")) as server:
        ask(server.url, key=find_key(server.url, "MY_KEY"))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_no_stored_token_is_sent_to_a_server_that_was_given_none(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret4711")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(always("A")) as server:
        ask(server.url, key=find_key(server.url))
    assert "secret" not in repr(server.requests)


@pytest.mark.parametrize(
    ("url", "variable"),
    [
        ("https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("https://router.huggingface.co/v1", "HF_TOKEN"),
        ("https://x1.us-east-1.aws.endpoints.huggingface.cloud/v1", "HF_TOKEN"),
        ("https://api.openai.com.example.org/v1", None),
        ("https://notopenai.com/v1", None),
        ("http://localhost:8000/v1", None),
    ],
)
def test_each_server_gets_its_own_key(url, variable, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret4711")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert find_key(url).variable == variable


def test_a_missing_key_is_asked_for(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        find_key("https://api.openai.com/v1")


def test_a_key_is_not_printed():
    assert KEY not in repr(Key("MY_KEY", KEY))


@pytest.mark.parametrize(
    "behaviour",
    [
        lambda request: Response({"error": f"wrong key {KEY}"}, 401),
        lambda request: Response({"error": f"key {KEY} is over its limit"}, 429),
        lambda request: Response(f'{{"{KEY}'.encode()),
    ],
)
def test_a_key_that_the_server_repeats_is_not_in_the_error(behaviour):
    with serving(behaviour) as server, pytest.raises(ModelError) as caught:
        ask(server.url, key=Key("MY_KEY", KEY))
    chain = [caught.value, caught.value.__cause__]
    assert KEY not in repr(chain)
    assert caught.value.__suppress_context__


def test_a_key_that_the_server_repeats_is_not_in_the_reply():
    with serving(always(f"Your key is {KEY}")) as server:
        (reply,) = ask(server.url, key=Key("MY_KEY", KEY))
    assert reply.text == "Your key is ***"


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@host/v1",
        "https://host/v1?key=secret",
        "https://host/v1#secret",
        "host/v1",
        "ftp://host",
        "http://[::1",
    ],
)
def test_an_address_that_holds_secrets_or_is_none_is_refused(url):
    with pytest.raises(ModelError, match="--base-url") as caught:
        check_url(url)
    assert "secret" not in str(caught.value)


def test_offline_mode_is_explained(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.is_offline_mode", lambda: True)
    with serving(always("A")) as server, pytest.raises(ModelError, match="HF_HUB_OFFLINE"):
        ask(server.url)


def test_waits_grow_with_jitter_up_to_a_limit():
    retries = Retries(limit=9, first=1.0, longest=10.0)
    for tries, mean in ((1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (9, 10)):
        waits = [retries.pause(tries) for _ in range(50)]
        assert all(mean * 0.5 <= wait <= mean * 1.5 for wait in waits)
        assert len(set(waits)) > 1
    assert retries.pause(10) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)
def test_a_retry_after_is_seconds_or_a_date(value, seconds):
    assert retry_after(value) == seconds
