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
from itertools import takewhile
from typing import NoReturn

from embeddings.analysis.vector_answers import Term
from embeddings.errors import InputError
from embeddings.vectors.table import Vectors

MAX_FORMULA = 1000  # characters of a formula
HYPHENS = "-\u2010\u2011"  # minus, or part of a word
SIGNS = {"+": 1.0} | dict.fromkeys(HYPHENS + "\u2212\u2013\u2014\uff0d", -1.0)  # U+2212 is minus
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
_JOINED = re.compile(r"[^\-\u2010\u2011]+(?:[\-\u2010\u2011][^\-\u2010\u2011]+)*")
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
    formula = text if proportion is None else proportion[0]
    formula = re.sub(r"\s", " ", formula)  # tabs and line ends would shift the caret
    if not formula.strip():
        raise InputError("formula_empty")
    if len(formula) > MAX_FORMULA:
        raise InputError("formula_long", length=len(formula), bound=MAX_FORMULA)
    terms: list[Term] = []
    at = _past_spaces(formula, 0)
    while at < len(formula):
        sign = SIGNS.get(formula[at])
        if sign is None and terms:
            is_word = _is_inside(formula[at]) or formula[at] in QUOTES
            _refuse(formula, at, "formula_operator" if is_word else "formula_character")
        start = at if sign is None else _past_spaces(formula, at + 1)
        found, at = _read_term(formula, start, sign or 1.0, vectors)
        terms += found
        at = _past_spaces(formula, at)
    return tuple(terms)


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


def _read_term(text: str, at: int, weight: float, vectors: Vectors) -> tuple[list[Term], int]:
    """Read a weight and a word, or words that hyphens part; return them and the place behind them."""
    if match := _WEIGHT.match(text, at):
        value = float((match[1] or match[2]).replace(",", "."))
        if not 0 < value <= 1000:
            _refuse(text, at, "formula_weight")
        weight, at = weight * value, _past_spaces(text, match.end())
    opening = text[at : at + 1]
    if opening and opening in QUOTES:
        end = _closing_quote(text, at)
        if not (word := text[at + 1 : end].strip()):
            _refuse(text, at, "formula_word")
        return [_known(word, weight, vectors)], end + 1
    letters = takewhile(lambda c: c in HYPHENS or _is_inside(c), text[at:])
    run = _JOINED.match("".join(letters))
    if run is None:
        _refuse(
            text, at, "formula_word" if not opening or opening in SIGNS else "formula_character"
        )
    pieces = re.split(f"[{HYPHENS[1:]}-]", run[0])
    terms, start = [], 0
    while start < len(pieces):
        end = len(pieces)
        while end > start + 1 and vectors.find("-".join(pieces[start:end])) is None:
            end -= 1
        size = weight if start == 0 else -1.0
        terms.append(_known("-".join(pieces[start:end]), size, vectors))
        start = end
    return terms, at + run.end()


def _closing_quote(text: str, opened: int) -> int:
    """Return the place of the quote that closes; an apostrophe before a letter does not."""
    closing = QUOTES[text[opened]]
    for at in range(opened + 1, len(text)):
        is_apostrophe = text[at] in "'’" and _is_inside(text[at + 1 : at + 2] or " ")
        if text[at] in closing and not is_apostrophe:
            break
    else:
        _refuse(text, opened, "formula_quote")
    return at


def _known(word: str, weight: float, vectors: Vectors) -> Term:
    """Give the term in the model's spelling; raises `UnknownWordError`."""
    row, sense = vectors.find(word), vectors.sense_row(word)
    if row is None and sense is not None and vectors.senses is not None:
        return Term(vectors.senses.label(sense), weight)
    return Term(vectors.words[vectors.row(word) if row is None else row], weight)


def _past_spaces(text: str, at: int) -> int:
    """Return the place of the first character from ``at`` on that is no space."""
    return len(text) - len(text[at:].lstrip(" "))


def _refuse(text: str, at: int, code: str) -> NoReturn:
    """Raise an error that points at a character: of a bracket that there are none."""
    found = text[at : at + 1]
    code = "formula_brackets" if found and found in "()[]{}" else code
    pointer = " " * at + "^"
    raise InputError(code, formula=text, position=at + 1, found=found, pointer=pointer)


def _is_inside(character: str) -> bool:
    """Whether a character can be part of a word without quotes."""
    return character.isalnum() or character in _INSIDE or unicodedata.category(character)[0] == "M"
