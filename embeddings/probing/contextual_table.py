"""Making a table of type-averaged contextual vectors (see `embeddings.probing.contextual_neighbours`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from embeddings.analysis.pca import PCA
from embeddings.arrays import Float64s, Int64s
from embeddings.configuration import check_range, to_json
from embeddings.corpora.sentence_sampling import Sample, TableConfig
from embeddings.errors import InputError
from embeddings.probing.context_states import Occurrence, check_layer, word_states
from embeddings.probing.contextual_neighbours import ContextTable
from embeddings.probing.network import Network
from embeddings.probing.sentence_answers import Reduction
from embeddings.results import Report, progress_of
from embeddings.vectors.formats import build_card
from embeddings.vectors.table import Vectors

_LAYERS = re.compile(r"(-?\d+)(?:-(\d+))?")
SENTENCES_AT_A_TIME = 512


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
