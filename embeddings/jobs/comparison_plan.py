"""What the Compare page starts: two texts, or two periods of dated texts, compared by a command of a job.

Decisions:
- the settings suit the mean size of the two sides: both are trained with the same ones;
- there must be more ways to deal the documents out to two sides than there are shuffles: with fewer the null repeats itself;
- there must be as many measured words as dimensions: with fewer a rotation lays any two tables onto each other.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embeddings.corpora.dated_texts import dated_table, write_periods
from embeddings.corpora.text_counting import PieceSize
from embeddings.corpora.text_files import text_files
from embeddings.corpora.text_preview import BOUND
from embeddings.corpora.word_counts import count_block, text_blocks
from embeddings.corpora.word_table import WordTable
from embeddings.errors import InputError, refusals
from embeddings.jobs.control import JobPlan
from embeddings.jobs.job_answers import ComparisonSize
from embeddings.jobs.recipes import comparison_settings
from embeddings.static.settings import ComparisonConfig
from embeddings.training.settings import StaticSettings

RETRAININGS = 4
FEW = 64  # documents up to which the ways to deal them out are counted


@dataclass(frozen=True, slots=True)
class TwoTexts:
    """Two folders of text."""

    first: Path
    second: Path


@dataclass(frozen=True, slots=True)
class TwoPeriods:
    """Texts divided at a year.

    Attributes
    ----------
    table : Path
        A table with dates, or the folder that it is stored in.
    year : int
        The first year of the second part.
    columns : tuple of two str
        Of the date; and of the texts, or of the numbers of the documents of ``text``.
    text : Path or None
        A folder of text, whose documents the table dates; None where the table holds the texts.
    """

    table: Path
    year: int
    columns: tuple[str, str]
    text: Path | None = None


Compared = TwoTexts | TwoPeriods


def compared_size(compared: Compared) -> ComparisonSize:
    """Return how much text the two sides have.

    Raises
    ------
    KlyuchError
        If they cannot be read, both are the same, or a table cannot divide its texts at its year.
    """
    if isinstance(compared, TwoTexts):
        if compared.first == compared.second:
            raise InputError("change_same", name=compared.first.name)
        return comparison_size([compared.first], [compared.second])
    files = text_files([compared.text]) if compared.text else ()
    with tempfile.TemporaryDirectory(prefix="klyuch-periods-") as folder, refusals():
        paths = Path(folder) / "before.txt", Path(folder) / "after.txt"
        table = dated_table(compared.table)
        undated = write_periods(table, compared.year, compared.columns, paths, files)
        return comparison_size(paths[:1], paths[1:], undated)


def suited_settings(size: ComparisonSize) -> tuple[StaticSettings, int]:
    """Return the settings of the trainings, and the least occurrences of a word on each side."""
    return comparison_settings(sum(size.tokens) // 2)


def measured_words(size: ComparisonSize) -> int:
    """Return how many words are measured: the commonest of those that are common enough on both sides."""
    _, least = suited_settings(size)
    return min(size.measured(least), ComparisonConfig().words)


def example_files(compared: Compared) -> tuple[Path, ...]:
    """Return files of text of what is compared, to try this machine's speed on."""
    if isinstance(compared, TwoTexts):
        return text_files([compared.first])
    return text_files([compared.text or dated_table(compared.table)])


def trainings(permutations: int) -> int:
    """Return how often both sides are trained: as they are, with other seeds, and after each shuffle."""
    return 1 + RETRAININGS + permutations


def check_size(size: ComparisonSize, permutations: int) -> None:
    """Raise `InputError` if the sides have too few documents to be shuffled so often, or too few words in common."""
    first, second = size.documents
    if min(first, second) < 2:
        raise InputError("change_documents", first=first, second=second)
    ways = math.comb(first + second, first) if first + second < FEW else math.inf
    if ways <= permutations:
        shuffles = {"ways": ways, "permutations": permutations}
        raise InputError("change_deals", first=first, second=second, **shuffles)
    settings, least = suited_settings(size)
    words, bound = size.measured(least), settings.vector_size
    if words < bound:
        raise InputError("change_few", words=words, least=least, bound=bound)


