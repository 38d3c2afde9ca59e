"""Text files with one example a line: sentences with labels, and sentence pairs of two languages.

Labels: SST-2's own form ("label sentence"), and tables with a header (`embeddings.corpora.tables`). The file's first line says which of
them it is: one that names a column ``label`` is a header. A BOM and every kind of line end are read.
Pairs: two files of which line n of one is the translation of line n of the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from embeddings.corpora.tables import mark_of, table_rows
from embeddings.corpora.text_files import text_lines
from embeddings.errors import FormatError, InputError, clause
from embeddings.files import check_file
from embeddings.results import Value
from embeddings.text.tokenizer import Tokenizer

LABEL, TEXTS = "label", ("sentence", "text")
_TABLES = {".tsv", ".csv"}


class LabelledTexts(Value):
    """``labels[i]`` is the label of ``texts[i]``; ``path`` is where they were read."""

    path: Path
    labels: tuple[str, ...]
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def counts(self) -> dict[str, int]:
        """How many texts each label has, in the order of the labels."""
        return dict(sorted(Counter(self.labels).items()))


class TextIds(Value):
    """Texts in ids, [CLS] first and [SEP] last; ``truncated``: tokens that each has lost at its end."""

    ids: tuple[tuple[int, ...], ...]
    truncated: tuple[int, ...]


def read_labelled(path: Path) -> LabelledTexts:
    """Read labelled sentences (UTF-8; .gz and .xz are unpacked).

    Raises
    ------
    MissingFileError, FormatError
        If the file is not there, is not text, has no column of labels or of texts, or a line lacks
        one of them; the sentence names the line.
    """
    lines = raw_lines(path)
    pairs = list((_table if _is_table(path, lines) else _plain)(path, lines))
    if not pairs:
        raise FormatError("labelled_empty", path=path)
    labels, texts = zip(*pairs, strict=True)
    return LabelledTexts(path, labels, texts)


def check_labels(training: LabelledTexts, validation: LabelledTexts) -> tuple[str, ...]:
    """Return the labels in order.

    Raises
    ------
    FormatError
        If there is one only, or the validation set has one that training lacks.
    """
    labels = tuple(training.counts)
    if len(labels) < 2:
        raise FormatError("labelled_one_class", path=training.path, label=labels[0])
    for label in validation.counts:
        if label not in labels:
            raise FormatError(
                "labelled_unknown",
                path=validation.path,
                label=label,
                training=training.path,
                choices=", ".join(labels),
            )
    return labels


def overlap(training: LabelledTexts, validation: LabelledTexts) -> int:
    """Return how many texts of the validation set training has too, letter case and spaces aside."""
    known = {_folded(text) for text in training.texts}
    return sum(_folded(text) in known for text in validation.texts)


def text_ids(wordpiece: Tokenizer, texts: Sequence[str], longest: int, lower: bool) -> TextIds:
    """Cut texts into ids of at most ``longest`` tokens.

    Raises
    ------
    InputError
        If a text is not UTF-8.
    """
    read = [" ".join((text.lower() if lower else text).split()) for text in texts]
    try:
        cut = wordpiece.ids(read)
    except TypeError as error:  # lone surrogates: how Python holds bytes that are not UTF-8
        raise InputError("wordpiece_text") from error
    ids = tuple((wordpiece.cls_id, *tokens[: longest - 2], wordpiece.sep_id) for tokens in cut)
    return TextIds(ids, tuple(max(0, len(tokens) - longest + 2) for tokens in cut))


def _folded(text: str) -> str:
    """Return a text as it is compared."""
    return " ".join(text.casefold().split())


def _is_table(path: Path, lines: Sequence[str]) -> bool:
    """Whether a file is a table by its suffix or its first line; else it is "label sentence"."""
    if _TABLES.intersection(ending.lower() for ending in path.suffixes):
        return True
    first = next(filter(str.strip, lines), "")
    names = _names(first.split(mark_of(first)))
    if "\t" in first:
        return not {LABEL, *TEXTS}.isdisjoint(names)
    # a sentence may have a comma, so both names are asked for
    return LABEL in names and not {*TEXTS}.isdisjoint(names)


def _names(fields: Sequence[str]) -> list[str]:
    """Return names of columns as they are compared."""
    return [field.strip().strip('"').lower() for field in fields]


def _plain(path: Path, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield label and sentence of each line."""
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line:
            continue
        label, *rest = line.split(maxsplit=1)
        if not rest:
            raise FormatError("labelled_line", path=path, line=number, text=line[:80])
        yield label, rest[0]


def _table(path: Path, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each row of a table; the first row names the columns, and tabs at an end stand for empty fields."""
    rows = table_rows(path, "\n".join(line.strip(" ") for line in lines))
    _, header = next(rows, (0, ()))
    names = _names(header[: _filled(header)])
    if not names:
        return
    label = _column(path, names, (LABEL,))
    text = _column(path, names, TEXTS)
    for line, row in rows:
        if len(row) < len(names) or _filled(row) > len(names):
            raise FormatError(
                "labelled_fields", path=path, line=line, found=len(row), expected=len(names)
            )
        if not (row[label].strip() and row[text].strip()):
            raise FormatError("labelled_blank", path=path, line=line)
        yield row[label].strip(), " ".join(row[text].split())


def _filled(row: Sequence[str]) -> int:
    """Return how many fields a row has without the blank ones at its end."""
    return max((count for count, field in enumerate(row, 1) if field.strip()), default=0)


def _column(path: Path, names: Sequence[str], wanted: Sequence[str]) -> int:
    """Return the place of the first of some columns that is there."""
    for name in wanted:
        if name in names:
            return names.index(name)
    raise FormatError("labelled_column", path=path, name=", ".join(wanted), found=", ".join(names))


class SentencePairs(Value):
    """``source[i]`` and ``target[i]`` mean the same; ``empty`` pairs, one side without text, were left out."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    empty: int = 0

    def __len__(self) -> int:
        return len(self.source)


def read_sentence_pairs(source: Path, target: Path) -> SentencePairs:
    """Read two files of equally many lines (UTF-8; .gz and .xz are unpacked).

    Raises
    ------
    FormatError
        If they differ in their number of lines: both are named. If they hold no pair.
    """
    first, second = read_lines(source), read_lines(target)
    if len(first) != len(second):
        raise FormatError(
            "pairs_lines", source=source, first=len(first), target=target, second=len(second)
        )
    whole = [(a, b) for a, b in zip(first, second, strict=True) if a and b]
    if not whole:
        raise FormatError("pairs_nothing", source=source, target=target)
    kept, translated = zip(*whole, strict=True)
    return SentencePairs(kept, translated, len(first) - len(whole))


def read_lines(path: Path) -> tuple[str, ...]:
    """Return all lines of a text file, blank ones too, without white space at their ends; raises as `raw_lines`."""
    return tuple(line.strip() for line in raw_lines(path))


def raw_lines(path: Path) -> tuple[str, ...]:
    """Return all lines of a text file as they are, without their line ends.

    Raises
    ------
    MissingFileError, FormatError
        If the file is not there, or is not text in UTF-8.
    """
    check_file(path, clause("name_text"))
    return tuple(text_lines(path))
