"""Analogies: what is nearest to king - man + woman, by 3CosAdd or 3CosMul, with every step; and how such a formula is read.

Decisions on reading, which evaluates nothing:
- ``+`` and ``-`` separate words; so do the signs − and – (with or without spaces);
- a hyphen inside a run of letters is a minus, unless the joined word is in the vocabulary (the
  longest joined word wins): ``king-man`` subtracts, ``well-being`` is one word where it is known;
- a word in quotes ("ice-cream", «ключ», 'x') is taken as it is written; apostrophes stay (don't);
- a number before a word weighs it: ``0.5*king``, ``0,5·king``, ``2 king``; alone it is a word;
- there are no brackets: every sum can be written without them;
- ``a : b :: c : ?`` is b - a + c; the question mark may stand in any place, and a word in the fourth
  place without one is the answer that is expected.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.similarity import as_neighbours, fold_ranking
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.results import Analogy, AnalogyStep, Neighbour, Term
from embeddings.vectors.search import nearest
from embeddings.vectors.table import Vectors

__all__ = [
    "METHODS",
    "answer_rank",
    "asks_for_form",
    "formula_scores",
    "parse_formula",
    "read_proportion",
    "solve",
    "write_formula",
]


LONGEST = 1000  # characters of a formula
HYPHENS = "-\u2010\u2011"  # minus, or part of a word
MINUSES = HYPHENS + "\u2212\u2013\u2014\uff0d"  # U+2212 is the minus sign
QUOTES = {
    '"': '"',
    "'": "'",
    "«": "»",
    "„": "“”",
    "“": "”",
    "‘": "’",
    "‚": "‘’",
}
_INSIDE = "'’_.&@#$%"  # besides letters, marks and digits
_WEIGHT = re.compile(
    r"(\d+(?:[.,]\d+)?)\s*[*·×⋅]\s*|(\d+(?:[.,]\d+)?)\s+(?=[^\s+*·×⋅\u2010\u2011\u2212\u2013\u2014\uff0d-])"
)
_PROPORTION = re.compile(r"([^:∷=]+):([^:∷=]+)(?:::|∷|=)([^:∷=]+)(?::([^:∷=]*))?")
ASKED = ("?", "…", "...", "")  # what stands in the place of the word that is asked for
METHODS = ("add", "mul")
EPSILON = 0.001  # Levy and Goldberg (2014), section 4
STEP_WORDS = 5
BLOCK = 65_536  # rows scored at once


def parse_formula(text: str, vectors: Vectors) -> tuple[Term, ...]:
    """Read a formula into signed, weighted words in the model's own spelling.

    Parameters
    ----------
    text : str
        The formula.
    vectors : Vectors
        Decides which hyphens join; supplies the spelling (König becomes könig).

    Returns
    -------
    tuple of Term
        In the order of the formula, at least one.

    Raises
    ------
    InputError
        A formula that cannot be read; ``fields`` hold ``position`` (from 1) and ``pointer``, a
        line with a caret under that character.
    UnknownWordError
        A word that the model lacks, with close spellings.

    Examples
    --------
    >>> import numpy as np
    >>> table = Vectors(["king", "man"], np.eye(2, dtype=np.float32))
    >>> parse_formula("King−0.5*man", table)
    (Term(word='king', weight=1.0), Term(word='man', weight=-0.5))
    """
    proportion = read_proportion(text)
    return _Reader(text if proportion is None else proportion[0], vectors).terms()


def read_proportion(text: str) -> tuple[str, str] | None:
    """Read ``a : b :: c : d`` as the formula that asks for its unknown.

    Parameters
    ----------
    text : str
        A proportion with ? for one of its words, or without a fourth word; ``=`` may stand for ``::``.

    Returns
    -------
    tuple of str or None
        The formula, and the word that is expected ("" where none is given); None for a text that is no proportion.

    Raises
    ------
    InputError
        With ``::`` but without three words, or with more than one question mark.

    Examples
    --------
    >>> read_proportion("king : man :: queen : ?"), read_proportion("king:man::queen:woman")
    (('man - king + queen', ''), ('man - king + queen', 'woman'))
    """
    match = _PROPORTION.fullmatch(text.strip())
    if match is None:
        if "::" in text or "∷" in text:
            raise InputError("formula_proportion", formula=text[:LONGEST])
        return None
    words = ["" if part is None else part.strip() for part in match.groups()]
    unknown = [place for place, word in enumerate(words) if word in ASKED]
    if len(unknown) > 1:
        raise InputError("formula_proportion", formula=text[:LONGEST])
    a, b, c, d = (quote(_without_quotes(word)) for word in words)
    place = unknown[0] if unknown else 3
    plus, minus, other = ((c, d, b), (d, c, a), (a, b, d), (b, a, c))[place]
    return f"{plus} - {minus} + {other}", "" if unknown else _without_quotes(words[3])


def _without_quotes(word: str) -> str:
    """Take the quotes off a word."""
    closing = QUOTES.get(word[:1])
    return word[1:-1].strip() if closing and len(word) > 2 and word[-1] in closing else word


def write_formula(terms: tuple[Term, ...]) -> str:
    """Write terms as a formula that `parse_formula` reads back, as ``king - man + 2*woman``."""
    parts = []
    for number, term in enumerate(terms):
        sign = "-" if term.weight < 0 else "+"
        size = abs(term.weight)
        weight = "" if size == 1 else f"{size:.12f}".rstrip("0").rstrip(".") + "*"
        lead = f" {sign} " if number else sign.replace("+", "")
        parts.append(lead + weight + quote(term.word))
    return "".join(parts)


def quote(word: str) -> str:
    """Put a word in quotes if a formula could read it otherwise."""
    plain = word and all(_is_inside(c) for c in word) and word[0] not in QUOTES
    if plain and not word[0].isdigit():
        return word
    for opening, closing in QUOTES.items():
        if not set(closing) & set(word) and not (opening == "'" and "’" in word):
            return opening + word + closing[0]
    return word


class _Reader:
    """One pass over a formula."""

    def __init__(self, text: str, vectors: Vectors) -> None:
        self.text = re.sub(r"\s", " ", text)  # tabs and line ends would shift the caret
        self.vectors = vectors
        self.at = 0

    def terms(self) -> tuple[Term, ...]:
        """Read all of it."""
        if not self.text.strip():
            raise InputError("formula_empty")
        if len(self.text) > LONGEST:
            raise InputError("formula_long", length=len(self.text), bound=LONGEST)
        terms: list[Term] = []
        self._skip()
        sign = self._sign() or 1.0
        while True:
            terms += self._term(sign)
            self._skip()
            if self.at == len(self.text):
                return tuple(terms)
            following = self._sign()
            if following is None:
                self._refuse_after()
            sign = following

    def _term(self, sign: float) -> list[Term]:
        """Read a weight and a word, or words that hyphens part."""
        self._skip()
        weight = sign * self._weight()
        self._skip()
        opening = self.text[self.at : self.at + 1]
        if opening in QUOTES and opening:
            return [self._known(self._quoted(), weight)]
        pieces = self._run()
        if not pieces:
            self._refuse_word(opening)
        terms, start = [], 0
        while start < len(pieces):
            end = len(pieces)
            while end > start + 1 and self._row("-".join(pieces[start:end])) is None:
                end -= 1
            size = weight if start == 0 else -1.0
            terms.append(self._known("-".join(pieces[start:end]), size))
            start = end
        return terms

    def _run(self) -> list[str]:
        """Read letters, and hyphens that have letters on both sides; return the pieces between."""
        start = self.at
        while self.at < len(self.text) and self._goes_on():
            self.at += 1
        run = self.text[start : self.at]
        return re.split(f"[{HYPHENS[1:]}-]", run) if run else []

    def _goes_on(self) -> bool:
        """Whether the character here belongs to the run of letters."""
        character = self.text[self.at]
        if character in HYPHENS:
            before, after = self.text[self.at - 1 : self.at], self.text[self.at + 1 : self.at + 2]
            return bool(before and after and _is_inside(before) and _is_inside(after))
        return _is_inside(character)

    def _quoted(self) -> str:
        """Read up to the closing quote; an apostrophe before a letter does not close."""
        opened, closing = self.at, QUOTES[self.text[self.at]]
        end = opened + 1
        while not self._closes(end, closing):
            end += 1
            if end >= len(self.text):
                self._refuse("formula_quote", opened)
        self.at = end + 1
        word = self.text[opened + 1 : end].strip()
        if not word:
            self._refuse("formula_word", opened)
        return word

    def _closes(self, at: int, closing: str) -> bool:
        """Whether the character there closes a quote; an apostrophe before a letter does not."""
        character, after = self.text[at : at + 1], self.text[at + 1 : at + 2]
        inside = character in "'’" and after != "" and _is_inside(after)
        return character != "" and character in closing and not inside

    def _weight(self) -> float:
        """Read a weight; 1 where there is none."""
        match = _WEIGHT.match(self.text, self.at)
        if match is None:
            return 1.0
        value = float((match[1] or match[2]).replace(",", "."))
        if not 0 < value <= 1000:
            self._refuse("formula_weight", self.at)
        self.at = match.end()
        return value

    def _sign(self) -> float | None:
        """Read + or a minus; None where there is neither."""
        character = self.text[self.at : self.at + 1]
        if not character or character not in MINUSES + "+":
            return None
        self.at += 1
        return 1.0 if character == "+" else -1.0

    def _known(self, word: str, weight: float) -> Term:
        """Give the term in the model's spelling; raises `UnknownWordError`."""
        row, sense = self._row(word), self.vectors.sense_row(word)
        if row is None and sense is not None and self.vectors.senses is not None:
            return Term(self.vectors.senses.label(sense), weight)
        return Term(self.vectors.words[self.vectors.row(word) if row is None else row], weight)

    def _row(self, word: str) -> int | None:
        """Row of a word as it stands, or with a plain apostrophe."""
        row = self.vectors.find(word)
        return self.vectors.find(word.replace("’", "'")) if row is None else row

    def _skip(self) -> None:
        """Pass over spaces."""
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1

    def _refuse_word(self, character: str) -> NoReturn:
        """Refuse what stands in a word's place."""
        if character and character in "()[]{}":
            self._refuse("formula_brackets", self.at)
        known = not character or character in MINUSES + "+"
        self._refuse("formula_word" if known else "formula_character", self.at)

    def _refuse_after(self) -> NoReturn:
        """Refuse what stands in an operator's place."""
        character = self.text[self.at]
        if character in "()[]{}":
            self._refuse("formula_brackets", self.at)
        wordlike = _is_inside(character) or character in QUOTES
        self._refuse("formula_operator" if wordlike else "formula_character", self.at)

    def _refuse(self, code: str, at: int) -> NoReturn:
        """Raise an error that points at a character."""
        raise InputError(
            code,
            formula=self.text,
            position=at + 1,
            found=self.text[at : at + 1],
            pointer=" " * at + "^",
        )


