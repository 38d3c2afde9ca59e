"""Sentence pairs for NSP and SOP: neighbouring segments of documents, half of them made false.

A document is cut at sentence ends into stretches that fill a sequence, each stretch in two
segments. NSP (Devlin et al. 2019, 3.1): the second segment of half of the pairs is exchanged with
one of like length from another document of the same source, so neither language, style nor length
gives the answer away, and every segment is still read once. SOP (Lan et al. 2020, 3.2): half of the
pairs change places. Labels as theirs: 0 true, 1 false; -100 for a stretch of one sentence, which is
read alone. Without a sentence task ("none") every pair is true and has no label.

A network that reads nothing but full sequences learns to copy words of the passage; so shares of the
text can be read one sentence, or two, a sequence (`StreamConfig`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import CheckedConfig, check_range, setting
from embeddings.results import Value

if TYPE_CHECKING:
    from embeddings.pretraining.prepared_corpus import PreparedCorpus

OBJECTIVES = ("nsp", "sop", "none")
NO_PAIR = -100
SHORT_SHARE = 0.1  # of the stretches aim at a random shorter length, as BERT's do
_REACH = 64  # how far a partner from another document is looked for, in the order of lengths
Integers = NDArray[np.int64]


class StreamConfig(CheckedConfig):
    """How a corpus is read: into what pairs, of what lengths, from which sources, and into what rows they are packed."""

    row_length: int = setting(256, "Tokens of a row; several pairs share it.", 8, 32_767)
    max_tokens: int = setting(128, "Longest pair, in tokens.", 8, 65_536)
    objective: str = setting(
        "", "nsp, sop or none; empty: nsp for BERT, sop for ALBERT.", choices=("", *OBJECTIVES)
    )
    sentence_share: float = setting(
        0.0, "Share of the tokens read one sentence per sequence.", 0.0, 1.0
    )
    pair_share: float = setting(
        0.0, "Share of the tokens read two sentences per sequence.", 0.0, 1.0
    )
    source_exponent: float = setting(
        1.0, "Files are read in proportion to their size to this power; 0: all alike.", 0.0, 1.0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("row_length", self.row_length, self.max_tokens, 32_767)
        check_range("pair_share", self.pair_share, 0.0, 1.0 - self.sentence_share)


class Pairs(Value):
    """Segments as places in ``corpus.ids``; all arrays of shape (pairs,), int64.

    ``label``: 0 true or in order, 1 false or swapped, -100 no second segment. ``source``: row of
    ``corpus.sources``.
    """

    first: Integers
    first_length: Integers
    second: Integers
    second_length: Integers
    label: Integers
    source: Integers

    def __len__(self) -> int:
        return len(self.first)

    @property
    def lengths(self) -> Integers:
        """Tokens of each sequence, [CLS] and [SEP] included."""
        return self.first_length + self.second_length + 2 + (self.second_length > 0)

    def take(self, rows: Integers | slice) -> Pairs:
        """Return some of the pairs, in the order given."""
        return Pairs(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


class Segments(Value):
    """Sentences cut to at most half a sequence.

    ``bounds`` into the ids, ``ends`` the last bound of each piece's document.
    """

    bounds: Integers
    document: Integers  # of each piece
    ends: Integers  # of each piece
    max_tokens: int

    @classmethod
    def of(cls, corpus: PreparedCorpus, max_tokens: int) -> Segments:
        """Cut the sentences of a corpus; done once a run."""
        # A sentence longer than half a sequence is cut into equal pieces; from here on a piece is the unit:
        #
        #    sentences      |  s0  |      s1       | s2 |        |  s3  |
        #    pieces         |  0   |   1   |   2   | 3  |        |  4   |
        #    bounds         0      7       13      19   24       ...        into corpus.ids
        #    document       0      0       0       0             1
        #    ends           4      4       4       4             5          no stretch of document 0 goes past piece 4
        lengths = np.diff(corpus.sentence_bounds)
        pieces = -(-lengths // ((max_tokens - 3) // 2))
        sentence = np.repeat(np.arange(len(lengths)), pieces)
        within = ragged(pieces)
        start = corpus.sentence_bounds[sentence] + within * lengths[sentence] // pieces[sentence]
        counts = np.diff(corpus.document_bounds)
        document = np.repeat(np.repeat(np.arange(len(counts)), counts), pieces)
        ends = np.searchsorted(document, document, side="right")
        return cls(np.append(start, len(corpus.ids)), document, ends, max_tokens)


def ragged(lengths: Integers) -> Integers:
    """Return 0 .. length - 1 for each length, in a row.

    Examples
    --------
    >>> ragged(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)


