"""Contexts of ambiguous words: the tab-separated form of RUSSE 2018, the word's positions, and the words around it.

The form (Panchenko et al. 2018, section 3): one context a line, first line context_id, word,
gold_sense_id, predict_sense_id, positions (start-end in characters, end exclusive, several with
commas) and context. The two sense columns may be missing. `embeddings.corpora.tables` says which
quote marks are text.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from embeddings.corpora.corpus_answers import SurroundingWord
from embeddings.corpora.tables import table_rows
from embeddings.errors import FormatError, InputError, clause
from embeddings.files import atomic_file, check_file, read_text
from embeddings.results import Value
from embeddings.text.lemmas import lemma, lemma_key, same_word
from embeddings.text.word_positions import occurrences, words_at
from embeddings.text.words import normalize

COLUMNS = ("context_id", "word", "gold_sense_id", "predict_sense_id", "positions", "context")
OPTIONAL = ("gold_sense_id", "predict_sense_id")
MOST_COLUMNS = 1000
_POSITION = re.compile(r"(\d{1,9})-(\d{1,9})")
_FUNCTION_WORDS = {
    "en": re.compile(r"\b(?:the|of|and|to|is|he|she|it|his|her|that|a|with|on|at|for|by)\b"),
    "de": re.compile(
        r"\b(?:der|die|das|und|ist|er|sie|es|eine?|den|dem|im|mit|auf|zu|von)\b|[äöüß]"
    ),
}
FAR = 5  # distance of all words where the word itself does not stand in its context


class Context(Value):
    """One use of a word: ``gold`` and ``predicted`` are sense ids, "" where not known.

    ``positions``: (start, end) in characters of ``text``, as the file has them; `locate` checks them.
    ``further``: the file's other columns, each with its value.
    """

    context_id: str
    word: str
    gold: str
    predicted: str
    positions: tuple[tuple[int, int], ...]
    text: str
    further: tuple[tuple[str, str], ...] = ()


def read_contexts(path: str | Path) -> tuple[Context, ...]:
    """Read a table with the columns of RUSSE 2018, whatever separates them; further columns are kept in ``further``.

    Raises
    ------
    MissingFileError
        If there is no such file.
    FormatError
        If it is not UTF-8, lacks a column or has one twice, holds no context, or a line does not fit.
    """
    path = Path(path)
    check_file(path, clause("name_contexts"))
    rows = table_rows(path, read_text(path))
    header = [name.strip() for name in next(rows, (1, []))[1]]
    check_columns(path, header)
    contexts = []
    for line, row in rows:
        if len(row) != len(header):
            fields = {"found": len(row), "expected": len(header)}
            raise FormatError("contexts_fields", path=path, line=line, **fields)
        contexts.append(parse_context(dict(zip(header, row, strict=True)), path, line))
    if not contexts:
        raise FormatError("contexts_empty", path=path)
    return tuple(contexts)


def check_columns(path: Path, header: Sequence[str]) -> None:
    """Refuse names of columns that lack one, or have one twice, or are too many."""
    for name in COLUMNS:
        if name not in header and name not in OPTIONAL:
            raise FormatError("contexts_column", path=path, name=name, expected=", ".join(COLUMNS))
    if len(header) > MOST_COLUMNS:
        raise FormatError("contexts_columns", path=path, found=len(header), bound=MOST_COLUMNS)
    counts = Counter(header)
    if twice := [name for name in header if counts[name] > 1]:
        raise FormatError("contexts_twice", path=path, name=twice[0])


def write_contexts(path: str | Path, contexts: Iterable[Context], *, mark: str = "\t") -> None:
    """Write all six columns and then the further ones, quoted as the shared task's own files are; whole or not at all.

    A table with other marks than tabs has a byte order mark, else Excel misreads letters, and keeps the line ends in its cells.
    """
    is_tabbed = mark == "\t"
    columns, rows = context_rows(tuple(contexts))
    with (
        atomic_file(Path(path)) as temporary,
        temporary.open("w", encoding="utf-8" if is_tabbed else "utf-8-sig", newline="") as file,
    ):
        writer = csv.writer(file, delimiter=mark, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([re.sub(r"[\t\r\n]", " ", f) if is_tabbed else f for f in row])


def context_rows(contexts: Sequence[Context]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the names of all columns, the further ones last, and the fields of each context."""
    names = tuple(dict.fromkeys(name for context in contexts for name, _ in context.further))
    rows = []
    for context in contexts:
        positions = ",".join(f"{start}-{end}" for start, end in context.positions)
        further = dict(context.further)
        fields = (context.context_id, context.word, context.gold, context.predicted, positions)
        rows.append((*fields, context.text, *(further.get(name, "") for name in names)))
    return (*COLUMNS, *names), rows


