"""``minpairs chat``: forced choices of a chat model behind an OpenAI-compatible server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from minpairs.cli._shared import (
    AcceptableOption,
    GroupOption,
    Ties,
    UnacceptableOption,
    console,
    progress,
    quiet_libraries,
)
from minpairs.cli.report import print_report
from minpairs.errors import ModelError

if TYPE_CHECKING:
    from minpairs.scoring.chat import Estimate, Prices, Usage


def chat(
    model: Annotated[str, typer.Argument(help="The server's name for the model; chat:NAME too.")],
    suites: Annotated[
        list[str],
        typer.Argument(
            help="What to ask about: as for minpairs score (let_alone:scalar, climp, pairs.csv)."
        ),
    ],
    base_url: Annotated[
        str, typer.Option(help="Address of the server, such as http://localhost:8000/v1.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for results.")] = Path("results"),
    prompt_file: Annotated[
        Path | None,
        typer.Option(
            help="A prompt of your own, with {text}, {choices} (or {a} and {b}), {construction}."
        ),
    ] = None,
    control: Annotated[
        bool,
        typer.Option(
            help="Also ask about an interaction's control ('and'), which shows how often the "
            "choice follows from the follow-ups alone."
        ),
    ] = True,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask about a random sample of so many items a suite.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of that sample.")] = 0,
    concurrency: Annotated[
        int, typer.Option(min=1, max=1000, help="Most requests under way at any time.")
    ] = 8,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one request.")] = 60.0,
    retries: Annotated[
        int,
        typer.Option(
            min=0,
            help="How often to ask again after a timeout, a broken connection, a damaged answer, "
            "or status 429 or 5xx; the waits grow, and a server's Retry-After is kept.",
        ),
    ] = 6,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most tokens of a reply.")] = 8,
    logprobs: Annotated[
        bool,
        typer.Option(help="Ask for log-probabilities of the letters, where the server has them."),
    ] = True,
    body: Annotated[
        str,
        typer.Option(
            help="More fields of each request, as JSON; null leaves out one of ours: "
            '\'{"max_tokens": null, "max_completion_tokens": 500, "temperature": null}\'.'
        ),
    ] = "{}",
    key_variable: Annotated[
        str | None,
        typer.Option(
            help="Environment variable that holds the key. By default OPENAI_API_KEY is sent to "
            "openai.com, HF_TOKEN to Hugging Face, and nothing to other servers."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only say how many requests it takes, and show a prompt."),
    ] = False,
    price_in: Annotated[
        float, typer.Option(min=0, help="Price of a million prompt tokens, for costs.")
    ] = 0.0,
    price_out: Annotated[
        float, typer.Option(min=0, help="Price of a million reply tokens, for costs.")
    ] = 0.0,
    acceptable: AcceptableOption = "sentence_good",
    unacceptable: UnacceptableOption = "sentence_bad",
    group: GroupOption = None,
) -> None:
    """Asks a chat model which of two choices fits, A or B, and prints how often it is right.

    Each pair of choices is put twice, with A and B exchanged. A reply must be the letter and
    nothing else, save white space around it and one period or ) after it; any other is counted as
    unreadable and is not right. Answers are kept as they arrive: run the same command again to go
    on with a run that was stopped. Nothing is asked twice. The same command is
    `minpairs score chat:MODEL SUITES --base-url URL`.
    """
    from minpairs.benchmarks.specs import load_specs
    from minpairs.files import write_durably
    from minpairs.results import run_folder, write_run
    from minpairs.scoring.chat import (
        AnswerStore,
        ChatClient,
        Prices,
        Retries,
        ask_all,
        check_url,
        default_prompts,
        estimate,
        find_key,
        prompts_for,
        questions,
        read_prompt,
    )

    quiet_libraries()
    name = model.removeprefix("chat:")
    address = check_url(base_url)
    prompt = read_prompt(prompt_file) if prompt_file else None
    prompts = (prompt,) if prompt else default_prompts()
    fields = _fields(body)
    loaded = [
        suite.sample(limit, seed)
        for suite in load_specs(
            suites, acceptable=acceptable, unacceptable=unacceptable, group=group
        )
    ]
    asked = [question for suite in loaded for question in questions(suite, control=control)]
    settings = {
        "kind": "chat",
        "base_url": address,
        "prompt": "+".join(f"{each.name}@{each.hash}" for each in prompts),
        "request": json.dumps({"max_tokens": max_tokens, "temperature": 0, **fields}),
    }
    folder = run_folder(out, f"chat:{name}", settings)
    store = AnswerStore(folder / "answers.jsonl")
    prices = Prices(price_in, price_out)
    if dry_run:
        open_ = {q.key: q for q in asked if store.get(q.key) is None}
        texts = prompts_for(list(open_.values()), prompt)
        _print_plan(estimate(texts, max_tokens), prices, texts, len({q.key for q in asked}))
        return
    key = find_key(address, key_variable)
    console.print(
        f"{name} at {address}, "
        + (f"with the key in {key.variable}" if key.variable else "without a key"),
        markup=False,
    )
    client = ChatClient(
        name,
        address,
        key,
        body=fields,
        max_tokens=max_tokens,
        timeout=timeout,
        retries=Retries(limit=retries),
        logprobs=logprobs,
    )
    write_run(
        folder,
        f"chat:{name}",
        settings,
        loaded,
        sys.argv,
        {"limit": limit, "seed": seed, "control": control},
    )
    for each in prompts:
        write_durably(folder / "prompts" / f"{each.name}.txt", each.template.encode())
    with progress() as bars:
        advance = bars("asking")
        done = ask_all(
            asked, client, store, prompt=prompt, concurrency=concurrency, progress=advance
        )
    console.print(f"results are in {folder}", markup=False)
    print_report(folder, "sum", Ties.strict)
    _print_usage(done.usage, prices)
    if done.failures:
        console.print(
            f"{len(done.failures)} of {done.distinct} questions have no answer; the first: "
            f"{done.failures[0]}. Run the same command again to go on.",
            markup=False,
        )
        raise typer.Exit(1)


def _fields(body: str) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError as error:
        raise ModelError(f"--body {body!r} is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise ModelError(f"--body {body!r} is not a JSON object, such as {{}}")
    return fields


def _print_plan(plan: Estimate, prices: Prices, texts: list[str], distinct: int) -> None:
    """To standard output: what a run would do."""
    print(f"{plan.requests:,} requests of {distinct:,}; the others have their answers")
    print(f"about {plan.prompt_tokens:,} prompt tokens (by the length of the prompts)")
    print(f"about {plan.completion_tokens:,} reply tokens, {plan.most_completion_tokens:,} at most")
    least = prices.cost(plan.prompt_tokens, plan.completion_tokens)
    if least:
        most = prices.cost(plan.prompt_tokens, plan.most_completion_tokens)
        print(f"costs about {least:,.2f}, {most:,.2f} at most")
    if texts:
        print(f"\nThe first prompt:\n\n{texts[0]}")


def _print_usage(usage: Usage, prices: Prices) -> None:
    cost = prices.cost(usage.prompt_tokens, usage.completion_tokens)
    console.print(
        f"{usage.replies:,} replies, {usage.prompt_tokens:,} prompt tokens, "
        f"{usage.completion_tokens:,} reply tokens"
        + (f", {usage.uncounted:,} replies without counts" if usage.uncounted else "")
        + (f", cost {cost:,.4f}" if cost else ""),
        markup=False,
    )
