"""Both sets of a fine-tuning: where they are, as they were read, and in ids."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embeddings.models.classification import ClassificationConfig
from embeddings.models.heads import PretrainingNetwork
from embeddings.text.labelled import (
    LabelledTexts,
    TextIds,
    check_labels,
    read_labelled,
    text_ids,
)
from embeddings.text.wordpiece import WordPiece
from embeddings.training.classification import ClassificationTraining, LabelledIds


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
        number = {label: place for place, label in enumerate(self.config.labels)}
        return LabelledIds(ids.ids, np.array([number[label] for label in texts.labels]))


def read_data(
    files: LabelledFiles,
    wordpiece: WordPiece,
    base: PretrainingNetwork,
    config: ClassificationTraining,
) -> LabelledData:
    """Read the two sets, hold them to each other and cut them into ids."""
    sets = training, validation = read_labelled(files.training), read_labelled(files.validation)
    labels = check_labels(training, validation)
    longest = min(config.longest, base.config.max_position_embeddings)
    lower = not any(text != text.lower() for text in training.texts)
    made = ClassificationConfig(labels, files.names, config.pooling, longest, lower)
    first, second = (text_ids(wordpiece, texts.texts, longest, lower) for texts in sets)
    return LabelledData(made, training, validation, first, second)
