"""What changed between two texts, or when parts of a text are left out: both sides trained alike, again and again.

`compare_texts` and `leave_out` are what the page Change starts as a job, what ``klyuch words change`` and ``whatif`` call, and what
Python has. Before that `compared_size` counts what there is to compare.

Decisions:
- settings that are not given suit the mean size of the two sides: both are trained with the same ones;
- there must be more ways to deal the documents out to two sides than there are shuffles: with fewer the null repeats itself;
- there must be as many measured words as dimensions: with fewer a rotation lays any two tables onto each other.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings._version import __version__
from embeddings.analysis.comparison_answers import ChangeReport
from embeddings.configuration import from_json, to_json
from embeddings.corpora.dated_texts import dated_table, write_periods
from embeddings.corpora.document_selection import (
    document_numbers,
    joined,
    with_documents,
    with_words,
    without_sentences,
)
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.text_files import is_encoded_corpus, text_files
from embeddings.corpora.text_preview import BOUND
from embeddings.errors import InputError, refusals
from embeddings.jobs.job_answers import ComparisonSize
from embeddings.method_registry import DEFAULT_METHOD, call_text
from embeddings.model_card import current_commit, machine
from embeddings.results import Progress, Report, progress_of
from embeddings.shelf.change_reports import MOST_ALONE, MOST_KEPT, report_path, save_report
from embeddings.static.settings import ComparisonConfig, Word2VecConfig
from embeddings.text.words import normalize
from embeddings.training.settings import SIZES, StaticSettings, defaults

if TYPE_CHECKING:
    from embeddings.static.retraining import TwoSides

DEFAULTS = ComparisonConfig()
FEW = 64  # documents up to which the ways to deal them out are counted


@dataclass(frozen=True, slots=True)
class Compared:
    """Two texts, or a table of texts with dates (or the folder that it is stored in) and the year that begins its second part."""

    first: Path
    second: Path | None = None
    at: int | None = None
    date_column: str = "date"
    text_column: str = "text"

    @property
    def is_divided(self) -> bool:
        """Whether a year divides a table.

        Raises
        ------
        InputError
            If there is neither a second text nor a year, or both.
        """
        if (self.second is None) == (self.at is None):
            raise InputError("change_second")
        return self.at is not None

    @property
    def sources(self) -> tuple[Path, ...]:
        """What is read: two texts, or the file of a table."""
        return (dated_table(self.first),) if self.second is None else (self.first, self.second)

    @property
    def names(self) -> tuple[str, str]:
        """What the sides are called in a report."""
        if self.second is not None:
            return side_names(self.first, self.second)
        name = _without_suffix(self.first)
        return f"{name} < {self.at}", f"{name} ≥ {self.at}"

    @contextmanager
    def sides(self) -> Iterator[tuple[Sequence[Path], int]]:
        """Yield the two texts, and how many rows of a table were left out, without a year or a text."""
        if not self.is_divided:
            yield self.sources, 0
            return
        with tempfile.TemporaryDirectory(prefix="klyuch-periods-") as folder:
            paths = Path(folder) / "before.txt", Path(folder) / "after.txt"
            columns = self.date_column, self.text_column
            with refusals():
                undated = write_periods(self.sources[0], self.at or 0, columns, paths)
            yield paths, undated

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments of `compare_texts`, as JSON has them."""
        values = asdict(self) if self.is_divided else {"first": self.first, "second": self.second}
        return {
            name: str(value) if isinstance(value, Path) else value
            for name, value in values.items()
            if value is not None
        }


