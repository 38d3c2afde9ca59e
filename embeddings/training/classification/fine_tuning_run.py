"""A whole fine-tuning, from two files of labelled sentences to a classifier's folder.

The folder holds the weights that differ from BERT's. They are scored on the validation set as they are opened again, and the card
has that score.

A batch holds texts of like lengths, so that little of it is padding; batches come in random order. After each part of an epoch the
validation set is scored; the weights with the best accuracy (of equals, the lowest loss) are kept in the run's folder, and after
`patience` scores without a better one the training ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn

from embeddings.configuration import setting, setting_like, to_json
from embeddings.corpora.labelled import (
    LabelledTexts,
    check_labels,
    overlap,
    read_labelled,
    text_ids,
)
from embeddings.files import CONFIG, WEIGHTS, atomic_file, atomic_folder, check_replaceable, sha256
from embeddings.model_card import CARD, write_card
from embeddings.networks import classifier
from embeddings.networks.bert import PretrainingNetwork, new_network
from embeddings.networks.huggingface_folder import open_network, read_weights
from embeddings.results import Confusion
from embeddings.runtime import Machine, choose_runtime
from embeddings.text.tokenizer import Tokenizer, check_tokenizer
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.loop import Loop
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer
from embeddings.training.tasks import EpochTask, Finished, Limits, run_card

BEST = "best.safetensors"


def plan_pass(lengths: Sequence[int], size: int, seed: Sequence[int]) -> list[list[int]]:
    """Return the rows of each batch of ``size`` texts, decided by the seed alone.

    Examples
    --------
    >>> sorted(plan_pass([3, 9, 3, 9], 2, (1, 0)))[0] in ([0, 2], [2, 0])
    True
    """
    generator = np.random.default_rng(list(seed))
    order = generator.permutation(len(lengths))
    order = order[np.argsort(np.asarray(lengths)[order], kind="stable")]
    parts = [order[start : start + size].tolist() for start in range(0, len(order), size)]
    return [parts[i] for i in generator.permutation(len(parts))]


class ClassificationTraining(LoopConfig):
    """Settings of a fine-tuning; its steps follow from the epochs."""

    learning_rate: float = setting_like(LoopConfig, "learning_rate", 2e-4)
    warmup: float = setting_like(LoopConfig, "warmup", 0.1)
    epochs: int = setting(3, "Epochs over the sentences, at most.", 1, 10_000)
    batch_size: int = setting(32, "Batch size, in sentences.", 1, 1_000_000)
    evaluations: int = setting(2, "Validations in each epoch.", 1, 1_000)
    patience: int = setting(
        4, "Early stopping: validations without improvement; 0: never.", 0, 10**9
    )
    pooling: str = setting(
        "mean", "mean of the states, or cls: [CLS] through the pooler.", choices=classifier.POOLINGS
    )
    dropout: float = setting(0.1, "Dropout of blocks and of the pooled state.", 0.0, 0.9)
    freeze_table: bool = setting(False, "Freeze the token embedding matrix: a smaller classifier.")
    longest: int = setting(128, "Longest text in tokens, at most the network's.", 3, 1_000_000)


@dataclass(frozen=True, slots=True)
class LabelledIds:
    """``ids[i]``, special tokens included, has the label of number ``labels[i]``; ``truncated`` texts were cut."""

    ids: Sequence[Sequence[int]]
    labels: NDArray[np.int64]
    truncated: int = 0

    @classmethod
    def of(
        cls, texts: LabelledTexts, wordpiece: Tokenizer, config: classifier.ClassificationConfig
    ) -> LabelledIds:
        """Cut texts into ids as a classifier reads them."""
        cut = text_ids(wordpiece, texts.texts, config.longest, config.lower)
        number = {label: index for index, label in enumerate(config.labels)}
        labels = np.array([number[label] for label in texts.labels])
        return cls(cut.ids, labels, sum(map(bool, cut.truncated)))


class ClassificationTask(EpochTask[ClassificationTraining]):
    """The task: epoch after epoch over the texts, each in another order.

    Parameters
    ----------
    best : Path
        File of the best weights.
    """

    names = ("loss", "accuracy")

    def __init__(
        self,
        training: LabelledIds,
        validation: LabelledIds,
        config: ClassificationTraining,
        device: torch.device,
        best: Path,
    ) -> None:
        self.training, self.validation = training, validation
        self.device, self.path = device, best
        self.best: dict[str, float] = {}
        self.waiting = 0
        super().__init__(config)

    @property
    def enough(self) -> bool:
        """Whether so many validations brought nothing better that the training can stop."""
        return 0 < self.config.patience <= self.waiting

    def optimizer(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return the optimiser that the settings name; rows of the table, each of which is seen in few batches, do not decay."""
        assert isinstance(network, classifier.ClassificationNetwork)
        table = network.encoder.inputs.tokens.weight
        return make_optimizer(network, self.config, [table])

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Mean cross entropy of the next batch, nats, and how many are right."""
        rows = self.next_rows()
        chosen = [self.training.ids[i] for i in rows]
        self.tokens += sum(map(len, chosen))
        ids, real = classifier.batch_of(chosen, 0, self.device)
        targets = torch.from_numpy(self.training.labels[rows]).to(self.device)
        logits = network(ids, real).float()
        loss = F.cross_entropy(logits, targets)
        right = (logits.detach().argmax(-1) == targets).sum().float()
        count = torch.tensor(float(len(rows)), device=self.device)
        return loss, torch.stack([loss.detach() * count, right, count, count])

    def evaluate(self, network: nn.Module) -> dict[str, float]:
        """Loss and accuracy on the validation set; keeps the weights if they are the best so far."""
        assert isinstance(network, classifier.ClassificationNetwork)
        logits = classifier.logits_of(network, self.validation.ids)
        targets = torch.from_numpy(self.validation.labels)
        scores = {
            "heldout_loss": float(F.cross_entropy(logits, targets)),
            "heldout_accuracy": float((logits.argmax(-1) == targets).float().mean()),
        }
        if not self.best or _order(scores) > _order(self.best):
            self.best, self.waiting = scores, 0
            state = {
                name: weight.detach().cpu().clone()
                for name, weight in network.named_parameters()
                if weight.requires_grad
            }
            with atomic_file(self.path) as temporary:
                save_file(state, str(temporary))
        else:
            self.waiting += 1
        return scores

    def recall(self, network: classifier.ClassificationNetwork) -> None:
        """Put the best weights back."""
        parameters = dict(network.named_parameters())
        with torch.no_grad():
            for name, weight in read_weights(self.path).items():
                parameters[name].copy_(weight)

    def state(self) -> dict[str, object]:
        """Return the position in the data, and the best so far."""
        return {**super().state(), "waiting": self.waiting, "best": self.best}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a checkpoint's position."""
        super().restore(state)
        self.waiting = int(str(state["waiting"]))
        best = state["best"]
        assert isinstance(best, dict)
        self.best = {str(name): float(value) for name, value in best.items()}

    def plan(self, epoch: int) -> list[list[int]]:
        """Return the rows of each batch of an epoch, texts of like lengths together."""
        lengths = [len(ids) for ids in self.training.ids]
        return plan_pass(lengths, self.config.batch_size, (self.config.seed, epoch))


