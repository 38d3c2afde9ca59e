"""Tables of test sentences: blanks to fill (a sentence with [MASK], its answer), and minimal pairs of grammar.

Tab-separated, UTF-8. A blank's line is ``sentence<TAB>answer``, with a group behind a further tab if there is one; minimal pairs
have a header that names the columns ``good`` and ``bad``, and ``phenomenon`` and ``paradigm`` if they are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from embeddings.corpora.parallel import raw_lines
from embeddings.errors import FormatError

MASK = "[MASK]"


@dataclass(frozen=True, slots=True)
class BlankSentence:
    """A ``text`` with one [MASK], the ``answer`` that stood there, and the ``group`` it is counted with ("" for none)."""

    text: str
    answer: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Two sentences that differ in one point of grammar: ``good`` is right, ``bad`` is not."""

    good: str
    bad: str
    phenomenon: str = ""
    paradigm: str = ""


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
            raise FormatError("blanks_mask", path=path, line=number, masks=masks, text=_short(text))
        if not answer.strip():
            raise FormatError("blanks_answer", path=path, line=number, text=_short(text))
        blanks.append(BlankSentence(text.strip(), answer.strip(), group.strip()))
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
    lines = raw_lines(path)
    header = lines[0].split("\t") if lines else []
    names = [name.strip().lower() for name in header]
    columns = {name: number for number, name in enumerate(names)}
    for name in ("good", "bad"):
        if names.count(name) != 1:
            named = ", ".join(names) or "–"
            raise FormatError("pairs_column", path=path, name=name, named=_short(named))
    pairs = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        fields = line.split("\t")
        values = {name: fields[at].strip() for name, at in columns.items() if at < len(fields)}
        if not values.get("good") or not values.get("bad"):
            raise FormatError("pairs_line", path=path, line=number, text=_short(line))
        labels = (values.get("phenomenon", ""), values.get("paradigm", ""))
        pairs.append(MinimalPair(values["good"], values["bad"], *labels))
    if not pairs:
        raise FormatError("pairs_empty", path=path)
    return tuple(pairs)


def _short(text: str) -> str:
    """Return the beginning of a text, for a sentence on screen."""
    return text if len(text) <= 60 else text[:59] + "…"