def change_plan(
    compared: Compared, size: ComparisonSize, report: Path, permutations: int, language: str = ""
) -> JobPlan:
    """Return the job that compares two sides and writes a report.

    Parameters
    ----------
    compared : TwoTexts or TwoPeriods
    size : ComparisonSize
        Of these two sides, to which the settings are suited.
    report : Path
        Where the report is written.
    permutations : int
        How often documents are shuffled between the sides.
    language : str, default ""
        Of the texts.

    Raises
    ------
    InputError
        If a side is too small.
    """
    check_size(size, permutations)
    settings, least = suited_settings(size)
    command = ["words", "change", *_sources(compared), f"--output={report}"]
    values = {
        "epochs": settings.passes,
        "vector-size": settings.vector_size,
        "window": settings.window,
        "workers": settings.workers,
        "min-count": settings.min_count,
        "least": least,
        "permutations": permutations,
        "retrainings": RETRAININGS,
    }
    command += [f"--{name}={value}" for name, value in values.items()]
    command += [f"--language={language}"] if language else []
    corpus = compared.first if isinstance(compared, TwoTexts) else compared.text or compared.table
    return JobPlan(
        f"change {report.stem}",
        [command],
        language=language,
        corpus=corpus.name,
        sources=_read(compared),
    )


def _read(compared: Compared) -> tuple[Path, ...]:
    """Return what the command reads: folders of text, and the file of a table."""
    if isinstance(compared, TwoTexts):
        return compared.first, compared.second
    return dated_table(compared.table), *([compared.text] if compared.text else [])


def _sources(compared: Compared) -> list[str]:
    """Return the two sides as arguments of the command."""
    if isinstance(compared, TwoTexts):
        return [str(compared.first), str(compared.second)]
    date, content = compared.columns
    column = "text" if compared.text is None else "documents"
    divided = [f"--at={compared.year}", f"--date-column={date}", f"--{column}-column={content}"]
    if compared.text is None:
        return [str(compared.table), *divided]
    return [str(compared.text), f"--dates={compared.table}", *divided]


@dataclass(frozen=True, slots=True)
class _Side:
    """Counts of each word, documents, and which share of the text was read."""

    counts: dict[bytes, int]
    documents: int
    share: float


def comparison_size(
    first: Sequence[Path], second: Sequence[Path], undated: int = 0, bound: int = BOUND
) -> ComparisonSize:
    """Count the words and documents of two texts.

    Parameters
    ----------
    first, second : sequence of Path
        Files and folders of text, in lower case as `embeddings.corpora.encoded_corpus.encode` reads them.
    undated : int, default 0
        Texts that were left out of both.
    bound : int
        Bytes on disk of either text after which counting stops; sizes are scaled up.

    Raises
    ------
    KlyuchError
        If a text cannot be read, or has no word.
    """
    sides = [_counted(text_files(sources), bound) for sources in (first, second)]
    smaller, larger = sorted((side.counts for side in sides), key=len)
    common = [min(count, larger[word]) for word, count in smaller.items() if word in larger]
    documents = [round(side.documents / side.share) for side in sides]
    tokens = [round(sum(side.counts.values()) / side.share) for side in sides]
    return ComparisonSize(
        (documents[0], documents[1]),
        (tokens[0], tokens[1]),
        np.array(common, np.int64),
        undated,
        all(side.share == 1 for side in sides),
    )


def _counted(files: Sequence[Path], bound: int) -> _Side:
    """Count one text."""
    table, size, read = WordTable(), PieceSize(), 0
    total = sum(path.stat().st_size for path in files)
    for block in text_blocks(files, 1 << 20):
        ids = count_block(block, lower=True, table=table)
        size, read = size + PieceSize.of(ids), block.read
        if read >= bound:
            break
    if not len(table.counts):
        raise InputError("corpus_wordless", path=", ".join(path.name for path in files[:3]))
    counts = dict(zip(table.words(), table.counts.tolist(), strict=True))
    return _Side(counts, max(size.total.documents, 1), min(read / max(total, 1), 1.0))
