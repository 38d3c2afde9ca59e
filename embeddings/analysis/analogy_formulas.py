"""Formulas of analogies, king - man + woman and man : king :: woman : ?, read and written; nothing in them is evaluated.

Decisions on reading:
- ``+`` and ``-`` separate words; so do the signs − and – (with or without spaces);
- a hyphen inside a run of letters is a minus, unless the joined word is in the vocabulary (the
  longest joined word wins): ``king-man`` subtracts, ``well-being`` is one word where it is known;
- a word in quotes ("ice-cream", «ключ», 'x') is taken as it is written; apostrophes stay (don't);
- a number before a word weighs it: ``0.5*king``, ``0,5·king``, ``2 king``; alone it is a word;
- there are no brackets: every sum can be written without them;
- ``a : b :: c : ?`` is b - a + c; the question mark may be in any place, and a word in the fourth
  place without one is the answer that is expected.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn

from embeddings.analysis.vector_answers import Term
from embeddings.errors import InputError
from embeddings.vectors.table import Vectors

__all__ = ["parse_formula", "quote", "read_proportion", "write_formula"]

MAX_FORMULA = 1000  # characters of a formula
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
            raise InputError("formula_proportion", formula=text[:MAX_FORMULA])
        return None
    words = ["" if part is None else part.strip() for part in match.groups()]
    unknown = [place for place, word in enumerate(words) if word in ASKED]
    if len(unknown) > 1:
        raise InputError("formula_proportion", formula=text[:MAX_FORMULA])
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
        if len(self.text) > MAX_FORMULA:
            raise InputError("formula_long", length=len(self.text), bound=MAX_FORMULA)
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
            while end > start + 1 and self.vectors.find("-".join(pieces[start:end])) is None:
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
        row, sense = self.vectors.find(word), self.vectors.sense_row(word)
        if row is None and sense is not None and self.vectors.senses is not None:
            return Term(self.vectors.senses.label(sense), weight)
        return Term(self.vectors.words[self.vectors.row(word) if row is None else row], weight)

    def _skip(self) -> None:
        """Pass over spaces."""
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1

    def _refuse_word(self, character: str) -> NoReturn:
        """Raise the error for what was found where a word is expected."""
        if character and character in "()[]{}":
            self._refuse("formula_brackets", self.at)
        known = not character or character in MINUSES + "+"
        self._refuse("formula_word" if known else "formula_character", self.at)

    def _refuse_after(self) -> NoReturn:
        """Raise the error for what was found where an operator is expected."""
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