def _is_inside(character: str) -> bool:
    """Whether a character can be part of a word without quotes."""
    return character.isalnum() or character in _INSIDE or unicodedata.category(character)[0] == "M"


def solve(
    vectors: Vectors,
    formula: str | tuple[Term, ...],
    *,
    method: str = "add",
    topn: int = 10,
    include_inputs: bool = False,
    fold: Callable[[str], str] | None = None,
) -> Analogy:
    """Return the words nearest to a formula.

    "add" ranks words x by cos(x, sum of weight times unit vector). "mul" ranks them by the product
    of s(x, p) ** weight over the positive words p, divided by that over the negative ones plus
    0.001, where s = (1 + cos) / 2.

    Parameters
    ----------
    vectors : Vectors
        The table.
    formula : str or tuple of Term
        Read by `parse_formula`, or already read.
    method : {"add", "mul"}
        3CosAdd or 3CosMul.
    topn : int, default 10
        Number of answers.
    include_inputs : bool, default False
        Whether the formula's own words may answer.
    fold : callable, optional
        Gives a word's lemma: forms of one lemma are one answer, under the lemma where the model has it,
        and forms of the formula's words are left out unless they may answer. Nothing is folded where
        the formula asks for a form (`asks_for_form`).

    Returns
    -------
    Analogy
        ``steps`` are the sums before the last, each with its five nearest words by cosine (a quotient of few factors ranks noise first),
        the words summed so far excluded likewise.

    Raises
    ------
    InputError, UnknownWordError
        A formula that cannot be read or whose words cancel; a word without a vector.

    Examples
    --------
    >>> table = Vectors(
    ...     ["man", "woman", "king", "queen"],
    ...     np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], np.float32),
    ... )
    >>> solve(table, "king - man + woman").answers[0].word
    'queen'
    """
    check_choice("method", method, METHODS)
    check_range("topn", topn, 1, np.inf)
    terms = parse_formula(formula, vectors) if isinstance(formula, str) else tuple(formula)
    if not terms:
        raise InputError("formula_empty")
    vectors = vectors.with_senses(term.word for term in terms)
    rows = [vectors.row(term.word) for term in terms]
    terms = tuple(Term(vectors.words[r], t.weight) for r, t in zip(rows, terms, strict=True))
    fold = None if fold is None or asks_for_form(terms, fold) else fold
    weights = np.array([term.weight for term in terms], dtype=np.float32)
    total = weights @ vectors.unit_rows(rows)
    length = float(np.linalg.norm(total))
    if length < 1e-6 * float(np.abs(weights).sum()):
        raise InputError("formula_zero", formula=write_formula(terms))
    rule = _Rule(method, include_inputs, fold)
    by_cosine = replace(rule, method="add")
    steps = tuple(
        AnalogyStep(
            write_formula(terms[:n]),
            _ranked(vectors, rows[:n], weights[:n], by_cosine, STEP_WORDS),
        )
        for n in range(1, len(terms))
    )
    return Analogy(
        expression=write_formula(terms),
        terms=terms,
        method=method,
        include_inputs=include_inputs,
        answers=_ranked(vectors, rows, weights, rule, topn),
        steps=steps,
        vector=np.asarray(total / length, dtype=np.float32),
        is_folded=fold is not None,
    )


