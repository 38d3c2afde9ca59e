"""Making a table of type-averaged contextual vectors (see `embeddings.probing.contextual_neighbours`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, replace

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.analysis.pca import PCA
from embeddings.configuration import check_range, to_json
from embeddings.corpora.sentence_sampling import Sample, TableConfig
from embeddings.errors import InputError
from embeddings.probing.context_states import check_layer
from embeddings.probing.contextual_neighbours import ContextTable
from embeddings.probing.network import Network, in_batches, pad
from embeddings.probing.sentence_answers import Reduction
from embeddings.results import Report
from embeddings.vectors.formats import build_card
from embeddings.vectors.search import nearest_many
from embeddings.vectors.table import Vectors

_LAYERS = re.compile(r"(-?\d+)(?:-(\d+))?")
Spans = tuple[tuple[int, int, int], ...]


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
    overlap = neighbour_overlap(Vectors(vectors.words, means - centre), vectors)
    reduction = Reduction(size, means.shape[1], share, overlap)
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


def neighbour_overlap(before: Vectors, after: Vectors, topn: int = 10, words: int = 1000) -> float:
    """Share of the ``topn`` nearest before that are among the ``topn`` nearest after, mean over the commonest ``words``."""
    topn = min(topn, len(before) - 1)
    itself = [[row] for row in range(min(words, len(before)))]
    first, second = (
        nearest_many(table, table.unit_rows(slice(0, words)), topn, excluded=itself)
        for table in (before, after)
    )
    pairs = zip(first, second, strict=True)
    return float(np.mean([len({*a[0]} & {*b[0]}) / topn for a, b in pairs]))


def _sums(
    reader: Network,
    sample: Sample,
    layers: tuple[int, ...],
    report: Report | None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sum of each word's vectors and how many there were."""
    sums = np.zeros((len(sample.words), reader.config.hidden_size))
    occurrences = np.zeros(len(sample.words), np.int64)

    def ask(rows: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        return _occurrences(reader, [sample.sentences[row] for row in rows], layers)

    note = report and (lambda at: report(replace(at, phase="average")))
    lengths = [len(text) for text, _ in sample.sentences]
    for _, (owners, vectors) in in_batches(reader, lengths, 64, ask, note):
        np.add.at(sums, owners, vectors)
        np.add.at(occurrences, owners, 1)
    return sums, occurrences


def _occurrences(
    reader: Network, sentences: list[tuple[str, Spans]], layers: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Rows of the words of some sentences, and their vectors; a sentence that is too long is left out."""
    read = [(reader.wordpiece.encode(text), text, spans) for text, spans in sentences]
    read = [sentence for sentence in read if len(sentence[0].ids) <= reader.longest]
    if not read:
        return np.zeros(0, np.int64), np.zeros((0, reader.config.hidden_size), np.float32)
    size = max(len(tokens.ids) for tokens, _, _ in read)
    flat, words = [], []
    rows: list[int] = []
    for number, (tokens, text, spans) in enumerate(read):
        owner = np.full(len(text) + 1, -1)
        for word, (_, start, end) in enumerate(spans, len(rows)):
            owner[start:end] = word
        rows += [row for row, _, _ in spans]
        bounds = np.array(tokens.offsets)
        owned = np.where(bounds[:, 1] > bounds[:, 0], owner[bounds[:, 0]], -1)
        inside = np.flatnonzero(owned >= 0)
        flat.append(inside + number * size)
        words.append(owned[inside])
    positions, numbers = np.concatenate(flat), np.concatenate(words)
    with torch.inference_mode():
        ids, segments, real = pad(reader, [tokens for tokens, _, _ in read])
        output = reader.network.encoder(ids, segments, real, need_states=True)
        keep = torch.from_numpy(positions).to(ids.device)
        states = torch.stack([output.hidden_states[i].flatten(0, 1)[keep] for i in layers]).mean(0)
        sums = torch.zeros(len(rows), states.shape[1], device=ids.device)
        sums.index_add_(0, torch.from_numpy(numbers).to(ids.device), states.float())
    counts = np.bincount(numbers, minlength=len(rows))
    met = counts > 0
    return np.array(rows, np.int64)[met], (sums.cpu().numpy()[met] / counts[met, None]).astype(
        np.float32
    )