def compare_texts(  # noqa: PLR0913 - what a comparison consists of
    first: str | Path,
    second: str | Path | None = None,
    *,
    at: int | None = None,
    date_column: str = "date",
    text_column: str = "text",
    output: str | Path = "",
    kept: int = MOST_KEPT,
    language: str = "",
    min_count: int | None = None,
    command: str = "",
    report: Report | None = None,
    **settings: Any,
) -> ChangeReport:
    """Return which words changed between two texts: shift after a rotation, neighbours lost and gained, p values.

    Both sides are trained alike by skip-gram or CBOW. The null: documents are shuffled between the two, and both are trained again.

    Parameters
    ----------
    first, second : path
        Texts, folders of texts, or folders that `klyuch corpus encode` wrote; or a table of texts with dates, and ``at``.
    at : int, optional
        The year that begins the second part of the table.
    date_column, text_column : str
        Columns of the table.
    output : path
        The report is kept for the page Change: a name, or a file ending in .json.
    kept : int
        Words of the report that is kept, the most significant.
    language : str
        Of the texts, for the report.
    min_count : int, optional
        Of a word, in texts that are not encoded yet.
    command : str
        How the report says that it was made; by default this call.
    report : callable, optional
        Called with the `Progress`.
    **settings
        Fields of `Word2VecConfig` and of `ComparisonConfig`. Where they are not given, ``vector_size``, ``epochs``, ``least`` and
        ``min_count`` suit the size of the texts (`comparison_settings`).

    Raises
    ------
    KlyuchError
        If a text cannot be read, or is too small (`check_size`); if a setting does not fit.
    """
    compared = Compared(
        _path(first), second if second is None else _path(second), at, date_column, text_column
    )
    given = {"min_count": min_count, **settings}
    with compared.sides() as (sources, undated), tempfile.TemporaryDirectory() as folder:
        config, comparison, encoding = _configs(given, sources, "compare_texts")
        texts = [
            _opened(source, Path(folder) / str(number), encoding, report)
            for number, source in enumerate(sources)
        ]
        _check_documents([len(t.document_bounds) - 1 for t in texts], comparison.permutations)
        sides = _two_sides(texts[0], texts[1], comparison)
        _check_words(len(sides.words), comparison.least, config.vector_size)
        answer = _measured("change", compared.names, sides, config, comparison, report)
    answer = replace(answer, undated=undated)
    call = call_text("compare_texts", compared.arguments | given)
    _keep(answer, output, kept, language, command or call)
    return answer


def leave_out(  # noqa: PLR0913 - what a comparison consists of
    corpus: str | Path,
    *,
    without: str = "",
    without_word: str = "",
    swap: str | Path = "",
    output: str | Path = "",
    kept: int = MOST_KEPT,
    language: str = "",
    min_count: int | None = None,
    command: str = "",
    report: Report | None = None,
    **settings: Any,
) -> ChangeReport:
    """Return which words shift when documents, or the lines of a word, are left out or replaced and a text is trained again.

    The null is another seed on the whole text.

    Parameters
    ----------
    corpus : path
        A text, a folder of texts, or a folder that `klyuch corpus encode` wrote.
    without : str
        Documents to leave out, counted from 1, as ``3,7-9``.
    without_word : str
        A word whose lines are left out.
    swap : path
        A text, or a folder of texts, whose documents take the place of what is left out; by default nothing does. Words that the
        corpus lacks come in if this text has them as often as the minimum count of the corpus.
    output, kept, language, min_count, command, report, **settings
        As for `compare_texts`; documents are not shuffled.

    Raises
    ------
    KlyuchError
        If nothing is left out, or nothing is left; if a text cannot be read, or a setting does not fit.
    """
    corpus = _path(corpus)
    named = {"without": without, "without_word": without_word, "swap": str(swap)}
    check_left_out(without, without_word)
    given = {"min_count": min_count, **settings}
    config, comparison, encoding = _configs(given, (corpus,), "leave_out")
    with tempfile.TemporaryDirectory() as folder:
        text = _opened(corpus, Path(folder) / "whole", encoding, report)
        rest = text
        if without:
            documents = len(text.document_bounds) - 1
            left_out = document_numbers(without, documents)
            rest = with_documents(text, np.setdiff1d(np.arange(documents), left_out))
        if without_word:
            rest = without_sentences(rest, without_word)
        if swap:
            encoding = replace(text.config, min_count=1, max_words=0)
            other = _opened(_path(swap), Path(folder) / "other", encoding, report)
            rest, _ = joined(rest, _without_rare_words(other, text))
        sides = _two_sides(text, rest, comparison)
        parts = [without, f"“{without_word}”" if without_word else ""]
        name = ", ".join(filter(None, parts))
        name += f" → {_without_suffix(_path(swap))}" if swap else ""
        names = _without_suffix(corpus), name
        answer = _measured("whatif", names, sides, config, comparison, report)
    call = call_text("leave_out", {"corpus": str(corpus), **named, **given})
    _keep(answer, output, kept, language, command or call)
    return answer


