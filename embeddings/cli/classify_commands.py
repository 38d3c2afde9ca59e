"""``klyuch classify``: fine-tune a network to tell sentences apart, ask it, score it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from rich.table import Table

from embeddings.cli.arguments import CARD_LANGUAGE
from embeddings.cli.nouns import verb, with_flags
from embeddings.cli.output import attribution_table, counted, emit, grid, progress_bar
from embeddings.errors import InputError
from embeddings.results.display import plain
from embeddings.results.sentence_answers import Confusion
from embeddings.runtime import Machine
from embeddings.shelf import find
from embeddings.shelf.loading import load_classifier
from embeddings.training.classification.fine_tuning_run import (
    LabelledFiles,
    TrainedClassifier,
    train_classifier,
)
from embeddings.training.classification.fine_tuning_task import ClassificationTraining
from embeddings.training.tasks import Limits


@verb("classify", "train")
@with_flags(Machine, skip=("compile",), name="machine")
@with_flags(ClassificationTraining, skip=("steps", "evaluate_every"))
def train(
    *,
    config: ClassificationTraining,
    machine: Machine,
    model: str,
    training: Path,
    validation: Path,
    output: Path,
    run: Path | None = None,
    language: str = CARD_LANGUAGE,
    names: str = "",
    random: bool = False,
    minutes: float = 0.0,
    as_json: bool = False,
) -> None:
    """Fine-tune a network on labelled sentences; the weights that are best on validation are kept."""
    entry = find(model)
    if entry.kind != "network":
        raise InputError("model_not_network", name=entry.name, kind=entry.kind)
    called = tuple(name.strip() for name in names.split(",")) if names else ()
    files = LabelledFiles(entry.path, training, validation, language, called, random)
    with progress_bar(as_json) as report:
        result = train_classifier(
            files,
            output,
            config,
            Limits(minutes, report=report),
            run=run,
            machine=machine,
            command=shlex.join(["klyuch", *sys.argv[1:]]),
        )
    if result.overlap:
        print(
            f"Warning: {result.overlap} of the {counted(result.confusion.total, 'validation sentence')} "
            f"{'is' if result.overlap == 1 else 'are'} in the training file too: the accuracy says less of new "
            "sentences.",
            file=sys.stderr,
        )
    emit(_summary(result), as_json, lambda: _table(result.confusion))
    if not as_json:
        print(_sentence(result))


@verb("classify", "predict")
def predict(file: Path | None = None, *, model: str, as_json: bool = False) -> None:
    """Print the label of each line; of an empty line an empty one."""
    from embeddings.cli.translate_commands import standard_input
    from embeddings.corpora.labelled import read_lines
    from embeddings.probing.label_prediction import predict as run

    classifier = load_classifier(model)
    lines = read_lines(file) if file is not None else standard_input()
    predictions = iter(run(classifier, [line for line in lines if line]))
    for number, line in enumerate(lines, 1):
        if not line:
            print("{}" if as_json else "")
            continue
        prediction = next(predictions)
        print(json.dumps(plain(prediction), ensure_ascii=False) if as_json else prediction.label)
        if prediction.truncated:
            print(
                f"Line {number}: its end was not read: {counted(prediction.truncated, 'token')}.",
                file=sys.stderr,
            )


@verb("classify", "attribute")
def attribute(text: str, *, model: str, label: str = "", as_json: bool = False) -> None:
    """Print which words of a sentence moved the answer, in nats of the label's log-odds.

    Two methods: integrated gradients, which add up to the log-odds together with the baseline (all words masked) and the residual; and
    occlusion (each word masked alone). Next to them is the share of the last layer's attention.
    """
    from embeddings.probing.attribution import attribute as run

    answer = run(load_classifier(model), text, label)
    emit(
        answer,
        as_json,
        lambda: attribution_table(
            answer.words,
            answer.baseline,
            answer.residual,
            (f"log-odds of {answer.label}", answer.log_odds),
        ),
    )


@verb("classify", "evaluate")
def evaluate(file: Path, *, model: str, as_json: bool = False) -> None:
    """Score a classifier on labelled sentences: accuracy and the confusion matrix."""
    from embeddings.corpora.labelled import read_labelled
    from embeddings.probing.label_prediction import evaluate as run

    texts = read_labelled(file)
    confusion = run(load_classifier(model), texts)
    emit({"accuracy": confusion.accuracy, **plain(confusion)}, as_json, lambda: _table(confusion))
    if not as_json:
        print(f"accuracy {confusion.accuracy:.4f}, {confusion.right} of {confusion.total}")
    if confusion.truncated:
        print(
            f"Of {confusion.truncated} of the {counted(confusion.total, 'sentence')} the end was not read, for its length.",
            file=sys.stderr,
        )


@verb("classify", "calibrate")
def calibrate(
    file: Path, *, model: str, training: Path | None = None, as_json: bool = False
) -> None:
    """Fit a temperature to held-out sentences, so that 90 % means right in 9 of 10, and note it on the classifier's card.

    The temperature is fitted on every second sentence, the expected calibration error measured on the others.
    """
    from embeddings.corpora.labelled import read_labelled
    from embeddings.probing.label_prediction import calibrate_classifier, domain_of
    from embeddings.shelf.calibrating import record_calibration

    entry, held_out = find(model), read_labelled(file)
    classifier = load_classifier(model)
    calibration = calibrate_classifier(classifier, held_out)
    domain = None
    if training is not None:
        domain = domain_of(classifier, read_labelled(training).texts, held_out.texts)
    record_calibration(entry, calibration, file.name, domain)
    emit(
        calibration,
        as_json,
        lambda: (
            f"{entry.name}: temperature {calibration.temperature:.3f}; expected calibration error "
            f"{calibration.error:.4f}, {calibration.error_before:.4f} without it, "
            f"on {counted(calibration.measured, 'sentence')}"
        ),
    )


def _table(confusion: Confusion) -> Table:
    """Draw the confusion table: a row each label, a column each answer."""
    rows: list[tuple[object, ...]] = [
        (label, *map(int, row))
        for label, row in zip(confusion.labels, confusion.counts, strict=True)
    ]
    return grid("label", *(f"called {label}" for label in confusion.labels), rows=rows)


def _summary(result: TrainedClassifier) -> dict[str, object]:
    """What ``--json`` prints."""
    return {
        "model": str(result.folder),
        "steps": result.finished.step,
        "complete": result.finished.complete,
        "accuracy": result.confusion.accuracy,
        "last_accuracy": result.last_accuracy,
        "confusion": plain(result.confusion),
        "parameters": result.parameters,
        "stored": result.stored,
        "overlap": result.overlap,
        "truncated": result.truncated,
    }


def _sentence(result: TrainedClassifier) -> str:
    """What a person reads below the table."""
    end = "complete" if result.finished.complete else "stopped; the same command goes on"
    cut = f" Cut: {counted(result.truncated, 'sentence')}." if result.truncated else ""
    return (
        f"{result.folder}: {counted(result.finished.step, 'step')}, {end}; accuracy {result.confusion.accuracy:.4f} on "
        f"validation, by which its weights were chosen.{cut}\n"
        f"To put it on the shelf: klyuch models import {result.folder}"
    )
