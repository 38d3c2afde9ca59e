"""Methods of gensim's ``KeyedVectors`` with the same names, arguments and numbers, for `Vectors`.

Decisions: words are found in the model's casing and unknown ones are an `UnknownWordError` (a
KeyError); `doesnt_match` leaves them out with a warning, as there.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.optional import optional

if TYPE_CHECKING:
    from embeddings.vectors.table import Vectors

log = logging.getLogger(__name__)
TINY = 1e-6  # keeps 3CosMul from dividing by zero, as in gensim


class VectorTable(Protocol):
    """What the methods of `GensimMethods` rest on."""

    words: tuple[str, ...]
    matrix: NDArray[np.floating]
    counts: NDArray[np.int64] | None

    @property
    def index(self) -> dict[str, int]: ...  # noqa: D102
    @property
    def vector_size(self) -> int: ...  # noqa: D102
    def find(self, word: str) -> int | None: ...  # noqa: D102
    def row(self, word: str) -> int: ...  # noqa: D102
    def unit_rows(self, rows: slice | Sequence[int]) -> NDArray[np.float32]: ...  # noqa: D102
    def rows_of(self, words: Sequence[str], *, unit: bool = False) -> NDArray[np.float32]: ...  # noqa: D102
    def __len__(self) -> int: ...


class GensimMethods:
    """Methods of `Vectors` that are called as in gensim; cosines in [-1, 1]."""

    @property
    def key_to_index(self: VectorTable) -> dict[str, int]:
        """Row of each word."""
        return self.index

    @property
    def index_to_key(self: VectorTable) -> list[str]:
        """Words by row."""
        return list(self.words)

    @property
    def vectors(self: VectorTable) -> NDArray[np.floating]:
        """The matrix, shape (words, vector_size)."""
        return self.matrix

    def has_index_for(self: VectorTable, word: str) -> bool:
        """Whether there is a vector for ``word``."""
        return self.find(word) is not None

    def get_index(self: VectorTable, word: str) -> int:
        """Row of ``word``."""
        return self.row(word)

    def get_vector(self: VectorTable, word: str, norm: bool = False) -> NDArray[np.float32]:
        """Return the vector of ``word``, of length one if ``norm``."""
        row: NDArray[np.float32] = self.rows_of([word], unit=norm)[0]
        return row

    def get_mean_vector(
        self: VectorTable,
        words: Sequence[str],
        weights: Sequence[float] | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
    ) -> NDArray[np.float32]:
        """Return the mean vector of words, divided by the sum of the weights' magnitudes."""
        from embeddings.vectors.table import normalize_rows

        if not len(words):
            raise InputError("similar_nothing")
        chosen = self.rows_of(words, unit=pre_normalize)
        weighing = np.ones(len(words)) if weights is None else np.asarray(weights, dtype=np.float64)
        mean = (weighing @ chosen) / np.abs(weighing).sum()
        return np.asarray(normalize_rows(mean) if post_normalize else mean, dtype=np.float32)

    def get_vecattr(self: VectorTable, word: str, attr: str) -> int:
        """Return ``count``, the one attribute that vectors have: occurrences in the training text."""
        check_choice("attr", attr, ("count",))
        if self.counts is None:
            raise InputError("vectors_uncounted")
        return int(self.counts[self.row(word)])

    def similarity(self: VectorTable, first: str, second: str) -> float:
        """Cosine of two words."""
        unit = self.rows_of([first, second], unit=True)
        return float(np.clip(unit[0] @ unit[1], -1, 1))

    def distance(self: VectorTable, first: str, second: str) -> float:
        """One less the cosine of two words."""
        return 1 - GensimMethods.similarity(self, first, second)

    def n_similarity(self: VectorTable, first: Sequence[str], second: Sequence[str]) -> float:
        """Cosine of the mean vectors of two lists of words, as the vectors are, not of length one."""
        means = [
            GensimMethods.get_mean_vector(self, words, None, False, True)
            for words in (first, second)
        ]
        return float(means[0] @ means[1])

    def distances(
        self: VectorTable, word: str, other_words: Sequence[str] = ()
    ) -> NDArray[np.float32]:
        """One less the cosines of a word with ``other_words``, or with all."""
        others = (
            self.rows_of(other_words, unit=True)
            if len(other_words)
            else self.unit_rows(slice(None))
        )
        cosines: NDArray[np.float32] = others @ self.rows_of([word], unit=True)[0]
        return np.float32(1) - cosines

    def closer_than(self: VectorTable, word: str, other: str) -> list[str]:
        """Return the words that are nearer to ``word`` than ``other`` is, by falling frequency."""
        distances = GensimMethods.distances(self, word)
        row_of_word, bound = self.row(word), self.row(other)
        return [
            self.words[row]
            for row in np.flatnonzero(distances < distances[bound])
            if row != row_of_word
        ]

    def rank(self: VectorTable, word: str, other: str) -> int:
        """Place of ``other`` among the neighbours of ``word``, from 1."""
        return len(GensimMethods.closer_than(self, word, other)) + 1

    def rank_by_centrality(self: VectorTable, words: Sequence[str]) -> list[tuple[float, str]]:
        """Return words with their cosine to the mean of all, the most central first."""
        known = [word for word in words if self.find(word) is not None]
        if len(known) < len(words):
            log.warning("without a vector: %s", ", ".join(w for w in words if w not in known))
        mean = GensimMethods.get_mean_vector(self, known, None, True, True)
        cosines = self.unit_rows([self.row(word) for word in known]) @ mean
        return sorted(zip(map(float, cosines), known, strict=True), reverse=True)

    def doesnt_match(self: VectorTable, words: Sequence[str]) -> str:
        """Return the word that is farthest from the mean of all; those without a vector are left out."""
        return GensimMethods.rank_by_centrality(self, words)[-1][1]

    def most_similar_to_given(self: VectorTable, word: str, others: Sequence[str]) -> str:
        """Return the one of ``others`` that is nearest to ``word``."""
        return others[int(np.argmin(GensimMethods.distances(self, word, others)))]

    def most_similar_cosmul(
        self: VectorTable,
        positive: str | Sequence[str] = (),
        negative: str | Sequence[str] = (),
        topn: int = 10,
    ) -> list[tuple[str, float]]:
        """Return words by 3CosMul, equation 4 of Levy and Goldberg (2014); the given ones never."""
        check_range("topn", topn, 1, np.inf)
        signed = [[words] if isinstance(words, str) else words for words in (positive, negative)]
        rows = [[self.row(word) for word in words] for words in signed]
        if not rows[0]:
            raise InputError("similar_nothing")
        unit = self.unit_rows(slice(None))
        products = [np.prod((1 + unit @ self.unit_rows(part).T) / 2, axis=1) for part in rows]
        scores = products[0] / (products[1] + TINY)
        scores[[row for part in rows for row in part]] = -np.inf
        best = np.argsort(-scores, kind="stable")[:topn]
        return [(self.words[row], float(scores[row])) for row in best if scores[row] > -np.inf]

    def similar_by_word(self: Vectors, word: str, topn: int = 10) -> list[tuple[str, float]]:  # type: ignore[misc]
        """Return the words nearest to one."""
        return self.most_similar(word, topn=topn)

    def similar_by_vector(  # type: ignore[misc]
        self: Vectors, vector: NDArray[np.floating], topn: int = 10
    ) -> list[tuple[str, float]]:
        """Return the words nearest to any vector of shape (vector_size,)."""
        from embeddings.vectors.search import nearest

        check_range("topn", topn, 1, np.inf)
        rows, cosines = nearest(self, np.asarray(vector), topn)
        return [(self.words[row], float(cosine)) for row, cosine in zip(rows, cosines, strict=True)]

    def save_word2vec_format(self: Vectors, path: str | Path, binary: bool = False) -> None:  # type: ignore[misc]
        """Write word2vec text, or binary."""
        from embeddings.vectors.formats import write

        write(self, Path(path), format="word2vec-binary" if binary else "word2vec")

    def to_frame(self: VectorTable) -> object:
        """Return a pandas frame: one row per word, one column per dimension."""
        with optional():
            import pandas as pd

        return pd.DataFrame(
            np.asarray(self.matrix, np.float32), index=pd.Index(self.words, name="word")
        )

    def _repr_html_(self: VectorTable) -> str:
        """Show the first words, their counts and their first numbers."""
        from embeddings.results.display import html_table

        shown, wide = min(10, len(self)), min(6, self.vector_size)
        counts = [None] * shown if self.counts is None else self.counts[:shown].tolist()
        rows = np.asarray(self.matrix[:shown, :wide], dtype=np.float64).tolist()
        lines = [
            (word, count, *row)
            for word, count, row in zip(self.words[:shown], counts, rows, strict=True)
        ]
        return html_table(("word", "count", *map(str, range(wide))), lines, repr(self))
