"""Scores on analogy and similarity test sets, always with their coverage.

Decisions: words are looked up in the model's own casing; a question counts as covered when all four
words are among the ``restrict_vocab`` most frequent; inputs are excluded from the answer; questions
that a set repeats count as often as they stand there (the German set repeats 212). Both as gensim
does, so that the accuracies are equal. Mikolov et al. (2013); 3CosAdd.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.analysis.score_answers import AnalogyScore, PairScore, SectionScore
from embeddings.arrays import Bools, Float32s, Float64s, Floats, Int64s, slices
from embeddings.configuration import check_range
from embeddings.errors import FormatError, clause
from embeddings.files import check_file, read_text
from embeddings.vectors.formats import to_gensim
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Section = tuple[str, list[tuple[str, ...]]]  # its name, and questions of four words
QUESTIONS_AT_A_TIME = 256  # questions scored at once: 256 x 30 000 float32 are 31 MB


def evaluate_analogies(
    vectors: Vectors, path: str | Path | Sequence[str | Path], restrict_vocab: int = 30_000
) -> AnalogyScore:
    """Answer each question "a is to b as c is to ?" by 3CosAdd and count the right ones.

    Parameters
    ----------
    vectors : Vectors
        Rows by falling frequency.
    path : str, Path, or sequence of these
        Several files count as one set. Lines of four words, under ``: section`` lines (Google's format); LF, CRLF or CR, UTF-8.
        Questions before the first section line belong to a section that is called as the file.
    restrict_vocab : int, default 30 000
        Questions and answers are confined to so many most frequent words.

    Returns
    -------
    AnalogyScore
        ``accuracy`` is the share of covered questions whose nearest word, inputs excluded, is the
        expected one.

    Raises
    ------
    MissingFileError, FormatError
        A file that is not there, not UTF-8, without questions, or with a line of other than four
        words.

    References
    ----------
    Mikolov et al. (2013), "Efficient estimation of word representations in vector space", section
    4.
    """
    check_range("restrict_vocab", restrict_vocab, 1, math.inf)
    restricted = min(restrict_vocab, len(vectors))
    sections = []
    paths = [path] if isinstance(path, str | Path) else path
    for name, questions in chain.from_iterable(map(read_analogies, paths)):
        rows = [_rows(vectors, question, restricted) for question in questions]
        covered = np.array([row for row in rows if row], dtype=np.int64).reshape(-1, 4)
        correct = int(_are_right(vectors.unit_rows(slice(restricted)), covered).sum())
        sections.append(SectionScore(name, correct, len(covered), len(questions)))
    return _total(sections)


def combine(scores: Sequence[AnalogyScore]) -> AnalogyScore:
    """Return several sets as one: the sections of all, the accuracy over all covered questions."""
    return _total([section for score in scores for section in score.sections])


def evaluate_pairs(vectors: Vectors, path: str | Path) -> PairScore:
    """Spearman's rank correlation between the model's cosines and people's judgements.

    Parameters
    ----------
    vectors : Vectors
        Any table; words that it lacks lower the coverage.
    path : str or Path
        Lines ``word, word, score`` separated by tabs, commas, semicolons or spaces, with or without a
        header; further fields and lines that start with # are passed over; LF, CRLF or CR, UTF-8.

    Returns
    -------
    PairScore
        ``spearman`` in [-1, 1]; NaN when fewer than two pairs are covered.

    Raises
    ------
    MissingFileError, FormatError
        A file that is not there, not UTF-8, without pairs, or with a line that is not two words and
        a number.
    """
    pairs = read_word_pairs(path)
    covered = [
        (first, second, score)
        for a, b, score in pairs
        if (first := vectors.find(a)) is not None and (second := vectors.find(b)) is not None
    ]
    left = vectors.unit_rows([first for first, _, _ in covered])
    right = vectors.unit_rows([second for _, second, _ in covered])
    cosines = np.einsum("ij,ij->i", left, right)
    scores = np.array([score for _, _, score in covered], dtype=np.float64)
    return PairScore(Path(path).name, spearman(cosines, scores), len(covered), len(pairs))


def evaluate_word_pairs(
    vectors: Vectors, *arguments: Any, **options: Any
) -> tuple[Any, Any, float]:
    """Call gensim's method of this name with its arguments.

    Returns
    -------
    tuple of (statistic, p), (statistic, p), float
        Pearson's and Spearman's correlation with the ratings of the file, and the percentage of pairs left out.

    Raises
    ------
    MissingLibraryError
        If gensim is not installed.
    """
    return _words_in_gensim(vectors).evaluate_word_pairs(*arguments, **options)


def evaluate_word_analogies(
    vectors: Vectors, *arguments: Any, **options: Any
) -> tuple[float, list[dict[str, Any]]]:
    """Call gensim's method of this name: return the accuracy, and each section's questions, answered right and wrong.

    Raises
    ------
    MissingLibraryError
        If gensim is not installed.
    """
    return _words_in_gensim(vectors).evaluate_word_analogies(*arguments, **options)


def _words_in_gensim(vectors: Vectors) -> KeyedVectors:
    """Return the words alone: what is composed of n-grams takes no part in these two."""
    return to_gensim(Vectors(vectors.words, vectors.matrix))


def spearman(first: Floats, second: Floats) -> float:
    """Spearman's rank correlation in [-1, 1]; ties share their mean rank, a constant side is NaN.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0]))
    0.5
    """
    a, b = average_ranks(first), average_ranks(second)
    if len(a) < 2 or not a.std() or not b.std():
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def average_ranks(values: Floats) -> Float64s:
    """Ranks from 1; equal values share the mean of the ranks that they take."""
    _, inverse, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def read_analogies(path: str | Path) -> list[Section]:
    """Sections of an analogy set in the order of the file: name, and questions of four words.

    Raises
    ------
    MissingFileError, FormatError
        As for `evaluate_analogies`.
    """
    sections: list[Section] = []
    for number, line in _lines(path):
        if line.startswith(":"):
            sections.append((line[1:].strip(), []))
            continue
        words = tuple(line.split())
        if len(words) != 4:
            raise FormatError(
                "evaluation_question", path=path, line=number, found=len(words), text=line[:80]
            )
        if not sections:
            sections.append((Path(path).stem, []))
        sections[-1][1].append(words)
    if not any(questions for _, questions in sections):
        raise FormatError("evaluation_empty", path=path, what="a b c d")
    return sections


def read_word_pairs(path: str | Path) -> list[tuple[str, str, float]]:
    """Pairs of words with people's judgement of them, in the order of the file."""
    pairs: list[tuple[str, str, float]] = []
    first = True
    for number, line in _lines(path):
        if line.startswith("#"):
            continue
        fields = _fields(line)
        score = _number(fields[2]) if len(fields) > 2 else None
        if score is None and not (first and len(fields) > 2):
            raise FormatError("evaluation_pair", path=path, line=number, text=line[:80])
        if score is not None:
            pairs.append((fields[0], fields[1], score))
        first = False
    if not pairs:
        raise FormatError("evaluation_empty", path=path, what=clause("pair_line"))
    return pairs


def _rows(vectors: Vectors, words: Sequence[str], restricted: int) -> list[int]:
    """Rows of all words, or nothing if one is missing or beyond the restriction."""
    rows = [vectors.find(word) for word in words]
    known = [row for row in rows if row is not None and row < restricted]
    return known if len(known) == len(words) else []


def _are_right(unit: Float32s, questions: Int64s) -> Bools:
    """Whether questions (n, 4) have their fourth word nearest to b - a + c, inputs excluded."""
    right = np.zeros(len(questions), np.bool_)
    for part in slices(len(questions), QUESTIONS_AT_A_TIME):
        a, b, c, expected = questions[part].T
        scores = (unit[b] - unit[a] + unit[c]) @ unit.T  # (block, words)
        each = np.arange(len(a))
        for inputs in (a, b, c):
            scores[each, inputs] = -np.inf
        right[part] = scores.argmax(axis=1) == expected
    return right


def _total(sections: list[SectionScore]) -> AnalogyScore:
    """Sum the sections."""
    correct = sum(section.correct for section in sections)
    covered = sum(section.covered for section in sections)
    total = sum(section.total for section in sections)
    return AnalogyScore(correct / covered if covered else math.nan, covered, total, tuple(sections))


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield lines that are not blank, with their number; they end in LF, CRLF or CR."""
    check_file(Path(path), clause("name_test_set"))
    for number, line in enumerate(read_text(Path(path)).split("\n"), 1):
        if stripped := line.strip():
            yield number, stripped


def _fields(line: str) -> list[str]:
    """Split at tabs, else semicolons, else commas, else spaces."""
    separator = next((sign for sign in "\t;," if sign in line), None)
    return [field.strip() for field in line.split(separator)]


def _number(text: str) -> float | None:
    """Return a finite number, or None."""
    with suppress(ValueError):
        if math.isfinite(value := float(text)):
            return value
    return None