def asks_for_form(terms: Sequence[Term], fold: Callable[[str], str]) -> bool:
    """Whether two words of a formula are forms of one, as in walking - walk + swim.

    Examples
    --------
    >>> asks_for_form((Term("walking"), Term("walk", -1.0)), {"walking": "walk", "walk": "walk"}.get)
    True
    """
    words = {term.word for term in terms}
    return len({fold(word) for word in words}) < len(words)


def answer_rank(
    vectors: Vectors, analogy: Analogy, word: str, fold: Callable[[str], str] | None = None
) -> int | None:
    """Return the rank of a word among all answers to a formula, from 1.

    Parameters
    ----------
    vectors : Vectors
        The table that answered.
    analogy : Analogy
        Its answer; ranked by the same method, the formula's words left out likewise.
    word : str
        The word that is expected.
    fold : callable, optional
        As `solve` was given; where the answer is folded, lemmas are counted, and any form of ``word`` counts.

    Returns
    -------
    int or None
        None for a word that cannot answer: one of the formula's own, or a form of it.

    Raises
    ------
    UnknownWordError
        The model lacks the word.
    """
    vectors = vectors.with_senses([word, *(term.word for term in analogy.terms)])
    expected = vectors.row(word)
    rows = [vectors.row(term.word) for term in analogy.terms]
    weights = np.array([term.weight for term in analogy.terms], dtype=np.float32)
    scores = formula_scores(vectors, rows, weights, analogy.method)
    given = [] if analogy.include_inputs else _left_out(vectors, rows)
    if fold is None or not analogy.is_folded:
        if expected in given:
            return None
        return 1 + int((np.delete(scores, given) > scores[expected]).sum())
    target, passed_over = fold(vectors.words[expected]), {fold(vectors.words[r]) for r in given}
    if target in passed_over:
        return None
    lemmas: set[str] = set()
    for row in np.argsort(-scores, kind="stable"):
        lemma = fold(vectors.words[row])
        if lemma == target:
            break
        lemmas.add(lemma)
    return 1 + len(lemmas - passed_over)


