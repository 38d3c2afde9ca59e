"""Contextual neighbours: a table of type-averaged vectors, in which a word in context has neighbours as in Word2Vec.

The row of word w is the mean over its sampled occurrences and the chosen layers of h_l(w) (`embeddings.probing.context_states`), less the
mean m of all rows, on the first principal components V (our own PCA): q_w = V'(x_w - m). A word in context is mapped by the same m
and V, so its cosine with a row is the centred cosine of the two in the space of the network, as far as V keeps it.

Averages over contexts as static vectors: Bommasani et al. (2020), section 3. `build_table` makes them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from embeddings.analysis.pca import PCA
from embeddings.arrays import Float32s, Float64s, Floats, Int64s
from embeddings.configuration import check_range, to_json
from embeddings.corpora.sentence_sampling import Sample, TableConfig
from embeddings.errors import CheckpointError, InputError
from embeddings.files import WEIGHTS, sha256
from embeddings.model_card import build_card, load_card, verify_files
from embeddings.probing.context_states import Occurrence, check_layer, word_states
from embeddings.probing.network import Network
from embeddings.probing.sentence_answers import NearWord, Reduction
from embeddings.results import Report, Value, progress_of
from embeddings.vectors.cosine_search import nearest
from embeddings.vectors.formats import read_native, write_native
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

MAP = "projection.safetensors"
_LAYERS = re.compile(r"(-?\d+)(?:-(\d+))?")
SENTENCES_AT_A_TIME = 512


class ContextTable(Value, eq=False):
    """Words with their type-averaged contextual vectors, and the map from the network's space to theirs.

    Attributes
    ----------
    vectors : Vectors
        The table; anything that reads `Vectors` reads it.
    layers : tuple of int
        Layers that were averaged.
    mean : NDArray of float32, shape (hidden_size,)
        Subtracted before the map.
    components : NDArray of float32, shape (vector_size, hidden_size)
        Orthonormal rows.
    network : str
        sha256 of the network's weights; "" if not known.
    """

    vectors: Vectors
    layers: tuple[int, ...]
    mean: Float32s
    components: Float32s
    network: str

    def vector(self, states: Float32s) -> Float32s:
        """Map an occurrence, a row of `WordStates.vectors` of shape (layers + 1, hidden_size), to the table's space.

        Raises
        ------
        InputError
            If the states are of a network of other sizes.
        """
        if states.shape[-1] != len(self.mean) or states.shape[0] <= max(self.layers):
            raise InputError(
                "table_other_network",
                name=self.vectors.name,
                size=len(self.mean),
                found=states.shape[-1],
            )
        centred = states[list(self.layers)].mean(0) - self.mean
        return self.components @ centred

    def restored(self, points: Float32s) -> Float32s:
        """Map points of the table, shape (n, vector_size), back to the network's space, the mean with them."""
        return points @ self.components + self.mean


def near(
    table: ContextTable,
    states: Float32s,
    baselines: tuple[float, float],
    topn: int = 10,
    without: Collection[str] = (),
) -> tuple[NearWord, ...]:
    """Return the words nearest to a word in context, by the centred cosine, each next to what is common to any two words.

    With q the word, x a row, both in the table's space: centred = cos(q, x), cosine = cos(V q + m, V x + m). The baseline of
    each is its mean over all pairs of a random word in its sentence and a row.

    Parameters
    ----------
    table : ContextTable
    states : NDArray of float32, shape (layers + 1, hidden_size)
        A row of `WordStates.vectors`, of the table's network.
    baselines : tuple of float
        From `table_baselines`.
    topn : int, default 10
        How many words.
    without : collection of str
        Words left out, as the forms of the word itself.

    Raises
    ------
    InputError
        If the states are of a network of other sizes, or ``topn`` is below 1.
    """
    check_range("topn", topn, 1, np.inf)
    excluded = [row for word in without if (row := table.vectors.find(word)) is not None]
    word = table.vector(states)
    rows, centred = nearest(table.vectors, word, topn, excluded=excluded)
    points = np.asarray(table.vectors.matrix[rows], np.float32)
    whole = normalize_rows(table.restored(word[None]))[0]
    cosine = normalize_rows(table.restored(points)) @ whole
    random, centred_random = baselines
    return tuple(
        NearWord(table.vectors.words[row], float(plain), random, float(less), centred_random)
        for row, plain, less in zip(rows, cosine, centred, strict=True)
    )


def table_baselines(table: ContextTable, random: Float32s) -> tuple[float, float]:
    """Return the mean cosine of random words in their sentences with the rows of a table: as it is, and centred.

    ``random`` has the states of the words, shape (words, layers + 1, hidden_size).
    """
    every = np.asarray(table.vectors.matrix, np.float32)
    drawn = np.stack([table.vector(state) for state in random])

    def common(drawn: Float32s, every: Float32s) -> float:
        means = [normalize_rows(rows).mean(0, np.float64) for rows in (drawn, every)]
        return float(means[0] @ means[1])

    return common(table.restored(drawn), table.restored(every)), common(drawn, every)


def check_network(table: ContextTable, folder: Path) -> None:
    """Refuse a network that the table was not made from.

    Raises
    ------
    CheckpointError
        If the sha256 of its weights is another.
    """
    digest = sha256(folder / WEIGHTS)
    if table.network != digest:
        raise CheckpointError(
            "table_network",
            name=table.vectors.name,
            path=folder,
            expected=table.network,
            found=digest,
        )


