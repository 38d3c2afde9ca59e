"""A whole fine-tuning, from two files of labelled sentences to a classifier's folder.

The folder holds the weights that differ from BERT's. They are scored on the validation set as they are opened again, and the card
has that score.

Before that the network may train on masked tokens of the same sentences, and so learns the language of its task; the labels are not
looked at, and the validation set is not read (Gururangan et al. 2020, "Don't Stop Pretraining", section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from embeddings.configuration import setting, setting_like, to_json
from embeddings.corpora.labelled import (
    LabelledTexts,
    TextIds,
    check_labels,
    overlap,
    read_labelled,
    text_ids,
)
from embeddings.errors import CheckpointError
from embeddings.files import CARD, CONFIG, WEIGHTS, atomic_folder, check_replaceable, sha256
from embeddings.networks.bert import PretrainingNetwork, new_network
from embeddings.networks.classifier import (
    DOMAIN,
    ClassificationConfig,
    ClassificationNetwork,
    batch_of,
    freeze,
    logits_of,
    new_classifier,
    open_classification,
    save_classifier,
)
from embeddings.networks.huggingface_folder import open_network, write_card
from embeddings.pretraining.masking import mask_tokens
from embeddings.pretraining.packing import SpecialIds
from embeddings.results import Confusion
from embeddings.runtime import Machine, Runtime, choose_runtime
from embeddings.text.tokenizer import Tokenizer, check_tokenizer
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.classification.fine_tuning_task import (
    BEST,
    ClassificationTask,
    ClassificationTraining,
    LabelledIds,
    plan_pass,
)
from embeddings.training.loop import train
from embeddings.training.loop_config import LoopConfig
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.tasks import EpochTask, Finished, Limits
from embeddings.vectors.formats.card import build_card


@dataclass(frozen=True, slots=True)
class LabelledFiles:
    """Where the sentences are, the language that they are in, and the BERT to start from.

    ``names``: what pages call the labels, in their order; () leaves them as they are.
    ``random``: start from random weights of the same sizes instead, for a comparison.
    """

    bert: Path
    training: Path
    validation: Path
    language: str = ""
    names: tuple[str, ...] = ()
    random: bool = False


@dataclass(frozen=True, slots=True)
class TrainedClassifier:
    """What a training leaves.

    Attributes
    ----------
    folder : Path
        The classifier, with the best weights; ``confusion`` is that of the folder as it is opened again.
    finished : Finished
        How the loop ended.
    confusion : Confusion
        On the validation set, which was used to choose the weights.
    last_accuracy : float
        Of the weights at the end of the training, chosen by nothing.
    parameters, stored : int
        Of the whole network, and those that the folder holds.
    overlap, truncated : int
        Validation sentences that training has too; sentences of both sets that were cut.
    """

    folder: Path
    finished: Finished
    confusion: Confusion
    last_accuracy: float
    parameters: int
    stored: int
    overlap: int
    truncated: int


def train_classifier(  # noqa: PLR0913 - what a run consists of
    files: LabelledFiles,
    output: Path,
    config: ClassificationTraining,
    limits: Limits,
    *,
    run: Path | None = None,
    machine: Machine | None = None,
    command: str = "",
) -> TrainedClassifier:
    """Fine-tune a network on labelled sentences, or resume what ``run`` holds.

    Parameters
    ----------
    output : Path
        Folder of the classifier.
    run : Path, optional
        Folder of curves and checkpoints; by default ``output`` with ``.run`` behind its name.
    machine : Machine, optional
        Device and number format; by default what is there.

    Raises
    ------
    FormatError
        If a file is not of labelled sentences, training has one label only, or validation an unknown one;
        if ``output`` holds more than a classifier, which writing would delete.
    MissingFileError, CheckpointError
        If the network cannot be opened, or has no tokenizer.
    TrainingError
        If the loss is not finite.
    """
    run = run or output.with_name(f"{output.name}.run")
    check_replaceable(output, WEIGHTS, (CARD, CONFIG, WEIGHTS, DOMAIN))
    runtime = choose_runtime(machine)
    check_tokenizer(files.bert)
    base, wordpiece = open_network(files.bert), Tokenizer.load(files.bert)
    data = read_data(files, wordpiece, base, config)
    per_pass = ceil(len(data.training) / config.batch_size)
    every = ceil(per_pass / config.evaluations)
    steps = every * ceil(config.epochs * per_pass / every)
    config = replace(config, steps=steps, evaluate_every=every)
    sums = {"training": sha256(files.training), "validation": sha256(files.validation)}
    bert = {"name": files.bert.name, "sha256": sha256(files.bert / WEIGHTS)}
    decisive = {
        "network": to_json(data.config),
        "training": to_json(config),
        "files": sums,
        "bert": bert["sha256"],
        "random": files.random,
    }
    folder = TrainingFolder(run, decisive)
    start, finished = base, Finished(0, True, {})
    if files.random:
        start = new_network(base.config, config.seed)
    elif config.adapt_epochs:
        start = deepcopy(base)  # which the classifier's folder is compared with
    if config.adapt_epochs:
        ids = data.training_ids.ids
        special = SpecialIds.of(wordpiece)
        finished = _adapt(start, ids, config, run, special, runtime, limits)
    network = new_classifier(start, data.config, config.seed, config.dropout)
    freeze(network, config.freeze_table, config.freeze_layers)
    network.to(runtime.device)
    task = ClassificationTask(
        *(data.numbered("training"), data.numbered("validation"), config, runtime.device),
        wordpiece.mask_id,
        run / BEST,
    )
    if finished.complete:
        finished = train(network, task, config, folder, runtime, limits)
    last = finished.scores.get("heldout_accuracy", task.best.get("heldout_accuracy", 0.0))
    if not task.best:  # stopped before the first validation
        task.evaluate(network)
    task.recall(network)
    card = build_card(
        _Named("", files.language, "random" if files.random else "fine-tuned"),
        corpus={
            "name": files.training.name,
            "sentences": len(data.training),
            "labels": data.training.counts,
            "files": {getattr(files, name).name: checksum for name, checksum in sums.items()},
        },
        settings=to_json(config),
        command=command,
        kind="classifier",
    )
    card |= {"bert": bert, "steps": finished.step, "complete": finished.complete}
    confusion, stored = export_classifier(network, output, data, card, base)
    return TrainedClassifier(
        output,
        finished,
        confusion,
        last,
        parameters=sum(weight.numel() for weight in network.parameters()),
        stored=stored,
        overlap=overlap(data.training, data.validation),
        truncated=sum(map(bool, (*data.training_ids.truncated, *data.validation_ids.truncated))),
    )


def _adapt(  # noqa: PLR0913
    network: PretrainingNetwork,
    ids: Sequence[Sequence[int]],
    config: ClassificationTraining,
    run: Path,
    special: SpecialIds,
    runtime: Runtime,
    limits: Limits,
) -> Finished:
    """Train ``network`` on masked tokens of the sentences first."""
    if network.tokens is None:
        raise CheckpointError("fill_no_head", name=run.name)
    batches = ceil(len(ids) / AdaptationConfig().batch_size)
    adaptation = AdaptationConfig(
        steps=batches * config.adapt_epochs,
        learning_rate=config.adapt_rate,
        seed=config.seed,
        log_every=config.log_every,
        evaluate_every=0,
    )
    network.encoder.inputs.tokens.requires_grad_(not config.freeze_table)
    network.to(runtime.device)
    task = AdaptationTask(ids, adaptation, runtime.device, special, network.config.vocab_size)
    return train(
        network,
        task,
        adaptation,
        TrainingFolder(run / "adaptation", to_json(adaptation)),
        runtime,
        limits,
    )


@dataclass(frozen=True, slots=True)
class LabelledData:
    """Both sets as they were read, and in ids."""

    config: ClassificationConfig
    training: LabelledTexts
    validation: LabelledTexts
    training_ids: TextIds
    validation_ids: TextIds

    def numbered(self, which: str) -> LabelledIds:
        """Return one of the sets with its labels as numbers."""
        texts: LabelledTexts = getattr(self, which)
        ids: TextIds = getattr(self, f"{which}_ids")
        number = {label: index for index, label in enumerate(self.config.labels)}
        return LabelledIds(ids.ids, np.array([number[label] for label in texts.labels]))


def read_data(
    files: LabelledFiles,
    wordpiece: Tokenizer,
    base: PretrainingNetwork,
    config: ClassificationTraining,
) -> LabelledData:
    """Read the two sets, hold them to each other and cut them into ids."""
    sets = training, validation = read_labelled(files.training), read_labelled(files.validation)
    labels = check_labels(training, validation)
    longest = min(config.longest, base.config.max_position_embeddings)
    lower = not any(text != text.lower() for text in training.texts)
    classification = ClassificationConfig(labels, files.names, config.pooling, longest, lower)
    first, second = (text_ids(wordpiece, texts.texts, longest, lower) for texts in sets)
    return LabelledData(classification, training, validation, first, second)


def confusion_of(
    network: ClassificationNetwork, ids: TextIds, labels: NDArray[np.int64]
) -> Confusion:
    """Return how many texts of each label a classifier gives which."""
    size = len(network.config.labels)
    predicted = logits_of(network, ids.ids).argmax(-1).numpy()
    counts = np.bincount(labels * size + predicted, minlength=size * size).reshape(size, size)
    return Confusion(network.config.labels, counts)


def export_classifier(
    network: ClassificationNetwork,
    output: Path,
    data: LabelledData,
    about: Mapping[str, object],
    base: PretrainingNetwork,
) -> tuple[Confusion, int]:
    """Write the folder; return the confusion of what was written, opened again, and how many weights it holds."""
    with atomic_folder(output) as temporary:
        stored = save_classifier(network, temporary, base)
        opened = open_classification(temporary, base)
        held = data.numbered("validation")
        confusion = confusion_of(opened, data.validation_ids, held.labels)
        score = {
            "accuracy": confusion.accuracy,
            "covered": confusion.total,
            "total": confusion.total,
            "confusion": confusion.counts.tolist(),
        }
        write_card(temporary, {**about, "scores": {data.validation.path.name: score}})
    return confusion, stored


@dataclass(slots=True)
class _Named:
    """What a card asks a model for."""

    name: str
    language: str
    method: str


@dataclass(frozen=True, slots=True)
class AdaptationConfig(LoopConfig):
    """Settings of the epochs over masked sentences."""

    learning_rate: float = setting_like(LoopConfig, "learning_rate", 5e-4)
    batch_size: int = setting(64, "Batch size, in sentences.", 1, 1_000_000)
    mlm_probability: float = setting_like(PretrainingConfig, "mlm_probability")


class AdaptationTask(EpochTask[AdaptationConfig]):
    """The task: epoch after epoch over the sentences, other tokens masked each time."""

    names = ("mlm_loss", "mlm_accuracy")

    def __init__(
        self,
        ids: Sequence[Sequence[int]],
        config: AdaptationConfig,
        device: torch.device,
        special: SpecialIds,
        vocab_size: int,
    ) -> None:
        self.ids, self.device = ids, device
        self.special, self.vocab_size = special, vocab_size
        self.no_text = frozenset(special.ordered)
        self.lengths = [len(text) for text in ids]
        super().__init__(config)

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Mean cross entropy of the masked tokens of the next batch, nats."""
        assert isinstance(network, PretrainingNetwork)
        assert network.tokens is not None
        chosen = [self.ids[i] for i in self.next_rows()]
        self.tokens += sum(map(len, chosen))
        ids, real = batch_of(chosen, self.special.pad, self.device)
        generator = torch.Generator().manual_seed(self.config.step_seed(step))
        masked = mask_tokens(
            ids,
            torch.arange(len(chosen), device=self.device)[:, None].expand(ids.shape),
            np.array([sum(token not in self.no_text for token in text) for text in chosen]),
            torch.rand((3, *ids.shape), generator=generator).to(self.device),
            rate=self.config.mlm_probability,
            special=self.special,
            vocab_size=self.vocab_size,
        )
        states = network.encoder(masked.input_ids, None, real, keep=masked.scored).last
        scored = network.tokens.loss(states, masked.targets)
        count = torch.tensor(float(max(1, len(masked.targets))), device=self.device)
        return scored.loss / count, torch.stack([scored.loss.detach(), scored.right, count, count])

    def evaluate(self, network: nn.Module) -> dict[str, float]:  # noqa: ARG002
        """Nothing is held out: the validation set is for the labels."""
        return {}

    def plan(self, epoch: int) -> list[list[int]]:
        """Return the rows of each batch of an epoch, texts of like lengths together."""
        return plan_pass(self.lengths, self.config.batch_size, (self.config.seed, epoch))
