"""What is known of an index that finds approximate neighbours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexReport:
    """An index as it was measured when it was built.

    ``recall``: share of the ``topn`` exact neighbours of ``sampled`` words, drawn at random, that the index finds; ``words``: rows in
    it; ``seconds``: time it took to build, ``size``: bytes of its file.
    """

    words: int
    recall: float
    sampled: int
    topn: int
    seconds: float
    size: int