def write_table(
    table: ContextTable, folder: Path, settings: Mapping[str, object], card: Mapping[str, object]
) -> None:
    """Write a native folder of vectors with the map next to it; the card names the network by its sha256."""

    def add_map(new: Path) -> None:
        tensors: dict[str, Floats] = {
            "mean": np.ascontiguousarray(table.mean),
            "components": np.ascontiguousarray(table.components, np.float16),
        }
        save_file(tensors, new / MAP)

    about = {"layers": list(table.layers), "sha256": table.network}
    write_native(
        table.vectors, folder, config=settings, card={**card, "network": about}, extra=add_map
    )


def open_table(folder: Path) -> ContextTable:
    """Read what `write_table` wrote, after its checksums.

    Raises
    ------
    MissingFileError, CheckpointError, FormatError
        If the folder is no such table, or a file is missing or damaged.
    """
    about = load_card(folder).get("network")
    if not isinstance(about, dict) or not isinstance(about.get("layers"), list):
        raise CheckpointError("table_not_contextual", path=folder)
    verify_files(folder, MAP)
    tensors = load_file(folder / MAP)
    return ContextTable(
        read_native(folder),
        tuple(int(layer) for layer in about["layers"]),
        tensors["mean"],
        tensors["components"].astype(np.float32),
        str(about.get("sha256", "")),
    )


def parse_layers(reader: Network, layers: str) -> tuple[int, ...]:
    """Layers of a network by their numbers: 3, -1 (the last), 1-3.

    Raises
    ------
    InputError
        If the text is no such thing, or the network has no such layer.
    """
    match = _LAYERS.fullmatch(layers.strip())
    if match is None:
        raise InputError("table_layers", value=layers)
    first = check_layer(reader, int(match[1]))
    last = first if match[2] is None else check_layer(reader, int(match[2]))
    if last < first:
        raise InputError("table_layers", value=layers)
    return tuple(range(first, last + 1))


def build_table(
    reader: Network,
    sample: Sample,
    config: TableConfig,
    network: str = "",
    report: Report | None = None,
) -> tuple[ContextTable, Reduction]:
    """Average the states of each word over the sampled sentences, centre, reduce.

    Mixing each vector with the mean of its lemma's forms was measured and is not offered: word similarity gains .05, analogies of
    meaning lose (in English .22 to .16 at half of each).

    Parameters
    ----------
    reader : Network
    sample : Sample
        Sentences and where their words stand.
    config : TableConfig
        Layers, and components kept.
    network : str
        sha256 of the network's weights, for the card.
    report : callable, optional
        Called after each batch of sentences.

    Returns
    -------
    ContextTable
        Its rows by falling frequency; words whose sentences are all too long for the network are left out.
    Reduction
        What the reduction changed.
    """
    layers = parse_layers(reader, config.layers)
    sums, occurrences = _sums(reader, sample, layers, report)
    rows = np.flatnonzero(occurrences)
    if len(rows) < 2:
        raise InputError("table_no_words", files=len(sample.sentences))
    means = (sums[rows] / occurrences[rows, None]).astype(np.float32)
    most = min(means.shape)
    size = config.vector_size or most
    check_range("vector_size", size, 1, most)
    pca = PCA(size, standardize=False).fit(means)
    components = pca.components_.astype(np.float32)
    centre = pca.mean_.astype(np.float32)
    vectors = Vectors(
        [sample.words[row] for row in rows],
        (means - centre) @ components.T,
        np.array([sample.counts[row] for row in rows], np.int64),
        method="bert",
    )
    vectors.lower = config.lower
    share = float(pca.explained_variance_ratio_.sum())
    reduction = Reduction(size, means.shape[1], share)
    return ContextTable(vectors, layers, centre, components, network), reduction


def table_card(
    table: ContextTable,
    reduction: Reduction,
    sample: Sample,
    config: TableConfig,
    corpus: Mapping[str, object],
    command: str = "",
) -> dict[str, object]:
    """Return the card of a table: its corpus (``name``, ``licence`` ...), what was read of it, what the reduction changed."""
    read = {"words": sample.read, "sentences": len(sample.sentences)}
    settings = to_json(config)
    return build_card(
        table.vectors, corpus={**corpus, **read}, settings=settings, command=command
    ) | {"reduction": asdict(reduction)}


def _sums(
    reader: Network, sample: Sample, layers: tuple[int, ...], report: Report | None
) -> tuple[Float64s, Int64s]:
    """Sum of each word's vectors and how many there were; a sentence that is too long is left out."""
    sums = np.zeros((len(sample.words), reader.config.hidden_size))
    occurrences = np.zeros(len(sample.words), np.int64)
    total = len(sample.sentences)
    advance = progress_of(report, "average", total)
    for first in range(0, total, SENTENCES_AT_A_TIME):
        places: list[Occurrence] = []
        owners: list[int] = []
        for text, words in sample.sentences[first : first + SENTENCES_AT_A_TIME]:
            tokens = reader.wordpiece.encode(text)
            if len(tokens.ids) <= reader.longest:
                known = [word for word in words if tokens.covering(word[1], word[2])]
                places += [(text, (start, end)) for _, start, end in known]
                owners += [row for row, _, _ in known]
        states = word_states(reader, places).vectors
        np.add.at(sums, owners, states[:, list(layers)].mean(1))
        np.add.at(occurrences, owners, 1)
        advance(min(first + SENTENCES_AT_A_TIME, total))
    return sums, occurrences
