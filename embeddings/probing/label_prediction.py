"""A classifier asked: the label of a text and how probable it is; how many texts of a set it gets right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embeddings.corpora.labelled import LabelledTexts, text_ids
from embeddings.errors import CheckpointError
from embeddings.models.classifier import ClassificationNetwork, logits_of, open_classification
from embeddings.probing.network_with_tokenizer import Reader, open_reader
from embeddings.results.predictions import Confusion, Prediction
from embeddings.text.wordpiece import WordPiece, check_tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """A classifier (evaluation mode, float32) and its tokenizer; hashed by identity.

    ``reader``: its encoder as the other functions of this room take one.
    """

    name: str
    network: ClassificationNetwork
    reader: Reader

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in the order of the logits."""
        return self.network.config.labels

    @property
    def wordpiece(self) -> WordPiece:
        """The tokenizer of its BERT."""
        return self.reader.wordpiece


def open_classifier(folder: Path, bert: Path, name: str = "") -> Classifier:
    """Open a classifier's folder over that of its BERT.

    Raises
    ------
    MissingFileError, CheckpointError
        If a file is missing, changed since its card was written, or does not fit the others.
    """
    check_tokenizer(bert)
    reader = open_reader(bert, name or folder.name)
    network = open_classification(folder, reader.network)
    reader.network.encoder = network.encoder
    reader.network.tokens = reader.network.sentences = None  # they are of another encoder
    return Classifier(reader.name, network, reader)


def predict(classifier: Classifier, texts: Sequence[str]) -> tuple[Prediction, ...]:
    """Return label and probabilities of each text, in the order given.

    Raises
    ------
    InputError
        If a text is not UTF-8.
    """
    if not texts:
        return ()
    config = classifier.network.config
    read = text_ids(classifier.wordpiece, texts, config.longest, config.lower)
    shares = logits_of(classifier.network, read.ids).double().softmax(-1).numpy()
    return tuple(
        Prediction(
            text,
            config.labels[int(np.argmax(share))],
            dict(zip(config.labels, map(float, share), strict=True)),
            truncated,
        )
        for text, share, truncated in zip(texts, shares, read.truncated, strict=True)
    )


def evaluate(classifier: Classifier, texts: LabelledTexts) -> Confusion:
    """Return how many texts of each label the classifier gives which.

    Raises
    ------
    CheckpointError
        If the texts have a label that it does not know.
    """
    number = {label: row for row, label in enumerate(classifier.labels)}
    counts = np.zeros((len(number), len(number)), np.int64)
    for label in texts.counts:
        if label not in number:
            raise CheckpointError(
                "labelled_unknown",
                path=texts.path,
                label=label,
                training=classifier.name,
                choices=", ".join(number),
            )
    cut = 0
    for label, prediction in zip(texts.labels, predict(classifier, texts.texts), strict=True):
        counts[number[label], number[prediction.label]] += 1
        cut += prediction.truncated > 0
    return Confusion(classifier.labels, counts, cut)
