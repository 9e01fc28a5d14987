"""Training by transformers' Trainer: checkpoints, exact resumption, losses by the token.

One process or many (``accelerate launch``): the same commands, the same files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate.utils import gather_object
from numpy.typing import NDArray
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_callback import PrinterCallback

from minpairs.errors import ModelError
from minpairs.files import write_durably
from minpairs.training.presets import TrainingSettings

RECORD, LOG = "training.json", "training_log.json"
_CHECKPOINTS = "checkpoints"
_IGNORED = -100
# What a log says of the machine, not of the model: it would differ from run to run.
_TIMES = ("runtime", "per_second", "flos")


class CodedSentences(Dataset[dict[str, NDArray[np.int32]]]):
    """Sentences end to end in one array, and where each begins."""

    def __init__(self, ids: NDArray[np.int32], bounds: Sequence[tuple[int, int]]) -> None:
        self.ids = ids
        self.bounds = bounds

    def __len__(self) -> int:
        return len(self.bounds)

    def __getitem__(self, index: int) -> dict[str, NDArray[np.int32]]:
        start, end = self.bounds[index]
        return {"input_ids": self.ids[start:end]}


def pad(rows: Sequence[Mapping[str, NDArray[np.int32]]], padding: int) -> dict[str, torch.Tensor]:
    """A batch for a causal model: padded on the right; what opens a sentence has no loss."""
    lengths = torch.tensor([len(row["input_ids"]) for row in rows])
    width = int(lengths.max())
    ids = torch.full((len(rows), width), padding, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row["input_ids"])] = torch.from_numpy(row["input_ids"].astype(np.int64))
    mask = torch.arange(width)[None] < lengths[:, None]
    labels = ids.masked_fill(~mask, _IGNORED)
    labels[:, 0] = _IGNORED
    return {"input_ids": ids, "attention_mask": mask.long(), "labels": labels}


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of it.

    Attributes:
        folder: the model, its tokenizer, and what was done.
        steps: optimizer steps taken.
        held_out_loss: nats a token on held-out sentences, or ``None`` without any.
        resumed_from: the step a stopped run was taken up at; 0 for a run in one go.
    """

    folder: Path
    steps: int
    held_out_loss: float | None
    resumed_from: int


def finished(folder: Path, record: Mapping[str, Any]) -> Trained | None:
    """The model that a folder holds already, or ``None``.

    Raises:
        ModelError: the folder belongs to a run of other settings or another corpus.
    """
    path = folder / RECORD
    if not path.is_file():
        return None
    there = json.loads(path.read_text(encoding="utf-8"))
    if there != json.loads(json.dumps(record)):
        differing = sorted(key for key in {*there, *record} if there.get(key) != record.get(key))
        raise ModelError(
            f"{folder} holds another run ({', '.join(differing)} differ): choose another --out, "
            "or delete it"
        )
    if not (folder / LOG).is_file():
        return None
    log = json.loads((folder / LOG).read_text(encoding="utf-8"))
    return Trained(folder, log[-1]["step"], _last_loss(log), 0)


def train(
    model: Any,
    tokenizer: Any,
    sentences: CodedSentences,
    held_out: CodedSentences,
    folder: Path,
    settings: TrainingSettings,
    record: Mapping[str, Any],
    progress: Callable[[int, int], None] | None = None,
) -> Trained:
    """Trains a model, or goes on with a run that was stopped, and writes it to ``folder``.

    Args:
        model: a transformers causal model, initialised.
        tokenizer: written beside it; its padding token fills up batches.
        sentences: what it learns from.
        held_out: what its loss is watched on; may be empty.
        folder: where all goes; checkpoints are in a folder of their own below.
        settings: of the training.
        record: what makes this run this run: a run of another record is never taken up.
        progress: told of the steps done and to be done.

    Raises:
        ModelError: a setting does not fit.
    """
    arguments = _arguments(settings, folder / _CHECKPOINTS, watched=len(held_out) > 0)
    padding = tokenizer.pad_token_id
    trainer = _Trainer(
        model=model,
        args=arguments,
        data_collator=lambda rows: pad(rows, padding),
        train_dataset=sentences,
        eval_dataset=held_out if len(held_out) else None,
        processing_class=tokenizer,
        callbacks=[_LogWhenSaved(), _Report(progress)],
    )
    trainer.remove_callback(PrinterCallback)
    if trainer.is_world_process_zero():
        write_durably(folder / RECORD, _json(record))
    checkpoint = last_whole_checkpoint(folder / _CHECKPOINTS)
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    trainer.save_model(str(folder))
    log = [
        {key: value for key, value in entry.items() if not any(time in key for time in _TIMES)}
        for entry in trainer.state.log_history
    ]
    if trainer.is_world_process_zero():
        (folder / "training_args.bin").unlink(missing_ok=True)  # a pickle, which nobody needs
        write_durably(folder / LOG, _json(log))
    resumed = 0 if checkpoint is None else int(checkpoint.name.rpartition("-")[2])
    return Trained(folder, trainer.state.global_step, _last_loss(log), resumed)


