"""What a fine-tuning leaves: the weights that differ, scored as they are opened again, and a card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.configuration import to_json
from embeddings.files import sha256, whole_folder
from embeddings.models.classification import (
    ClassificationConfig,
    ClassificationNetwork,
    logits_of,
    new_classifier,
)
from embeddings.models.classification_folders import open_classification, save_classifier
from embeddings.models.folders import WEIGHTS, write_card
from embeddings.models.heads import PretrainingNetwork
from embeddings.results.classification import Confusion
from embeddings.text.labelled import TextIds
from embeddings.training.classification import ClassificationTraining
from embeddings.training.classification_data import LabelledData, LabelledFiles
from embeddings.training.tasks import Finished
from embeddings.vectors.formats.card import build_card


def confusion_of(
    network: ClassificationNetwork, ids: TextIds, labels: NDArray[np.int64]
) -> Confusion:
    """Return how many texts of each label a classifier gives which."""
    size = len(network.config.labels)
    found = logits_of(network, ids.ids).argmax(-1).numpy()
    counts = np.bincount(labels * size + found, minlength=size * size).reshape(size, size)
    return Confusion(network.config.labels, counts)


def changed(
    network: ClassificationNetwork, base: PretrainingNetwork, config: ClassificationConfig
) -> list[str]:
    """Return the weights that are not those of ``base``; the linear map on top is never one of them."""
    before = dict(new_classifier(base, config).named_parameters())
    return [
        name
        for name, weight in network.named_parameters()
        if name.startswith("output.") or not torch.equal(weight.detach().cpu(), before[name])
    ]


def export(
    network: ClassificationNetwork,
    output: Path,
    card: tuple[LabelledData, Mapping[str, object]],
    base: PretrainingNetwork,
) -> tuple[Confusion, int]:
    """Write the folder; return the confusion of what was written, opened again, and how many weights it holds."""
    data, about = card
    with whole_folder(output) as temporary:
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


def card_of(
    files: LabelledFiles,
    data: LabelledData,
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