def _order(scores: Mapping[str, float]) -> tuple[float, float]:
    """What the best is the best by."""
    return scores["heldout_accuracy"], -scores["heldout_loss"]


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
    check_replaceable(output, WEIGHTS, (CARD, CONFIG, WEIGHTS, classifier.DOMAIN))
    runtime = choose_runtime(machine)
    check_tokenizer(files.bert)
    base, wordpiece = open_network(files.bert), Tokenizer.load(files.bert)
    texts = training, validation = read_labelled(files.training), read_labelled(files.validation)
    longest = min(config.longest, base.config.max_position_embeddings)
    lower = not any(text != text.lower() for text in training.texts)
    kind = classifier.ClassificationConfig(
        check_labels(*texts), files.names, config.pooling, longest, lower
    )
    learned, scored = (LabelledIds.of(each, wordpiece, kind) for each in texts)
    per_pass = ceil(len(training) / config.batch_size)
    every = ceil(per_pass / config.evaluations)
    steps = every * ceil(config.epochs * per_pass / every)
    config = replace(config, steps=steps, evaluate_every=every)
    sums = {"training": sha256(files.training), "validation": sha256(files.validation)}
    bert = {"name": files.bert.name, "sha256": sha256(files.bert / WEIGHTS)}
    decisive = {
        "network": to_json(kind),
        "training": to_json(config),
        "files": sums,
        "bert": bert["sha256"],
        "random": files.random,
    }
    folder = TrainingFolder(run, decisive)
    start = new_network(base.config, config.seed) if files.random else base
    network = classifier.new_classifier(start, kind, config.seed, config.dropout)
    classifier.freeze(network, table=config.freeze_table)
    network.to(runtime.device)
    task = ClassificationTask(learned, scored, config, runtime.device, run / BEST)
    finished = Loop(network, task, folder, runtime, limits).train()
    last = finished.scores.get("heldout_accuracy", task.best.get("heldout_accuracy", 0.0))
    if not task.best:  # stopped before the first validation
        task.evaluate(network)
    task.recall(network)
    card = run_card(
        "classifier",
        "random" if files.random else "fine-tuned",
        to_json(config),
        finished,
        language=files.language,
        corpus={
            "name": files.training.name,
            "sentences": len(training),
            "labels": training.counts,
            "files": {getattr(files, name).name: checksum for name, checksum in sums.items()},
        },
        command=command,
        bert=bert,
    )
    confusion, stored = _export(network, output, scored, validation.path.name, card, base)
    return TrainedClassifier(
        output,
        finished,
        confusion,
        last,
        parameters=sum(weight.numel() for weight in network.parameters()),
        stored=stored,
        overlap=overlap(training, validation),
        truncated=learned.truncated + scored.truncated,
    )


def _export(
    network: classifier.ClassificationNetwork,
    output: Path,
    validation: LabelledIds,
    name: str,
    about: Mapping[str, object],
    base: PretrainingNetwork,
) -> tuple[Confusion, int]:
    """Write the folder; return the confusion of what was written, opened again, and how many weights it holds."""
    labels = network.config.labels
    size = len(labels)
    with atomic_folder(output) as temporary:
        stored = classifier.save_classifier(network, temporary, base)
        opened = classifier.open_classification(temporary, base)
        predicted = classifier.logits_of(opened, validation.ids).argmax(-1).numpy()
        cells = np.bincount(validation.labels * size + predicted, minlength=size * size)
        confusion = Confusion(labels, cells.reshape(size, size))
        score = {
            "accuracy": confusion.accuracy,
            "covered": confusion.total,
            "total": confusion.total,
            "confusion": confusion.counts.tolist(),
        }
        write_card(temporary, {**about, "scores": {name: score}})
    return confusion, stored