@dataclass(frozen=True, slots=True)
class _Rule:
    """How answers are ranked, which may answer, and what gives a word's lemma where forms are folded."""

    method: str
    include_inputs: bool
    fold: Callable[[str], str] | None


def _ranked(
    vectors: Vectors,
    rows: list[int],
    weights: NDArray[np.float32],
    rule: _Rule,
    topn: int,
) -> tuple[Neighbour, ...]:
    """Rank all words by the rule; nothing where the words cancel."""
    excluded = [] if rule.include_inputs else _left_out(vectors, rows)
    total = weights @ vectors.unit_rows(rows)
    if rule.method == "add" and np.linalg.norm(total) < 1e-6 * np.abs(weights).sum():
        return ()
    scores = _products(vectors, rows, weights) if rule.method == "mul" else None

    def ranked(count: int) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return the first so many rows, and their scores."""
        if scores is None:
            return nearest(vectors, total, count, excluded=excluded)
        scores[excluded] = -1  # products are not negative
        best = np.argsort(-scores, kind="stable")[:count]
        best = best[scores[best] >= 0]
        return best, scores[best]

    if rule.fold is None:
        return as_neighbours(vectors, *ranked(topn))
    lemmas = {rule.fold(vectors.words[row]) for row in excluded}
    return fold_ranking(vectors, ranked, topn, rule.fold, lemmas)


def _left_out(vectors: Vectors, rows: Sequence[int]) -> list[int]:
    """Rows of a formula's words, and of a sense all forms of its word."""
    listed = (row for given in rows for row in vectors.rows_left_out(vectors.words[given]))
    return list(dict.fromkeys(listed))


