"""Model cards: what a trained model says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from minpairs._version import __version__
from minpairs.training.presets import CausalSettings, MaskedSettings, TrainingSettings
from minpairs.training.run_folder import Trained

_SCENARIOS = "corpus."  # configs of this name are what `minpairs filter` left of a corpus


def front_matter(task: str, *tags: str) -> str:
    """The Hub's metadata."""
    return (
        f"---\nlibrary_name: transformers\npipeline_tag: {task}\n"
        f"tags: [{', '.join(('minpairs', *tags))}]\n---"
    )


def outcome(trained: Trained) -> str:
    """How long a model was trained, and how well it did."""
    took = f"{trained.steps:,} steps"
    if trained.held_out_loss is None:
        return f"{took}; nothing was held out, so the loss was not watched."
    return (
        f"{took}; held-out loss {trained.held_out_loss:.4f} nats a token, "
        f"perplexity {trained.perplexity:.2f}."
    )


def settings_table(settings: TrainingSettings) -> str:
    """All settings, one a line."""
    rows = [f"| {name} | {value} |" for name, value in asdict(settings).items()]
    return "\n".join(["| setting | value |", "|---|---|", *rows])


def scenario_of(corpus: str) -> str | None:
    """The filter scenario that the name of a corpus states: ``FOLDER:corpus.no_let``."""
    _, _, config = corpus.rpartition(":")
    return config.removeprefix(_SCENARIOS) if config.startswith(_SCENARIOS) else None


def transformer_card(
    settings: CausalSettings | MaskedSettings,
    counts: Mapping[str, int],
    parameters: int,
    corpus: str,
    scenario: str | None,
    trained: Trained,
) -> str:
    """The card of a causal or masked model.

    Args:
        settings: of the model and its training.
        counts: of the corpus, as ``prepare`` gives them.
        parameters: weights of the model.
        corpus: its name.
        scenario: what was filtered out of it; by default what its name says.
        trained: what came of it.
    """
    if isinstance(settings, CausalSettings):
        head = front_matter("text-generation", "opt")
        kind, beginning = "OPT", "Each sentence begins with `<s>`, which scoring puts before texts"
    else:
        head = front_matter("fill-mask", "bert")
        kind, beginning = "BERT", "Each sentence stands between `[CLS]` and `[SEP]`"
    cut = ""
    if counts["cut"]:
        cut = f" {counts['cut']:,} sentences were longer than {settings.positions} tokens, and cut."
    filtered = scenario or scenario_of(corpus) or "none stated"
    return f"""{head}
# {kind} language model

Trained with minpairs {__version__} from random weights on {corpus}:
{counts["sentences"]:,} sentences of {counts["tokens"]:,} tokens; {counts["held_out"]:,} more
sentences held out.{cut} Filter scenario: {filtered}. Seed: {settings.seed}.

{outcome(trained)}

{parameters:,} parameters; {counts["vocabulary"]:,} tokens in the vocabulary, trained on the same
text. {beginning}. No sentence reads another.

Score it with `minpairs score`; token counts of the text it learned from are in `unigrams.parquet`,
for SLOR.

{settings_table(settings)}
"""
