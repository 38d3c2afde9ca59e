"""Methods of gensim's ``KeyedVectors`` with the same names, arguments and numbers, for `Vectors`.

A key is a word, a row number or, where gensim takes one, a vector. Differences: words are found in the model's casing, unknown
ones are an `UnknownWordError` (a KeyError), and nothing is pickled. docs/howto/gensim.md lists them.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float32s, Floats
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.optional import optional

log = logging.getLogger(__name__)
TINY = 1e-6  # keeps 3CosMul from dividing by zero, as in gensim


def is_vector(key: object) -> bool:
    """Whether a key is a vector itself."""
    return isinstance(key, np.ndarray) and key.ndim == 1


def as_keys(keys: object) -> list[Any]:
    """Return one key, or several, as a list; the rows of a matrix are keys."""
    if isinstance(keys, str | Integral) or is_vector(keys):
        return [keys]
    if isinstance(keys, tuple) and len(keys) == 2 and isinstance(keys[1], float | np.floating):
        return [keys]
    return list(keys)  # type: ignore[call-overload]


def weighted(keys: object, weight: float) -> list[tuple[Any, float]]:
    """Give each key its weight: its own, else ``weight``."""
    pairs = []
    for key in as_keys(keys):
        is_pair = isinstance(key, tuple) and len(key) == 2
        pairs.append((key[0], float(key[1])) if is_pair else (key, weight))
    return pairs


def first_rows(restrict_vocab: int | None) -> slice:
    """Return the rows that may answer."""
    if restrict_vocab is not None:
        check_range("restrict_vocab", restrict_vocab, 1, np.inf)
    return slice(0, restrict_vocab)


class GensimMethods:
    """Methods of `Vectors` that are called as in gensim; cosines in [-1, 1]."""

    @property
    def key_to_index(self: Any) -> dict[str, int]:
        """Row of each word."""
        return self.index

    @property
    def index_to_key(self: Any) -> list[str]:
        """Words by row."""
        return list(self.words)

    @property
    def vectors(self: Any) -> Floats:
        """The matrix, shape (words, vector_size)."""
        return self.matrix

    @property
    def norms(self: Any) -> Float32s:
        """Length of each row."""
        return np.linalg.norm(np.asarray(self.matrix, np.float32), axis=1)

    def fill_norms(self: Any, force: bool = False) -> None:  # noqa: ARG002 - as gensim has it
        """Compute the lengths of the rows now; they are computed when first needed otherwise, and again when rows change."""
        _ = self.inverse_norms

    def unit_normalize_all(self: Any) -> None:
        """Scale every row to length one; the vectors as they were are lost."""
        self._set_rows(self.words, self.unit_rows(slice(None)), self.counts)

    def get_normed_vectors(self: Any) -> Float32s:
        """Return all rows at length one, a copy."""
        return self.unit_rows(slice(None))

    # keys

    def get(self: Any, key: object, default: object = None) -> Any:
        """Return the vector of a key, or ``default``."""
        return self.get_vector(key) if self._has_vector(key) else default

    def keys(self: Any) -> Iterator[str]:
        """Iterate over the words."""
        return iter(self.words)

    def items(self: Any) -> Iterator[tuple[str, Float32s]]:
        """Iterate over words and vectors."""
        return ((word, np.asarray(self.matrix[row])) for row, word in enumerate(self.words))

    def values(self: Any) -> Iterator[Float32s]:
        """Iterate over the vectors."""
        return (vector for _, vector in self.items())

    def has_index_for(self: Any, key: str | int) -> bool:
        """Whether a word, or a row number, is in the table."""
        return self._row_or_none(key) is not None

    def get_index(self: Any, key: str | int, default: int | None = None) -> int:
        """Row of a word; ``default`` where it has none and one is given."""
        row = self._row_or_none(key)
        if row is None and default is not None:
            return default
        return self.row(key) if row is None else row

    def _row_or_none(self: Any, key: object) -> int | None:
        """Row of a word or of a row number; None where there is none."""
        if isinstance(key, Integral):
            return int(key) if 0 <= int(key) < len(self) else None
        return self.find(key) if isinstance(key, str) else None

    def _has_vector(self: Any, key: object) -> bool:
        """Whether a key has a vector."""
        known = isinstance(key, str) and bool(self.has_vector(key))
        return known or is_vector(key) or self._row_or_none(key) is not None

    def get_vector(self: Any, key: object, norm: bool = False) -> Float32s:
        """Return the vector of a key, of length one if ``norm``; a vector is its own key."""
        from embeddings.vectors.vector_rows import normalize_rows

        if isinstance(key, np.ndarray):
            vector = np.asarray(key, np.float64)
            if vector.shape != (self.vector_size,):
                raise InputError("vectors_key", found=vector.shape, size=self.vector_size)
            return np.asarray(normalize_rows(vector) if norm else vector, dtype=np.float32)
        if isinstance(key, Integral):
            row = self._row_or_none(key)
            if row is None:
                raise self._unknown(str(key))
            chosen = self.unit_rows([row])[0] if norm else np.asarray(self.matrix[row], np.float32)
            return np.asarray(chosen)
        if not isinstance(key, str):
            raise InputError("vectors_key", found=type(key).__name__, size=self.vector_size)
        return self.rows_of([key], unit=norm)[0]

    word_vec = get_vector

    def _weighed_vector(self: Any, key: object, norm: bool = True) -> Float32s:
        """Return the vector of a key that goes into a mean: of a word at length one, a vector as it is, as in gensim."""
        return self.get_vector(key, norm and not is_vector(key))

    def get_mean_vector(
        self: Any,
        keys: Sequence[Any],
        weights: Sequence[float] | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> Float32s:
        """Return the mean vector of keys, divided by the sum of the weights' magnitudes.

        Words without a vector are left out with a warning, unless ``ignore_missing`` is False.
        """
        from embeddings.vectors.vector_rows import normalize_rows

        listed = list(keys)
        given = np.ones(len(listed)) if weights is None else np.asarray(weights, dtype=np.float64)
        if len(given) != len(listed):
            raise InputError("vectors_weights", keys=len(listed), weights=len(given))
        known = [n for n, key in enumerate(listed) if not ignore_missing or self._has_vector(key)]
        if len(known) < len(listed):
            missing = (str(listed[n]) for n in set(range(len(listed))) - set(known))
            log.warning("without a vector: %s", ", ".join(sorted(missing)))
        if not known:
            raise InputError("similar_nothing")
        chosen = np.stack([self._weighed_vector(listed[n], pre_normalize) for n in known])
        mean = (given[known] @ chosen) / np.abs(given[known]).sum()
        return np.asarray(normalize_rows(mean) if post_normalize else mean, dtype=np.float32)

    def get_vecattr(self: Any, key: str | int, attr: str) -> int:
        """Return ``count``, the one attribute that vectors have: occurrences in the training text."""
        check_choice("attr", attr, ("count",))
        if self.counts is None:
            raise InputError("vectors_uncounted")
        return int(self.counts[self.get_index(key)])

    def set_vecattr(self: Any, key: str | int, attr: str, val: int) -> None:
        """Set the count of a word."""
        check_choice("attr", attr, ("count",))
        counts = np.zeros(len(self), np.int64) if self.counts is None else np.array(self.counts)
        counts[self.get_index(key)] = val
        self._set_rows(self.words, self.matrix, counts)

    # similar words

    def most_similar_cosmul(
        self: Any,
        positive: Any = (),
        negative: Any = (),
        topn: int | None = 10,
        restrict_vocab: int | None = None,
    ) -> Any:
        """Return words by 3CosMul, equation 4 of Levy and Goldberg (2014); the given ones never."""
        signed = [as_keys(keys) for keys in (positive, negative)]
        if not signed[0]:
            raise InputError("similar_nothing")
        unit = self.unit_rows(first_rows(restrict_vocab))
        products = [
            np.prod([(1 + unit @ self.get_vector(key, True)) / 2 for key in keys], axis=0)
            if keys
            else np.ones(len(unit), np.float32)
            for keys in signed
        ]
        scores = products[0] / (products[1] + TINY)
        if topn is None:
            return scores
        given = (self._row_or_none(key) for keys in signed for key in keys if not is_vector(key))
        scores[[row for row in given if row is not None and row < len(scores)]] = -np.inf
        best = np.argsort(-scores, kind="stable")[: int(topn)]
        return [(self.words[row], float(scores[row])) for row in best if scores[row] > -np.inf]

    def similar_by_word(
        self: Any, word: str, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Return the words nearest to one."""
        return self.most_similar(word, topn=topn, restrict_vocab=restrict_vocab)

    similar_by_key = similar_by_word

    def similar_by_vector(
        self: Any, vector: Floats, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """Return the words nearest to any vector of shape (vector_size,)."""
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def similarity(self: Any, w1: str | int, w2: str | int) -> float:
        """Cosine of two words."""
        first, second = self.get_vector(w1, True), self.get_vector(w2, True)
        return float(np.clip(first @ second, -1, 1))

    def distance(self: Any, w1: str | int, w2: str | int) -> float:
        """One less the cosine of two words; 0 for a word and itself."""
        if not is_vector(w1) and w1 == w2 and self._has_vector(w1):
            return 0.0
        return 1 - float(self.similarity(w1, w2))

    def n_similarity(self: Any, ws1: Sequence[str], ws2: Sequence[str]) -> float:
        """Cosine of the mean vectors of two lists of words, as the vectors are, not of length one."""
        means = [self.get_mean_vector(words, None, False, True, False) for words in (ws1, ws2)]
        return float(means[0] @ means[1])

    def relative_cosine_similarity(self: Any, wa: str, wb: str, topn: int = 10) -> float:
        """Cosine of two words over the sum of the cosines of the first with its ``topn`` nearest."""
        near = self.most_similar(wa, topn=topn)
        return float(self.similarity(wa, wb) / sum(cosine for _, cosine in near))

    @staticmethod
    def cosine_similarities(vector_1: Floats, vectors_all: Floats) -> Floats:
        """Cosines of one vector with the rows of a matrix."""
        from embeddings.vectors.vector_rows import normalize_rows

        every = normalize_rows(np.asarray(vectors_all, np.float64))
        return every @ normalize_rows(np.asarray(vector_1, np.float64))

    def distances(self: Any, word_or_vector: Any, other_words: Sequence[Any] = ()) -> NDArray[Any]:
        """One less the cosines of a word or vector with ``other_words``, or with all."""
        others = (
            np.stack([self.get_vector(key, True) for key in other_words])
            if len(other_words)
            else self.unit_rows(slice(None))
        )
        cosines: Float32s = others @ self.get_vector(word_or_vector, True)
        return np.float32(1) - cosines

    def closer_than(self: Any, key1: str, key2: str) -> list[str]:
        """Return the words that are nearer to ``key1`` than ``key2`` is, by falling frequency."""
        distances = self.distances(key1)
        own, bound = self.get_index(key1), self.get_index(key2)
        if own == bound:
            return []
        near = np.flatnonzero(distances < distances[bound])
        return [self.words[row] for row in near if row != own]

    def rank(self: Any, key1: str, key2: str) -> int:
        """Place of ``key2`` among the neighbours of ``key1``, from 1."""
        return len(self.closer_than(key1, key2)) + 1

    def rank_by_centrality(self: Any, words: Sequence[str]) -> list[tuple[float, str]]:
        """Return words with their cosine to the mean of all, the most central first."""
        known = [word for word in words if self.find(word) is not None]
        if len(known) < len(words):
            log.warning("without a vector: %s", ", ".join(w for w in words if w not in known))
        mean = self.get_mean_vector(known, None, True, True)
        cosines = self.unit_rows([self.row(word) for word in known]) @ mean
        return sorted(zip(map(float, cosines), known, strict=True), reverse=True)

    def wmdistance(
        self: Any, document1: Sequence[str], document2: Sequence[str], norm: bool = True
    ) -> float:
        """Return the word mover's distance of two lists of words: the least Euclidean way from the one to the other.

        Words without a vector are left out; infinity where a list has none left. ``norm`` takes vectors of length one.

        References
        ----------
        Kusner et al. (2015), "From Word Embeddings To Document Distances", section 4.
        """
        from scipy.stats import wasserstein_distance_nd

        counted = [
            Counter(filter(self.has_vector, document)) for document in (document1, document2)
        ]
        if not all(counted):
            return float("inf")
        vectors = [self.rows_of(list(words), unit=norm) for words in counted]
        weights = [list(words.values()) for words in counted]
        distance = float(wasserstein_distance_nd(*vectors, *weights))
        return max(0.0, distance)  # of equal documents it may come out as -3e-17

    def doesnt_match(self: Any, words: Sequence[str]) -> str:
        """Return the word that is farthest from the mean of all; those without a vector are left out."""
        ranked: list[tuple[float, str]] = self.rank_by_centrality(words)
        return ranked[-1][1]

    def most_similar_to_given(self: Any, key1: str, keys_list: Sequence[str]) -> str:
        """Return the one of ``keys_list`` that is nearest to ``key1``."""
        return keys_list[int(np.argmin(self.distances(key1, keys_list)))]

    # changing the table

    def add_vectors(
        self: Any,
        keys: str | Sequence[str],
        weights: Any,
        extras: dict[str, Any] | None = None,
        replace: bool = False,
    ) -> None:
        """Add words with their vectors; one that is in the table gets the new vector only if ``replace``."""
        listed = [keys] if isinstance(keys, str) else [str(key) for key in keys]
        rows = np.asarray(weights, dtype=np.float32).reshape(len(listed), -1)
        if rows.shape[1] != self.vector_size:
            raise InputError("vectors_key", found=rows.shape, size=self.vector_size)
        given = (extras or {}).get("count")
        new = {word: n for n, word in enumerate(listed) if word not in self.index}
        matrix = np.concatenate([np.array(self.matrix, np.float32), rows[list(new.values())]])
        if replace:
            for number, word in enumerate(listed):
                if word in self.index:
                    matrix[self.index[word]] = rows[number]
        counts = self.counts
        if counts is not None or given is not None:
            known = np.zeros(len(self), np.int64) if counts is None else counts
            added = [0 if given is None else int(given[n]) for n in new.values()]
            counts = np.concatenate([known, np.array(added, np.int64)])
        self._set_rows((*self.words, *new), matrix, counts)

    add_vector = add_vectors

    def __setitem__(self: Any, keys: str | Sequence[str], weights: Any) -> None:
        self.add_vectors(keys, weights, replace=True)

    def to_frame(self: Any) -> object:
        """Return a pandas frame: one row per word, one column per dimension."""
        with optional():
            import pandas as pd

        return pd.DataFrame(
            np.asarray(self.matrix, np.float32), index=pd.Index(self.words, name="word")
        )

    def _repr_html_(self: Any) -> str:
        """Show the first words, their counts and their first numbers."""
        from embeddings.results import html_table

        shown, wide = min(10, len(self)), min(6, self.vector_size)
        counts = [None] * shown if self.counts is None else self.counts[:shown].tolist()
        rows = np.asarray(self.matrix[:shown, :wide], dtype=np.float64).tolist()
        lines = [
            (word, count, *row)
            for word, count, row in zip(self.words[:shown], counts, rows, strict=True)
        ]
        return html_table(("word", "count", *map(str, range(wide))), lines, repr(self))