def formula_scores(
    vectors: Vectors, rows: Sequence[int], weights: NDArray[np.float32], method: str
) -> NDArray[np.floating]:
    """Return the score of every word for a formula, its own words included.

    Parameters
    ----------
    vectors : Vectors
    rows : sequence of int
        The formula's words.
    weights : NDArray of float32, shape (terms,)
    method : {"add", "mul"}

    Returns
    -------
    NDArray, shape (words,)
        Cosines ("add") or products of similarities ("mul").
    """
    if method == "mul":
        return _products(vectors, rows, weights)
    total = weights @ vectors.unit_rows(rows)
    total /= max(float(np.linalg.norm(total)), 1e-30)
    blocks = (slice(start, start + BLOCK) for start in range(0, len(vectors), BLOCK))
    cosines = [vectors.unit_rows(block) @ total for block in blocks]
    return np.concatenate(cosines)


def _products(
    vectors: Vectors, rows: Sequence[int], weights: NDArray[np.float32]
) -> NDArray[np.float64]:
    """3CosMul of every word, float64, shape (words,)."""
    given = vectors.unit_rows(rows).T
    blocks = (slice(start, start + BLOCK) for start in range(0, len(vectors), BLOCK))
    cosines = np.concatenate([vectors.unit_rows(block) @ given for block in blocks])
    shifted = (1 + np.clip(cosines, -1, 1)) / 2
    powers: NDArray[np.float64] = shifted.astype(np.float64) ** np.abs(weights)
    above, below = powers[:, weights > 0].prod(axis=1), powers[:, weights < 0].prod(axis=1)
    scores: NDArray[np.float64] = above / (below + EPSILON) if (weights < 0).any() else above
    return scores