def locate(context: Context, language: str) -> tuple[tuple[int, int], ...]:
    """Where the word of ``context`` stands: its positions where the word is there, else `occurrences`.

    A position holds where the text at it begins as the word does, or is a form of it.

    Raises
    ------
    InputError
        If the word is nowhere in the context.
    """
    spans = spans_of(context, language)
    if not spans:
        raise InputError(
            "contexts_word_absent", word=context.word, id=context.context_id, text=context.text[:80]
        )
    return spans


def spans_of(context: Context, language: str) -> tuple[tuple[int, int], ...]:
    """Return what `locate` returns, () where the word is nowhere in the context."""
    length = len(context.text)
    held = tuple(
        (start, min(end, length))
        for start, end in context.positions
        if (there := context.text[start:end])
        and (_begins_alike(there, context.word) or same_word(there, context.word, language))
    )
    return held or occurrences(context.text, context.word, language)


def guess_language(texts: Iterable[str]) -> str:
    """Language of some texts: Cyrillic is "ru", else "en" or "de" by the commoner function words.

    Examples
    --------
    >>> guess_language(["Der Hund sitzt auf der Bank."]), guess_language(["Лук и стрелы."])
    ('de', 'ru')
    """
    return evident_language(texts) or "en"


def evident_language(texts: Iterable[str]) -> str:
    """Language of some texts as `guess_language` finds it; "" where neither letters nor function words decide.

    Examples
    --------
    >>> evident_language(["Der Film ist gut."]), evident_language(["Bravo!"])
    ('de', '')
    """
    joined = " ".join(texts).lower()
    letters = sum(map(str.isalpha, joined))
    if 2 * len(re.findall("[а-яё]", joined)) > letters:
        return "ru"
    counts = {name: len(words.findall(joined)) for name, words in _FUNCTION_WORDS.items()}
    if counts["de"] == counts["en"]:
        return ""
    return max(counts, key=counts.__getitem__)


def _begins_alike(form: str, word: str) -> bool:
    """Whether two words share their first two letters, a shorter word all but its last."""
    form, word = normalize(form), normalize(word)
    length = max(1, min(2, len(word) - 1))
    return form[:length] == word[:length]


def parse_context(row: Mapping[str, str], path: Path, line: int) -> Context:
    """Return one line, given by column, as a value; what does not fit is a `FormatError`."""
    positions = []
    for part in filter(None, row["positions"].replace(" ", "").split(",")):
        match = _POSITION.fullmatch(part)
        if match is None:
            raise FormatError("contexts_position", path=path, line=line, value=part)
        positions.append((int(match[1]), int(match[2])))
    if not row["word"].strip() or not row["context"].strip():
        raise FormatError("contexts_blank", path=path, line=line)
    return Context(
        row["context_id"],
        row["word"].strip(),
        row.get("gold_sense_id", "").strip(),
        row.get("predict_sense_id", "").strip(),
        tuple(positions),
        row["context"],
        tuple((name, value) for name, value in row.items() if name not in COLUMNS),
    )


def surroundings(
    context: Context, language: str, *, strict: bool = True
) -> tuple[SurroundingWord, ...]:
    """Return the words next to the word of ``context``, its own forms left out.

    Parameters
    ----------
    context : Context
        One use of a word.
    language : str
        "en", "ru" or "de".
    strict : bool, default True
        Whether a context without its word is refused; otherwise all its words come back, as far
        away as ``FAR``.

    Raises
    ------
    InputError
        If the word is nowhere in the context, and ``strict``.

    Examples
    --------
    >>> context = Context("1", "ключ", "", "", (), "Старым ключом отперли дверь.")
    >>> [(near.word, near.distance) for near in surroundings(context, "ru")]
    [('старый', 1), ('отпереть', 1), ('дверь', 2)]
    """
    spans = (locate if strict else spans_of)(context, language)
    words = words_at(context.text)
    keys = [lemma_key(word, language) for word, _, _ in words]
    targets = [
        position
        for position, (_, low, high) in enumerate(words)
        if any(low < end and high > start for start, end in spans)
    ]
    target_keys = {lemma_key(context.word, language), *(keys[position] for position in targets)}
    return tuple(
        SurroundingWord(
            lemma(word, language),
            (keys[position], word.lower()),
            min((abs(position - other) for other in targets), default=FAR),
            (start, end),
        )
        for position, (word, start, end) in enumerate(words)
        if keys[position] not in target_keys
    )


def by_word(contexts: Iterable[Context]) -> dict[str, list[int]]:
    """Rows of each word's contexts, words in the order of their first."""
    rows: dict[str, list[int]] = {}
    for row, context in enumerate(contexts):
        rows.setdefault(context.word, []).append(row)
    return rows
