"""A whole fine-tuning, from two files of labelled sentences to a classifier's folder."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from embeddings.configuration import to_json
from embeddings.errors import CheckpointError
from embeddings.files import check_replaceable, sha256
from embeddings.models.classification import freeze, new_classifier
from embeddings.models.folders import CARD, SETTINGS, WEIGHTS, open_network
from embeddings.models.heads import PretrainingNetwork, new_network
from embeddings.pretraining.packing import SpecialIds
from embeddings.results.classification import Confusion
from embeddings.runtime import Runtime, choose_runtime
from embeddings.text.labelled import overlap
from embeddings.text.wordpiece import WordPiece, check_tokenizer
from embeddings.training.adaptation import AdaptationConfig, AdaptationTask
from embeddings.training.checkpoints import RunFolder
from embeddings.training.classification import BEST, ClassificationTask, ClassificationTraining
from embeddings.training.classification_data import LabelledData, LabelledFiles, read_data
from embeddings.training.classification_export import card_of, export
from embeddings.training.loop import train
from embeddings.training.tasks import Finished, Limits, renamed

__all__ = ["LabelledFiles", "TrainedClassifier", "train_classifier"]


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
        If a file is not of labelled sentences, training has one label only, or validation an unknown one;
        if ``output`` holds more than a classifier, which writing would delete.
    MissingFileError, CheckpointError
        If the network cannot be opened, or has no tokenizer.
    TrainingError
        If the loss is not finite.
    """
    run = run or output.with_name(f"{output.name}.run")
    check_replaceable(output, WEIGHTS, (CARD, SETTINGS, WEIGHTS))
    runtime, limits = choose_runtime(*machine), renamed(limits, "train")
    check_tokenizer(files.bert)
    base, wordpiece = open_network(files.bert), WordPiece.load(files.bert)
    data = read_data(files, wordpiece, base, config)
    per_pass = ceil(len(data.training) / config.batch_size)
    every = ceil(per_pass / config.evaluations)
    steps = every * ceil(config.epochs * per_pass / every)
    config = replace(config, steps=steps, evaluate_every=every)
    folder = RunFolder(run, _settings(files, data, config))
    start, finished = _start(files, base, config), Finished(0, True, {})
    if config.adapt_epochs:
        ids = data.training_ids.ids
        finished = _adapt(start, ids, config, run, (runtime, limits, SpecialIds.of(wordpiece)))
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
    card = card_of(files, data, config, finished, command)
    confusion, stored = export(network, output, (data, card), base)
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


def _start(
    files: LabelledFiles, base: PretrainingNetwork, config: ClassificationTraining
) -> PretrainingNetwork:
    """Return the network to start from; ``base`` itself is left as it is."""
    if files.random:
        return new_network(base.config, config.seed)
    return deepcopy(base) if config.adapt_epochs else base


def _adapt(
    network: PretrainingNetwork,
    ids: Sequence[Sequence[int]],
    config: ClassificationTraining,
    run: Path,
    room: tuple[Runtime, Limits, SpecialIds],
) -> Finished:
    """Train ``network`` on the masked words of the sentences first."""
    if network.tokens is None:
        raise CheckpointError("fill_no_head", name=run.name)
    runtime, limits, special = room
    batches = ceil(len(ids) / AdaptationConfig().batch_size)
    own = AdaptationConfig(
        steps=batches * config.adapt_epochs,
        learning_rate=config.adapt_rate,
        seed=config.seed,
        log_every=config.log_every,
        evaluate_every=0,
    )
    network.encoder.inputs.tokens.requires_grad_(not config.freeze_table)
    network.to(runtime.device)
    task = AdaptationTask(ids, own, runtime.device, special, network.config.vocab_size)
    return train(network, task, own, RunFolder(run / "adaptation", to_json(own)), runtime, limits)


def _settings(
    files: LabelledFiles, data: LabelledData, config: ClassificationTraining
) -> dict[str, object]:
    """What decides the weights."""
    return {
        "network": to_json(data.config),
        "training": to_json(config),
        "files": {"training": sha256(files.training), "validation": sha256(files.validation)},
        "bert": sha256(files.bert / WEIGHTS),
        "random": files.random,
    }