def draw_pairs(
    corpus: PreparedCorpus,
    segments: Segments,
    documents: Integers,
    objective: str,
    generator: np.random.Generator,
    config: StreamConfig | None = None,
) -> Pairs:
    """Cut the documents into pairs, again with each generator, in random order.

    Parameters
    ----------
    documents : NDArray[int64]
        Rows of the documents to read; one that stands there twice is read twice, cut again.
    objective : str
        One of `OBJECTIVES`.
    config : StreamConfig, optional
        The shares that are read in sequences shorter than ``segments.max_tokens``; by default nothing.
    """
    # A stretch is pieces start ... stop - 1, cut in two at `middle`; `bounds` turns pieces into places of corpus.ids:
    #
    #    piece        start          middle            stop
    #                 |    first     |     second      |
    times = np.bincount(documents, minlength=len(corpus.document_source))
    source = corpus.document_source[segments.document]
    cuts = []
    for reading in range(int(times.max(initial=1))):
        start, stop = _stretches(segments, source, config or StreamConfig(), generator)
        kept = times[segments.document[start]] > reading
        cuts.append((start[kept], stop[kept]))
    start, stop = (np.concatenate(ends) for ends in zip(*cuts, strict=True))
    middle = _middle(segments, start, stop, generator)
    document = segments.document[start]
    bounds = segments.bounds
    alone = stop - start == 1
    pairs = Pairs(
        bounds[start],
        bounds[middle] - bounds[start],
        bounds[middle],
        bounds[stop] - bounds[middle],
        np.where(alone | (objective == "none"), NO_PAIR, 0),
        corpus.document_source[document],
    )
    if objective == "none":
        return pairs.take(generator.permutation(len(pairs)))
    candidates = np.flatnonzero(~alone)
    false = generator.permutation(candidates)[: len(candidates) // 2]
    room = segments.max_tokens - 3
    pairs = (
        _swap(pairs, false)
        if objective == "sop"
        else _exchange(pairs, document, false, room, generator)
    )
    return pairs.take(generator.permutation(len(pairs)))


def _stretches(
    segments: Segments, source: Integers, config: StreamConfig, generator: np.random.Generator
) -> tuple[Integers, Integers]:
    """Walk all documents in steps: one sentence, two, or as many whole ones as fit the sequence (or a random shorter length)."""
    pieces = len(segments.document)
    room = segments.max_tokens - 3
    limit = np.full(pieces, room)
    short = generator.random(pieces) < SHORT_SHARE
    limit[short] = generator.integers(min(8, room), room + 1, int(short.sum()))
    reach = np.searchsorted(segments.bounds, segments.bounds[:-1] + limit, side="right") - 1
    reach = np.clip(reach, np.arange(pieces) + 1, segments.ends)
    if config.sentence_share or config.pair_share:
        forms = np.stack(
            (np.arange(pieces) + 1, np.minimum(np.arange(pieces) + 2, segments.ends), reach)
        )
        form = _forms(segments.bounds[forms] - segments.bounds[:-1], source, config, generator)
        reach = forms[form, np.arange(pieces)]
    # reach[i]: where a stretch that begins with piece i ends. The next one begins there, so the walk is one jump after another
    jump = reach.tolist()
    starts = []
    at = 0
    while at < pieces:
        starts.append(at)
        at = jump[at]
    start = np.array(starts, np.int64)
    return start, reach[start]


def _forms(
    tokens: Integers, source: Integers, config: StreamConfig, generator: np.random.Generator
) -> Integers:
    """Choose for each piece whether a sentence, a pair or a passage begins there.

    The shares are of tokens, so a form is drawn with its share over its mean length in the source.

    Parameters
    ----------
    tokens : NDArray[int64], shape (3, pieces)
        How many tokens each form would read from there.
    """
    shares = np.array([config.sentence_share, config.pair_share, 0.0])
    shares[2] = 1.0 - shares.sum()
    sizes = np.bincount(source)
    means = np.stack([np.bincount(source, weights=row) for row in tokens]) / np.maximum(sizes, 1)
    odds = shares[:, None] / np.maximum(means, 1.0)
    bounds = np.cumsum(odds / odds.sum(0), 0)[:2, source]
    return np.asarray((generator.random(tokens.shape[1]) >= bounds).sum(0), np.int64)


def _middle(
    segments: Segments, start: Integers, stop: Integers, generator: np.random.Generator
) -> Integers:
    """Return the piece at which the second segment begins.

    The bound next to a random point of the middle half.
    """
    bounds = segments.bounds
    share = generator.uniform(0.25, 0.75, len(start))
    point = bounds[start] + (share * (bounds[stop] - bounds[start])).astype(np.int64)
    after = np.searchsorted(bounds, point, side="left")
    nearer = point - bounds[after - 1] < bounds[after] - point
    middle = np.clip(after - nearer, start + 1, np.maximum(stop - 1, start + 1))
    return np.where(stop - start == 1, stop, middle)


def _swap(pairs: Pairs, false: Integers) -> Pairs:
    """Let the two segments change places in the pairs ``false``."""
    is_false = np.zeros(len(pairs), bool)
    is_false[false] = True
    return Pairs(
        np.where(is_false, pairs.second, pairs.first),
        np.where(is_false, pairs.second_length, pairs.first_length),
        np.where(is_false, pairs.first, pairs.second),
        np.where(is_false, pairs.first_length, pairs.second_length),
        np.where(is_false, 1, pairs.label),
        pairs.source,
    )


def _exchange(
    pairs: Pairs, document: Integers, false: Integers, room: int, generator: np.random.Generator
) -> Pairs:
    """Give each pair of ``false`` the second segment of another document of its source.

    Where there is none it stays true.
    """
    shuffled = generator.permutation(false)
    order = shuffled[np.lexsort((pairs.second_length[shuffled], pairs.source[shuffled]))]
    partner = _partners(pairs.source[order], document[order])
    has_partner = partner >= 0
    taker, giver = order[has_partner], order[partner[has_partner]]
    second, length, label = (a.copy() for a in (pairs.second, pairs.second_length, pairs.label))
    second[taker], label[taker] = pairs.second[giver], 1
    length[taker] = np.minimum(pairs.second_length[giver], room - pairs.first_length[taker])
    return Pairs(pairs.first, pairs.first_length, second, length, label, pairs.source)


def _partners(source: Integers, document: Integers) -> Integers:
    """Return for each place another of the same source and another document, near it.

    A permutation but for the -1 of no partner.
    """
    # Pairs come sorted by source, then length. Each takes the next of its source, the last one the first; where both are of one document,
    # two pairs within `_REACH` swap partners, so that lengths stay alike and nobody gives twice.
    count = len(source)
    starts = np.searchsorted(source, source, side="left")
    stops = np.searchsorted(source, source, side="right")
    position = np.arange(count)
    partner = np.where(position + 1 < stops, position + 1, starts)
    for pair in np.flatnonzero(document[partner] == document):
        low, high = max(starts[pair], pair - _REACH), min(stops[pair], pair + _REACH)
        others = np.arange(low, high)
        fits = (document[partner[others]] != document[pair]) & (
            document[partner[pair]] != document[others]
        )
        if fits.any():
            usable = others[fits]
            other = usable[np.argmin(np.abs(usable - pair))]
            partner[pair], partner[other] = partner[other], partner[pair]
    return np.where(document[partner] == document, -1, partner)
