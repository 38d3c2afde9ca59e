"""A whole fine-tuning, from two files of labelled sentences to a classifier's folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import to_json
from embeddings.files import check_replaceable, sha256, whole_folder
from embeddings.models.classification import (
    ClassificationConfig,
    ClassificationNetwork,
    freeze,
    logits_of,
    new_classifier,
)
from embeddings.models.classification_folders import (
    check_tokenizer,
    open_classification,
    save_classifier,
)
from embeddings.models.folders import WEIGHTS, open_network, write_card
from embeddings.models.heads import PretrainingNetwork, new_network
from embeddings.results.classification import Confusion
from embeddings.runtime import choose_runtime
from embeddings.text.labelled import (
    LabelledTexts,
    TextIds,
    check_labels,
    overlap,
    read_labelled,
    text_ids,
)
from embeddings.text.wordpiece import WordPiece
from embeddings.training.checkpoints import RunFolder
from embeddings.training.classification import (
    BEST,
    ClassificationTask,
    ClassificationTraining,
    LabelledIds,
)
from embeddings.training.loop import train
from embeddings.training.tasks import Finished, Limits, renamed
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


@dataclass(frozen=True, slots=True)
class _Data:
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
        number = {label: place for place, label in enumerate(self.config.labels)}
        return LabelledIds(ids.ids, np.array([number[label] for label in texts.labels]))


def train_classifier(  # noqa: PLR0913 - what a run consists of
    files: LabelledFiles,
    output: Path,
    config: ClassificationTraining,
    limits: Limits,
    *,
    run: Path | None = None,
    machine: tuple[str, str] = ("auto", "auto"),
    command: str = "",
) -> TrainedClassifier:
    """Fine-tune a network on labelled sentences, or go on with what ``run`` holds.

    Parameters
    ----------
    output : Path
        Folder of the classifier.
    run : Path, optional
        Folder of curves and checkpoints; by default ``output`` with ``.run`` behind its name.
    machine : tuple of str
        Device and number format, as `embeddings.runtime.choose_runtime` takes them.

    Raises
    ------
    FormatError
        If a file is not of labelled sentences, training has one label only, or validation an unknown one.
    MissingFileError, CheckpointError
        If the network cannot be opened, or has no tokenizer.
    TrainingError
        If the loss is not finite.
    """
    run = run or output.with_name(f"{output.name}.run")
    check_replaceable(output, WEIGHTS)
    check_tokenizer(files.bert)
    training, validation = read_labelled(files.training), read_labelled(files.validation)
    base, wordpiece = open_network(files.bert), WordPiece.load(files.bert)
    data = _read(files, (training, validation), wordpiece, base, config)
    per_pass = ceil(len(training) / config.batch_size)
    every = ceil(per_pass / config.evaluations)
    steps = every * ceil(config.epochs * per_pass / every)
    config = replace(config, steps=steps, evaluate_every=every)
    settings = _settings(files, data, config)
    folder = RunFolder(run, settings)
    start = new_network(base.config, config.seed) if files.random else base
    network = new_classifier(start, data.config, config.seed, config.dropout)
    freeze(network, config.freeze_table, config.freeze_layers)
    runtime = choose_runtime(*machine)
    network.to(runtime.device)
    task = ClassificationTask(
        *(data.numbered("training"), data.numbered("validation"), config, runtime.device),
        wordpiece.mask_id,
        run / BEST,
    )
    finished = train(network, task, config, folder, runtime, renamed(limits, "train"))
    last = finished.scores.get("heldout_accuracy", task.best.get("heldout_accuracy", 0.0))
    if not task.best:  # stopped before the first validation
        task.evaluate(network)
    task.recall(network)
    names = [n for n, p in network.named_parameters() if p.requires_grad or files.random]
    card = _card(files, data, config, finished, command)
    confusion = _export(network, names, output, card, (base, data))
    return TrainedClassifier(
        output,
        finished,
        confusion,
        last,
        parameters=sum(p.numel() for p in network.parameters()),
        stored=sum(p.numel() for n, p in network.named_parameters() if n in set(names)),
        overlap=overlap(training, validation),
        truncated=sum(map(bool, (*data.training_ids.truncated, *data.validation_ids.truncated))),
    )


def confusion_of(
    network: ClassificationNetwork, ids: TextIds, labels: NDArray[np.int64]
) -> Confusion:
    """Return how many texts of each label a classifier gives which."""
    size = len(network.config.labels)
    found = logits_of(network, ids.ids).argmax(-1).numpy()
    counts = np.bincount(labels * size + found, minlength=size * size).reshape(size, size)
    return Confusion(network.config.labels, counts)


def _read(
    files: LabelledFiles,
    sets: tuple[LabelledTexts, LabelledTexts],
    wordpiece: WordPiece,
    base: PretrainingNetwork,
    config: ClassificationTraining,
) -> _Data:
    """Hold the two sets to each other and cut them into ids."""
    training, validation = sets
    labels = check_labels(training, validation)
    longest = min(config.longest, base.config.max_position_embeddings)
    lower = not any(text != text.lower() for text in training.texts)
    made = ClassificationConfig(labels, files.names, config.pooling, longest, lower)
    first, second = (text_ids(wordpiece, texts.texts, longest, lower) for texts in sets)
    return _Data(made, training, validation, first, second)


def _export(
    network: ClassificationNetwork,
    names: list[str],
    output: Path,
    card: Mapping[str, object],
    against: tuple[PretrainingNetwork, _Data],
) -> Confusion:
    """Write the folder; the scores on its card are those of what was written, opened again."""
    base, data = against
    with whole_folder(output) as temporary:
        save_classifier(network, temporary, names)
        opened = open_classification(temporary, base)
        held = data.numbered("validation")
        confusion = confusion_of(opened, data.validation_ids, held.labels)
        score = {
            "accuracy": confusion.accuracy,
            "covered": confusion.total,
            "total": confusion.total,
            "confusion": confusion.counts.tolist(),
        }
        write_card(temporary, {**card, "scores": {data.validation.path.name: score}})
    return confusion


def _settings(
    files: LabelledFiles, data: _Data, config: ClassificationTraining
) -> dict[str, object]:
    """What decides the weights."""
    return {
        "network": to_json(data.config),
        "training": to_json(config),
        "files": {"training": sha256(files.training), "validation": sha256(files.validation)},
        "bert": sha256(files.bert / WEIGHTS),
        "random": files.random,
    }


@dataclass(slots=True)
class _Named:
    """What a card asks a model for."""

    name: str
    language: str
    method: str


def _card(
    files: LabelledFiles,
    data: _Data,
    config: ClassificationTraining,
    finished: Finished,
    command: str,
) -> dict[str, object]:
    """Where the weights come from."""
    corpus = {
        "name": files.training.name,
        "sentences": len(data.training),
        "labels": data.training.counts,
        "files": {path.name: sha256(path) for path in (files.training, files.validation)},
    }
    method = "random" if files.random else "fine-tuned"
    card = build_card(
        _Named("", files.language, method),
        corpus=corpus,
        settings=to_json(config),
        command=command,
        kind="classifier",
    )
    bert = {"name": files.bert.name, "sha256": sha256(files.bert / WEIGHTS)}
    return {**card, "bert": bert, "steps": finished.step, "complete": finished.complete}