def last_whole_checkpoint(folder: Path) -> Path | None:
    """The last checkpoint that was written to its end, or ``None``."""
    whole = [
        path
        for path in folder.glob("checkpoint-*")
        # Written last, so that a run killed before leaves none, or half of one.
        if _is_json(path / "trainer_state.json")
    ]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


class _Trainer(Trainer):  # type: ignore[misc]
    """Its held-out loss is the mean over tokens, whatever the batches and the processes."""

    control: Any

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        training = self.model.training
        self.model.eval()
        total, tokens = 0.0, 0
        size = self.args.per_device_eval_batch_size
        mine = range(self.args.process_index, len(self.eval_dataset), self.args.world_size)
        with torch.no_grad(), self.compute_loss_context_manager():
            for start in range(0, len(mine), size):
                rows = [self.eval_dataset[index] for index in mine[start : start + size]]
                inputs = self._prepare_inputs(self.data_collator(rows))
                asked = int((inputs["labels"] != _IGNORED).sum())
                total += float(self.model(**inputs).loss) * asked
                tokens += asked
        self.model.train(training)
        loss = sum(gather_object([total])) / sum(gather_object([tokens]))
        metrics = {"eval_loss": loss, "eval_perplexity": math.exp(min(loss, 700.0))}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, metrics
        )
        return metrics


class _LogWhenSaved(TrainerCallback):  # type: ignore[misc]
    """Logged losses are means since the last log: one that spans a checkpoint could not resume."""

    def on_step_end(self, _args: Any, _state: Any, control: Any, **_: Any) -> Any:
        control.should_log = control.should_log or control.should_save
        return control

    on_epoch_end = on_step_end


class _Report(TrainerCallback):  # type: ignore[misc]
    def __init__(self, progress: Callable[[int, int], None] | None) -> None:
        self.progress = progress

    def on_step_end(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
        if self.progress is not None and state.is_world_process_zero:
            self.progress(state.global_step, state.max_steps)


def _arguments(settings: TrainingSettings, folder: Path, *, watched: bool) -> TrainingArguments:
    plateau = settings.schedule == "reduce_lr_on_plateau"
    if plateau and not watched:
        raise ModelError(
            "the schedule reduce_lr_on_plateau watches held-out sentences: hold some out, "
            "or choose another schedule"
        )
    every = settings.checkpoint_every
    strategy = "epoch" if every is None else "steps"
    cuda = torch.cuda.is_available()
    bf16 = settings.precision == "bfloat16" or (
        settings.precision == "auto" and cuda and torch.cuda.is_bf16_supported()
    )
    try:
        return TrainingArguments(
            output_dir=str(folder),
            per_device_train_batch_size=settings.batch_size,
            per_device_eval_batch_size=settings.batch_size,
            gradient_accumulation_steps=settings.accumulation,
            num_train_epochs=settings.epochs,
            max_steps=settings.max_steps,
            optim=settings.optimizer,
            learning_rate=settings.learning_rate,
            weight_decay=settings.weight_decay,
            max_grad_norm=settings.clip,
            lr_scheduler_type=settings.schedule,
            lr_scheduler_kwargs={"factor": 0.25, "patience": 0} if plateau else None,
            warmup_steps=settings.warmup_steps,
            metric_for_best_model="eval_loss" if watched else None,
            eval_strategy=strategy if watched else "no",
            eval_steps=every,
            save_strategy=strategy,
            save_steps=every or 500,
            save_total_limit=2,
            logging_steps=settings.log_every,
            bf16=bf16,
            # Otherwise several processes without an accelerator would each train alone.
            use_cpu=not torch.accelerator.is_available(),
            seed=settings.seed,
            dataloader_pin_memory=cuda,
            remove_unused_columns=False,
            prediction_loss_only=True,
            report_to="none",
            disable_tqdm=True,
        )
    except ValueError as error:
        raise ModelError(f"the training cannot be set up: {error}") from error


def _last_loss(log: Sequence[Mapping[str, Any]]) -> float | None:
    losses = [entry["eval_loss"] for entry in log if "eval_loss" in entry]
    return losses[-1] if losses else None


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()