def check_left_out(without: str, without_word: str) -> None:
    """Raise `InputError` if neither documents nor a word are to be left out."""
    if not without and not without_word:
        raise InputError("whatif_nothing")


def check_word(source: Path, word: str) -> None:
    """Raise `InputError` if a text has a word too seldom to be left out; of a text too long to be counted whole nothing is known."""
    text = _counted(text_files([source]), BOUND)
    settings, _ = comparison_settings(text.tokens)
    count = text.counts.get(normalize(word, lower=True).encode(), 0)
    if text.share == 1 and count < settings.min_count:
        raise InputError("whatif_word", word=word, least=settings.min_count)


def _path(name: str | Path) -> Path:
    """Return a path; a tilde is the user's home."""
    return Path(name).expanduser()


def _configs(
    given: Mapping[str, Any], sources: Sequence[Path], call: str
) -> tuple[Word2VecConfig, ComparisonConfig, EncodingConfig]:
    """Return the settings of the trainings, of the comparison and of the encoding; those not given suit the texts' mean size."""
    suited, least = comparison_settings(sum(map(_tokens, sources)) // len(sources))
    values = {
        "vector_size": suited.vector_size,
        "epochs": suited.passes,
        "min_count": suited.min_count,
        "least": least,
        **{name: value for name, value in given.items() if value is not None},
    }
    encoding = EncodingConfig(values.pop("min_count"))
    measured = {field.name for field in fields(ComparisonConfig)} & values.keys()
    compared = {name: values.pop(name) for name in measured}
    trained = from_json(Word2VecConfig, values, call)
    return trained, from_json(ComparisonConfig, compared, call), encoding


def _tokens(source: Path) -> int:
    """Return how many tokens a text, or a folder of ids, has."""
    if is_encoded_corpus(source):
        return len(EncodedCorpus.open(source).ids)
    return _counted(text_files([source]), BOUND).tokens


def side_names(first: Path, second: Path) -> tuple[str, str]:
    """Return what two texts are called in a report: by their names without suffixes, by more of their paths where those are the same.

    Examples
    --------
    >>> side_names(Path("novels/old.txt.gz"), Path("novels/new.txt"))
    ('old', 'new')
    >>> side_names(Path("1900/news.txt"), Path("1950/news.txt"))
    ('1900/news', '1950/news')
    """
    paths = first.resolve(), second.resolve()
    for depth in range(1, max(len(path.parts) for path in paths)):
        one, other = ("/".join([*path.parts[-depth:-1], _without_suffix(path)]) for path in paths)
        if one != other or paths[0] == paths[1]:
            return one, other
    return paths[0].name, paths[1].name


def _without_suffix(path: Path) -> str:
    """Return the name of a text; that of a folder may have dots."""
    path = path.resolve()
    return path.name if path.is_dir() else re.sub(r"(\.(txt|csv|tsv|gz|xz))+$", "", path.name)


def as_one(report: Report | None, epochs: int, words: int) -> Report | None:
    """Return what takes the reports of several trainings and passes them on as those of one.

    Parameters
    ----------
    report : callable
        What is called.
    epochs, words : int
        Epochs of each training, and words of text of all of them together.
    """
    if report is None:
        return None
    total, ended = epochs * words, 0
    advance = progress_of(report, "compare", total)

    def add(at: Progress) -> None:
        nonlocal ended
        passed = (at.epoch - 1) * at.total + at.done
        done = min(ended + passed, total)
        if passed == epochs * at.total:  # this training has ended
            ended += passed
        advance(done)

    return add


def _opened(
    source: Path, folder: Path, config: EncodingConfig, report: Report | None
) -> EncodedCorpus:
    """Open a folder of ids, or encode text into a temporary one."""
    if is_encoded_corpus(source):
        return EncodedCorpus.open(source)
    from embeddings.corpora.corpus_encoding import encode  # numba

    return encode([source], folder, config, report)


def _without_rare_words(other: EncodedCorpus, corpus: EncodedCorpus) -> EncodedCorpus:
    """Return a text without the words that the corpus lacks and that it has less often itself than the corpus's minimum count.

    The text is short where a few documents are swapped: a minimum count of its own would leave little of it.
    """
    known = [word in corpus.vocabulary for word in other.vocabulary.words]
    return with_words(other, np.array(known) | (other.vocabulary.counts >= corpus.config.min_count))


def _two_sides(
    first: EncodedCorpus, second: EncodedCorpus, comparison: ComparisonConfig
) -> TwoSides:
    """Return two corpora as sides of one.

    Raises
    ------
    InputError
        If no word is common enough.
    """
    from embeddings.static.retraining import TwoSides, measured_words

    corpus, documents = joined(first, second)
    numbers = np.arange(len(corpus.document_bounds) - 1)
    parts = numbers[:documents], numbers[documents:]
    words = measured_words(corpus, parts, comparison.least, comparison.words)
    return TwoSides(corpus, *parts, words)


def _measured(
    kind: str,
    names: tuple[str, str],
    sides: TwoSides,
    config: Word2VecConfig,
    comparison: ComparisonConfig,
    report: Report | None,
) -> ChangeReport:
    """Train both sides, again with other seeds, and of a "change" after each shuffle; return what moved and what that says.

    Where parts were left out, the whole text alone is trained again: the null is the movement by another seed.
    """
    from embeddings.analysis.model_comparison import Trials, movements, word_changes
    from embeddings.static.retraining import AGAIN, train_sides, words_alone

    both, again = kind == "change", comparison.retrainings
    permutations = comparison.permutations if both else 0
    tokens = sides.tokens
    words = (1 + permutations) * sum(tokens) + again * (sum(tokens) if both else tokens[0])
    overall = as_one(report, config.epochs, words)
    first, second = train_sides(sides, config, overall)
    tables = first, second
    by_seed = []
    for number in range(again):
        reseeded = replace(config, seed=config.seed + AGAIN + number)
        others = train_sides(sides, reseeded, overall, both=both)
        moved = [movements(old, new) for old, new in zip(tables, others, strict=False)]
        by_seed.append(np.mean(moved, axis=0))
    null = []
    for seed in range(config.seed + 1, config.seed + 1 + permutations):
        shuffled = train_sides(sides.shuffled(seed), replace(config, seed=seed), overall)
        null.append(movements(*shuffled))
    trials = Trials(np.stack(null or by_seed), np.mean(by_seed, axis=0))
    measured = [sides.corpus.vocabulary.words[word] for word in sides.words]
    return ChangeReport(
        kind,
        *names,
        (len(sides.first), len(sides.second)),
        tokens,
        permutations,
        again,
        word_changes(measured, tables, sides.counts, trials, comparison.topn),
        to_json(config)
        | to_json(comparison)
        | {"permutations": permutations, "min_count": sides.corpus.config.min_count},
        words_alone(sides, comparison.least, MOST_ALONE),
    )


def _keep(answer: ChangeReport, output: str | Path, kept: int, language: str, command: str) -> None:
    """Keep the report where ``output`` says, with how it was made; nowhere if it says nothing."""
    if output:
        about = how_made(command) | ({"language": language} if language else {})
        save_report(answer, report_path(str(output)), about, kept)


def how_made(command: str) -> dict[str, object]:
    """Return how a report that is made now is made."""
    return {
        "command": command,
        "commit": current_commit(),
        "versions": {"klyuch": __version__},
        "machine": machine(),
    }


def compared_size(compared: Compared) -> ComparisonSize:
    """Return how much text the two sides have.

    Raises
    ------
    KlyuchError
        If they cannot be read, both are the same, or a table cannot divide its texts at its year.
    """
    if compared.first == compared.second:
        raise InputError("change_same", name=compared.first.name)
    with compared.sides() as (sources, undated):
        return comparison_size(sources[:1], sources[1:], undated)


def comparison_settings(words: int) -> tuple[StaticSettings, int]:
    """Return settings of skip-gram that suit sides of so many words, and the least occurrences of a word that is measured.

    Examples
    --------
    >>> settings, least = comparison_settings(2_000)
    >>> settings.vector_size, settings.passes, least
    (40, 100, 3)
    >>> settings, least = comparison_settings(5_000_000)
    >>> settings.vector_size, settings.passes, least
    (100, 5, 20)
    """
    settings = defaults(DEFAULT_METHOD, words)
    assert isinstance(settings, StaticSettings)
    return settings, (3, 5, 10, 20)[sum(words >= bound for bound in SIZES)]


def suited_settings(size: ComparisonSize) -> tuple[StaticSettings, int]:
    """Return the settings of the trainings, and the least occurrences of a word on each side."""
    return comparison_settings(sum(size.tokens) // 2)


def measured_words(size: ComparisonSize) -> int:
    """Return how many words are measured: the commonest of those that are common enough on both sides."""
    _, least = suited_settings(size)
    return min(size.measured(least), DEFAULTS.words)


def trainings(permutations: int) -> int:
    """Return how often both sides are trained: as they are, with other seeds, and after each shuffle."""
    return 1 + DEFAULTS.retrainings + permutations


def check_size(size: ComparisonSize, permutations: int) -> None:
    """Raise `InputError` if the sides have too few documents to be shuffled so often, or too few words in common."""
    _check_documents(size.documents, permutations)
    settings, least = suited_settings(size)
    _check_words(size.measured(least), least, settings.vector_size)


def _check_documents(documents: Sequence[int], permutations: int) -> None:
    """Raise `InputError` if so many documents on either side cannot be shuffled so often."""
    first, second = documents
    if min(first, second) < 2:
        raise InputError("change_documents", first=first, second=second)
    ways = math.comb(first + second, first) if first + second < FEW else math.inf
    if ways <= permutations:
        shuffles = {"ways": ways, "permutations": permutations}
        raise InputError("change_deals", first=first, second=second, **shuffles)


def _check_words(words: int, least: int, bound: int) -> None:
    """Raise `InputError` if fewer words are measured than a vector has dimensions."""
    if words < bound:
        raise InputError("change_few", words=words, least=least, bound=bound)


@dataclass(frozen=True, slots=True)
class _Side:
    """Counts of each word, documents, and which share of the text was read."""

    counts: dict[bytes, int]
    documents: int
    share: float

    @property
    def tokens(self) -> int:
        """Words of the whole text, as many as the part that was read has for its size."""
        return round(sum(self.counts.values()) / self.share)


def comparison_size(
    first: Sequence[Path], second: Sequence[Path], undated: int = 0, bound: int = BOUND
) -> ComparisonSize:
    """Count the words and documents of two texts.

    Parameters
    ----------
    first, second : sequence of Path
        Files and folders of text, in lower case as `embeddings.corpora.corpus_encoding.encode` reads them.
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
    return ComparisonSize(
        (documents[0], documents[1]),
        (sides[0].tokens, sides[1].tokens),
        np.array(common, np.int64),
        undated,
        all(side.share == 1 for side in sides),
    )


def _counted(files: Sequence[Path], bound: int) -> _Side:
    """Count one text."""
    from embeddings.corpora.text_counting import PieceSize  # numba
    from embeddings.corpora.word_counts import count_block, text_blocks
    from embeddings.corpora.word_table import WordTable

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
