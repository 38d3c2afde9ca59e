"""A classifier asked: the label of a text and how probable it is; how many texts of a set it gets right.

Also how far a text lies from those that it was trained on: the pooled states of the training texts have a mean and a covariance (shrunk,
Ledoit and Wolf 2004); the distance of a text is the Mahalanobis distance of its state (Lee et al. 2018, "A simple unified framework for
detecting out-of-distribution samples", with one Gaussian for all labels), in units of the distance that 90 % of held-out texts of the same
kind stay below. Above 1 a text lies at or beyond their edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from embeddings.analysis.calibration import COLDEST, HOTTEST, calibrate, probabilities
from embeddings.analysis.context_answers import Calibration
from embeddings.arrays import Float32s, Float64s, Int64s
from embeddings.corpora.labelled import LabelledTexts, TextIds, text_ids
from embeddings.errors import CheckpointError, wrong_shape
from embeddings.files import atomic_file
from embeddings.model_card import CARD, load_card
from embeddings.networks.classifier import (
    DOMAIN,
    ClassificationNetwork,
    open_classification,
    states_and_logits,
)
from embeddings.networks.huggingface_folder import read_weights
from embeddings.optional import optional
from embeddings.probing.network import Network, open_reader
from embeddings.probing.sentence_answers import Prediction
from embeddings.results import Confusion, Rows, Value
from embeddings.runtime import one_thread
from embeddings.text.tokenizer import Tokenizer, Tokens, check_tokenizer
from embeddings.verbs import ClassifierVerbs


class Classifier(ClassifierVerbs, Value, eq=False):
    """A classifier (evaluation mode, float32) and its tokenizer; questions are methods (`ClassifierVerbs`); hashed by identity.

    ``reader``: its encoder as the other functions of this package take one; ``temperature``: what its logits are divided by, 1 where it
    was not calibrated; ``domain``: where the texts that it was trained on lie, None where that is not known.
    """

    name: str
    network: ClassificationNetwork
    reader: Network
    temperature: float = 1.0
    domain: TextDomain | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in the order of the logits."""
        return self.network.config.labels

    @property
    def wordpiece(self) -> Tokenizer:
        """The tokenizer of its BERT."""
        return self.reader.wordpiece

    def encode(self, text: str) -> Tokens:
        """Return the tokens of a text, lower-cased where the classifier reads it so."""
        return self.wordpiece.encode(text.lower() if self.network.config.lower else text)

    def as_read(self, text: str) -> str:
        """Return a text whose characters offsets of tokens count in: its own, unless lower case has more or fewer."""
        lowered = text.lower() if self.network.config.lower else text
        return text if len(text) == len(lowered) else lowered


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
    domain = read_domain(folder, network.encoder.config.hidden_size)
    return Classifier(reader.name, network, reader, _temperature(folder), domain)


def _temperature(folder: Path) -> float:
    """Return the temperature on a card, 1 where there is none that makes sense."""
    card = load_card(folder) if (folder / CARD).exists() else {}
    recorded = card.get("calibration")
    value = recorded.get("temperature") if isinstance(recorded, dict) else None
    is_sound = isinstance(value, int | float) and COLDEST <= value <= HOTTEST
    return float(str(value)) if is_sound else 1.0


def predict(classifier: Classifier, texts: str | Sequence[str]) -> Rows[Prediction]:
    """Return label and probabilities of a text, or of each of several, in the order given.

    Raises
    ------
    InputError
        If a text is not UTF-8.
    """
    texts = [texts] if isinstance(texts, str) else texts
    if not texts:
        return Rows()
    domain = classifier.domain
    with one_thread() if len(texts) == 1 else nullcontext():
        read, states, logits = _read(classifier, texts)
    distances = [None] * len(texts) if domain is None else domain.distances(states).tolist()
    of_each = zip(texts, logits, read.truncated, distances, strict=True)
    return Rows(prediction_of(classifier, *of_text) for of_text in of_each)


def prediction_of(
    classifier: Classifier,
    text: str,
    logits: Float32s,
    truncated: int,
    distance: float | None = None,
) -> Prediction:
    """Return label and probabilities by the logits of a text, (labels,), calibrated where the classifier is."""
    shares = probabilities(logits[None], classifier.temperature)[0]
    by_label = dict(zip(classifier.labels, map(float, shares), strict=True))
    label = classifier.labels[int(np.argmax(shares))]
    return Prediction(text, label, by_label, truncated, distance)


def calibrate_classifier(classifier: Classifier, held_out: LabelledTexts) -> Calibration:
    """Return the temperature of a classifier and its calibration error, by texts that it was not trained on.

    Raises
    ------
    CheckpointError
        If the texts have a label that it does not know.
    InputError
        If there are too few.
    """
    labels = _numbers(classifier, held_out)
    return calibrate(_read(classifier, held_out.texts)[2], labels)


