"""Training by transformers' Trainer: checkpoints, exact resumption, losses by the token.

One process or many (``accelerate launch``): the same commands, the same files.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import gather_object
from transformers import Trainer, TrainerCallback, TrainerState, TrainingArguments
from transformers.trainer_callback import PrinterCallback

from minpairs.errors import ModelError
from minpairs.files import write_durably
from minpairs.training.batches import IGNORED, Batch, ByLength, CodedSentences, Row
from minpairs.training.presets import TrainingSettings
from minpairs.training.run_folder import (
    CHECKPOINTS,
    LOG,
    PROCESSES,
    RECORD,
    Trained,
    last_loss,
    last_whole_checkpoint,
    perplexity,
    processes,
    remove_work,
)

# What a log says of the machine, or of how often the run was stopped (train_loss is a mean since it
# was last resumed), and not of the model.
_NOT_LOGGED = ("runtime", "per_second", "flos", "train_loss")

Collate = Callable[[Sequence[Row]], Batch]
# From a model's outputs, the labels, and the number of labels of the whole step, to its loss.
Loss = Callable[[Any, torch.Tensor, Any], torch.Tensor]


def train(
    model: Any,
    tokenizer: Any,
    sentences: CodedSentences,
    held_out: CodedSentences,
    folder: Path,
    settings: TrainingSettings,
    record: Mapping[str, Any],
    *,
    collate: Collate,
    card: Callable[[Trained], str],
    loss: Loss | None = None,
    remove: Sequence[Path] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Trained:
    """Trains a model, or goes on with a run that was stopped, and writes it to ``folder``.

    Args:
        model: a transformers model, initialised.
        tokenizer: written beside it.
        sentences: what it learns from.
        held_out: what its loss is watched on; may be empty.
        folder: where all goes; checkpoints are in a folder of their own below until it is done.
        settings: of the training.
        record: what makes this run this run: a run of another record is never taken up.
        collate: makes a batch of rows.
        card: writes ``README.md`` from what came of the training.
        loss: for models that do not count all labels of a step by themselves.
        remove: folders that are not needed any more once the model is written.
        progress: told of the steps done and to be done.

    Raises:
        ModelError: a setting does not fit.
    """
    trainer = _Trainer(
        model, tokenizer, sentences, held_out, _arguments(settings, folder, held_out), collate, loss
    )
    trainer.add_callback(_Report(progress))
    if trainer.is_world_process_zero():
        write_durably(folder / RECORD, _json({**record, PROCESSES: processes()}))
    checkpoint = last_whole_checkpoint(folder / CHECKPOINTS, processes())
    begun = time.monotonic()
    _go_on(trainer, checkpoint)
    speed = trainer.tokens * trainer.args.world_size / (time.monotonic() - begun) or None
    trainer.save_model(str(folder))
    log = kept_log(trainer.state.log_history)
    resumed = 0 if checkpoint is None else int(checkpoint.name.rpartition("-")[2])
    trained = Trained(folder, trainer.state.global_step, last_loss(log), resumed, speed)
    if trainer.is_world_process_zero():
        (folder / "training_args.bin").unlink(missing_ok=True)  # a pickle, which nobody needs
        write_durably(folder / "README.md", card(trained).encode())
        write_durably(folder / LOG, _json(log))  # the last file: with it the folder is whole
    trainer.accelerator.wait_for_everyone()
    if trainer.is_world_process_zero():
        remove_work(folder, *remove)
    return trained


def _go_on(trainer: Any, checkpoint: Path | None) -> None:
    """Trains from a checkpoint, if there is one, to the end."""
    if checkpoint is not None:
        state = TrainerState.load_from_json(str(checkpoint / "trainer_state.json"))
        if state.global_step >= state.max_steps:  # killed when it had only to write its model
            trainer._load_from_checkpoint(str(checkpoint))  # train() would take a step too many
            trainer.state = state
            trainer.log({})  # as train() does at its end
            return
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))


def kept_log(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of a Trainer's log, what depends on the training alone."""
    return [
        {
            key: value
            for key, value in sorted(entry.items())  # a resumed run has them in another order
            if not any(name in key for name in _NOT_LOGGED)
        }
        for entry in history
    ]


class _Trainer(Trainer):  # type: ignore[misc]
    """Its held-out loss is the mean over tokens, whatever the batches and the processes."""

    control: Any

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        sentences: CodedSentences,
        held_out: CodedSentences,
        arguments: TrainingArguments,
        collate: Collate,
        loss: Loss | None,
    ) -> None:
        self.tokens = 0
        self._collate = collate
        rows = arguments.per_device_train_batch_size * arguments.gradient_accumulation_steps
        self._order = ByLength(sentences.lengths, rows * arguments.world_size, arguments.seed)
        super().__init__(
            model=model,
            args=arguments,
            data_collator=self._counted,
            train_dataset=sentences,
            eval_dataset=held_out if len(held_out) else None,
            processing_class=tokenizer,
            compute_loss_func=loss,
            callbacks=[_Epochs(sentences, self._order), _LogWhenSaved()],
        )
        self.remove_callback(PrinterCallback)

    def _counted(self, rows: Sequence[Row]) -> Batch:
        self.tokens += sum(len(row["input_ids"]) for row in rows)
        return self._collate(rows)

    def _get_train_sampler(self, *_: Any) -> ByLength:
        return self._order

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        training = self.model.training
        self.model.eval()
        total, tokens = 0.0, 0
        size = self.args.per_device_eval_batch_size
        mine = range(self.args.process_index, len(self.eval_dataset), self.args.world_size)
        with torch.no_grad(), self.compute_loss_context_manager():
            for start in range(0, len(mine), size):
                rows = [self.eval_dataset[index] for index in mine[start : start + size]]
                inputs = self._prepare_inputs(self._collate(rows))
                asked = int((inputs["labels"] != IGNORED).sum())
                total += float(self.model(**inputs).loss) * asked
                tokens += asked
        self.model.train(training)
        loss = sum(gather_object([total])) / sum(gather_object([tokens]))
        metrics = {"eval_loss": loss, "eval_perplexity": perplexity(loss)}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, metrics
        )
        return metrics


class _Epochs(TrainerCallback):  # type: ignore[misc]
    """Tells rows and their order which epoch begins; accelerate does not in a resumed one."""

    def __init__(self, *things: Any) -> None:
        self.things = things

    def on_epoch_begin(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
        for thing in self.things:
            thing.epoch = int(state.epoch or 0)


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


def _arguments(
    settings: TrainingSettings, folder: Path, held_out: CodedSentences
) -> TrainingArguments:
    watched = len(held_out) > 0
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
            output_dir=str(folder / CHECKPOINTS),
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
            ddp_find_unused_parameters=False,  # there are none
            remove_unused_columns=False,
            prediction_loss_only=True,
            report_to="none",
            disable_tqdm=True,
        )
    except ValueError as error:
        raise ModelError(f"the training cannot be set up: {error}") from error


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()
