"""Tables of test sentences: blanks to fill (a sentence with [MASK], its answer), minimal pairs of grammar, words in two contexts.

Tab-separated, UTF-8. A blank's line is ``sentence<TAB>answer``, with a group behind a further tab if there is one; several answers
that are all right are separated by ``|``. Minimal pairs have a header that names the columns ``good`` and ``bad``, and ``phenomenon``
and ``paradigm`` if they are known. Words in two contexts have a header that names `WORD_PAIR_COLUMNS`.
"""

from __future__ import annotations

from pathlib import Path

from embeddings.corpora.labelled import raw_lines
from embeddings.errors import FormatError, shortened
from embeddings.results import Value
from embeddings.text.word_positions import MASK

WORD_PAIR_COLUMNS = ("lemma", "same", "start1", "end1", "sentence1", "start2", "end2", "sentence2")
SAME = {"T": True, "F": False}


class BlankSentence(Value):
    """A ``text`` with one [MASK], the ``answer`` that stood there, and the ``group`` it is counted with ("" for none).

    ``answer`` may list several that are right, separated by ``|``.
    """

    text: str
    answer: str
    group: str = ""

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that are right, one or several."""
        return tuple(word for part in self.answer.split("|") if (word := part.strip()))


class MinimalPair(Value):
    """Two sentences that differ in one point of grammar: ``good`` is right, ``bad`` is not."""

    good: str
    bad: str
    phenomenon: str = ""
    paradigm: str = ""


class WordInContext(Value):
    """A word in a sentence: ``text[start:end]``, with ``span`` = (start, end) in characters."""

    text: str
    span: tuple[int, int]


class WordInContextPair(Value):
    """A word in two sentences; ``is_same``: it means the same in both."""

    lemma: str
    first: WordInContext
    second: WordInContext
    is_same: bool


def read_blanks(path: Path) -> tuple[BlankSentence, ...]:
    """Read sentences with a blank.

    Raises
    ------
    MissingFileError, FormatError
        If the file is not there or empty, or a line has no [MASK], several, or no answer; the sentence names the line.
    """
    blanks = []
    for number, line in enumerate(raw_lines(path), 1):
        if not line.strip():
            continue
        text, _, rest = line.partition("\t")
        answer, _, group = rest.partition("\t")
        masks = text.count(MASK)
        if masks != 1:
            raise FormatError(
                "blanks_mask", path=path, line=number, masks=masks, text=shortened(text)
            )
        blank = BlankSentence(text.strip(), answer.strip(), group.strip())
        if not blank.answers:
            raise FormatError("blanks_answer", path=path, line=number, text=shortened(text))
        blanks.append(blank)
    if not blanks:
        raise FormatError("blanks_empty", path=path)
    return tuple(blanks)


def read_minimal_pairs(path: Path) -> tuple[MinimalPair, ...]:
    """Read minimal pairs.

    Raises
    ------
    MissingFileError, FormatError
        If the file is not there or holds no pair, its header lacks a column, or a line lacks a sentence.
    """
    names, lines = _table(path, ("good", "bad"), "pairs_column")
    pairs = []
    for number, line, fields in lines:
        values = dict(zip(names, map(str.strip, fields), strict=False))
        if not values.get("good") or not values.get("bad"):
            raise FormatError("pairs_line", path=path, line=number, text=shortened(line))
        labels = (values.get("phenomenon", ""), values.get("paradigm", ""))
        pairs.append(MinimalPair(values["good"], values["bad"], *labels))
    if not pairs:
        raise FormatError("pairs_empty", path=path)
    return tuple(pairs)


def read_word_in_context(path: Path) -> tuple[WordInContextPair, ...]:
    """Read pairs of sentences that share a word, in the form of MCL-WiC (Martelli et al. 2021) as a table.

    A line has the columns `WORD_PAIR_COLUMNS`: ``same`` is T or F, ``start1`` and ``end1`` are characters of ``sentence1``, the end
    exclusive. Further columns are passed over.

    Raises
    ------
    MissingFileError, FormatError
        If the file is not there or holds no pair, its header lacks a column, or a line lacks a value, says neither T nor F, or names
        characters that are not in its sentence.
    """
    names, lines = _table(path, WORD_PAIR_COLUMNS, "wic_column")
    pairs = []
    for number, _, fields in lines:
        if len(fields) != len(names):
            raise FormatError(
                "wic_fields", path=path, line=number, fields=len(fields), expected=len(names)
            )
        row = dict(zip(names, fields, strict=True))
        same = SAME.get(row["same"].strip().upper())
        if same is None:
            raise FormatError("wic_same", path=path, line=number, value=shortened(row["same"]))
        first, second = (_word_in_context(row, side, path, number) for side in "12")
        pairs.append(WordInContextPair(row["lemma"].strip(), first, second, same))
    if not pairs:
        raise FormatError("wic_empty", path=path)
    return tuple(pairs)


def _table(
    path: Path, columns: tuple[str, ...], code: str
) -> tuple[list[str], list[tuple[int, str, list[str]]]]:
    """Return the names of the columns, and each line that is not blank: its number, itself, its fields.

    One of ``columns`` that is missing, or there twice, is a `FormatError` with a ``code``.
    """
    lines = raw_lines(path)
    names = [name.strip().lower() for name in lines[0].split("\t")] if lines else []
    if wrong := [name for name in columns if names.count(name) != 1]:
        about = {"named": shortened(", ".join(filter(None, names)) or "–"), "name": wrong[0]}
        raise FormatError(code, path=path, expected=", ".join(columns), **about)
    return names, [(n, s, s.split("\t")) for n, s in enumerate(lines[1:], 2) if s.strip()]


def _word_in_context(row: dict[str, str], side: str, path: Path, line: int) -> WordInContext:
    """Return one of the two sentences of a line."""
    text = row[f"sentence{side}"]
    ends = [row[f"{name}{side}"].strip() for name in ("start", "end")]
    if all(end.isascii() and end.isdigit() and len(end) <= 9 for end in ends):
        start, end = map(int, ends)
        if start < end <= len(text) and text[start:end].strip():
            return WordInContext(text, (start, end))
    raise FormatError(
        "wic_span",
        path=path,
        line=line,
        start=shortened(ends[0]),
        end=shortened(ends[1]),
        length=len(text),
        text=shortened(text),
    )