def domain_of(
    classifier: Classifier, training: Sequence[str], held_out: Sequence[str]
) -> TextDomain:
    """Return where the texts that a classifier was trained on lie, its edge by others of the same kind."""
    return fit_domain(*(_read(classifier, texts)[1] for texts in (training, held_out)))


def _read(classifier: Classifier, texts: Sequence[str]) -> tuple[TextIds, Float32s, Float32s]:
    """Return the tokens of texts, their states and logits."""
    config = classifier.network.config
    read = text_ids(classifier.wordpiece, texts, config.longest, config.lower)
    states, logits = states_and_logits(classifier.network, read.ids)
    return read, states.numpy(), logits.numpy()


def _numbers(classifier: Classifier, texts: LabelledTexts) -> Int64s:
    """Return the labels of texts as numbers; one that the classifier does not know is a `CheckpointError`."""
    number = {label: row for row, label in enumerate(classifier.labels)}
    for label in texts.counts:
        if label not in number:
            raise CheckpointError(
                "labelled_unknown",
                path=texts.path,
                label=label,
                training=classifier.name,
                choices=", ".join(number),
            )
    return np.array([number[label] for label in texts.labels], np.int64)


def evaluate(classifier: Classifier, texts: LabelledTexts) -> Confusion:
    """Return how many texts of each label the classifier gives which.

    Raises
    ------
    CheckpointError
        If the texts have a label that it does not know.
    """
    rows, predictions = _numbers(classifier, texts), predict(classifier, texts.texts)
    counts = np.zeros((len(classifier.labels), len(classifier.labels)), np.int64)
    columns = np.array([classifier.labels.index(p.label) for p in predictions], np.int64)
    np.add.at(counts, (rows, columns), 1)
    cut = sum(prediction.truncated > 0 for prediction in predictions)
    return Confusion(classifier.labels, counts, cut)


WITHIN = 0.9  # share of the held-out texts that lie within the edge


class TextDomain(Value, eq=False):
    """Where the states of a kind of texts lie.

    Attributes
    ----------
    mean : NDArray of float32, shape (hidden_size,)
    whitening : NDArray of float32, shape (hidden_size, hidden_size)
        Makes their covariance the identity: ``(state - mean) @ whitening``.
    edge : float
        Distance that `WITHIN` of held-out texts stay below.
    """

    mean: Float32s
    whitening: Float32s
    edge: float

    def distances(self, states: Float32s) -> Float64s:
        """Return the distance of states, shape (n, hidden_size), in units of the edge."""
        whitened = (np.asarray(states, np.float64) - self.mean) @ self.whitening
        return np.linalg.norm(whitened, axis=1) / self.edge


def fit_domain(training: Float32s, held_out: Float32s) -> TextDomain:
    """Fit mean and covariance to the states of training texts, the edge to those of others."""
    with optional():
        from sklearn.covariance import LedoitWolf

    shrunk = LedoitWolf().fit(np.asarray(training, np.float64))
    values, vectors = np.linalg.eigh(shrunk.covariance_)
    whitening = (vectors / np.sqrt(values)).astype(np.float16).astype(np.float32)  # as it is kept
    raw = TextDomain(shrunk.location_.astype(np.float32), whitening, 1.0)
    return TextDomain(raw.mean, whitening, float(np.quantile(raw.distances(held_out), WITHIN)))


def save_domain(domain: TextDomain, folder: Path) -> None:
    """Write the domain into a classifier's folder, the matrix in float16."""
    state = {
        "mean": torch.from_numpy(domain.mean),
        "whitening": torch.from_numpy(domain.whitening).half(),
        "edge": torch.tensor([domain.edge], dtype=torch.float32),
    }
    with atomic_file(folder / DOMAIN) as temporary:
        save_file(state, str(temporary))


def read_domain(folder: Path, hidden_size: int) -> TextDomain | None:
    """Return the domain in a classifier's folder, None where it has none.

    Raises
    ------
    CheckpointError
        If the file is damaged or of another network.
    """
    path = folder / DOMAIN
    if not path.exists():
        return None
    shapes = {"mean": (hidden_size,), "whitening": (hidden_size, hidden_size), "edge": (1,)}
    state = read_weights(path)
    for name, shape in shapes.items():
        found = state[name].shape if name in state else None
        if found != shape:
            raise wrong_shape(path, name, found, shape)
    mean, whitening = (state[name].float().numpy() for name in ("mean", "whitening"))
    return TextDomain(mean, whitening, float(state["edge"][0]))
