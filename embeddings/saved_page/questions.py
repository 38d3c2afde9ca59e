"""Answers as files: the neighbours of a word with a walk among them, and any answer as tables with bars."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from embeddings.analysis.projection import parallelogram, project
from embeddings.analysis.similarity import Filters, neighbours
from embeddings.analysis.vector_answers import Analogy, Neighbour
from embeddings.results import Value, plain
from embeddings.saved_page.answer import Point, Row, SavedAnswer, Scatter, Source, Table
from embeddings.saved_page.html_page import labels
from embeddings.vectors.table import Vectors

NEIGHBOURS = 200  # of each model in a file
DIGITS = 4  # of a cosine
WALK_ROWS = 24_000  # of all steps together, so that a file stays below its limit
STEP_ROWS = (3, 10)  # of one step: fewest and most
MOST_ROWS = 2_000  # of a table
BAR_COLUMNS = (
    *("similarity", "probability", "position", "score", "share", "shift", "attribution"),
    *("effect_size", "accuracy", "log_probability", "overlap", "movement"),
)  # columns that are drawn as bars, the first that a table has


class Ranking(Value):
    """What a model answered: its name and colour on the page, and the neighbours, nearest first."""

    label: str
    colour: str
    vectors: Vectors
    neighbours: Sequence[Neighbour]


def explore(
    vectors: Vectors,
    word: str,
    topn: int = 10,
    *,
    source: Source | None = None,
    **filters: Unpack[Filters],
) -> SavedAnswer:
    """Return a word with its 200 nearest, their map, and for each of them its own nearest: ``.save("word.html")`` writes a file.

    The result is a page to look at. `Vectors.neighbours` and `Vectors.map` return its numbers, as a frame or JSON.

    Parameters
    ----------
    vectors : Vectors
    word : str
    topn : int, default 10
        The neighbours that the map is fitted to.
    source : Source, optional
        Where the answer comes from, if not from the model by its name, today.
    **filters : Filters
        As `embeddings.analysis.similarity.neighbours`.

    Raises
    ------
    UnknownWordError, InputError
        As `embeddings.analysis.similarity.neighbours`.
    """
    near = neighbours(vectors, word, max(topn, NEIGHBOURS), **filters)
    ranking = Ranking(vectors.name, "", vectors.with_senses([word]), near)
    source = source or Source((vectors.name,), day=datetime.date.today().isoformat())
    return neighbour_answer(word, [ranking], source, shown=topn)


def analogy_answer(vectors: Vectors, analogy: Analogy, source: Source) -> SavedAnswer:
    """Return the answers to a formula, with the plane of its words and first answers."""
    answer = any_answer(f"{analogy.expression} ≈", "", {"answers": analogy.answers}, source)
    words = {term.word for term in analogy.terms} | {near.word for near in analogy.answers}
    if len(words) < 3:
        return answer
    placed = parallelogram(vectors, analogy)
    last, signs = len(placed.words) - 1, [term.weight > 0 for term in analogy.terms]
    points = tuple(
        Point(text, x, y, strong=row < len(signs) or row == last)
        for row, (text, (x, y)) in enumerate(
            zip(placed.words, placed.coordinates.tolist(), strict=True)
        )
    )
    lines = ((1, 0), (2, last)) if signs == [True, False, True] else ()
    return replace(answer, figure=Scatter(analogy.expression, points, lines=lines))


def neighbour_answer(
    word: str,
    rankings: Sequence[Ranking],
    source: Source,
    *,
    shown: int,
    space: int = 0,
    standardize: bool = True,
) -> SavedAnswer:
    """Return a word with its neighbours in every model, on a map, and for each of these words its nearest among them.

    Parameters
    ----------
    word : str
    rankings : sequence of Ranking
        Up to `NEIGHBOURS` neighbours of each model are saved.
    source : Source
    shown : int
        Neighbours of each model that the page shows: PCA is fitted on these, so that the map has the page's plane.
    space : int, default 0
        Whose vectors are mapped.
    standardize : bool
        As on the page.
    """
    said = labels(source.language)
    named: dict[str, list[Ranking]] = {word: []}
    for ranking in rankings:
        for near in ranking.neighbours[:NEIGHBOURS]:
            named.setdefault(near.word, []).append(ranking)
    most = int(np.clip(WALK_ROWS // (len(named) * max(1, len(rankings))), *STEP_ROWS))
    tables = tuple(
        Table(
            ranking.label,
            (said["word"], said["cosine"]),
            tuple(_line(near, source) for near in ranking.neighbours[:NEIGHBOURS]),
            ranking.colour,
            _steps(ranking.vectors, list(named), most, source),
        )
        for ranking in rankings
    )
    figure = None
    vectors, label = rankings[space].vectors, rankings[space].label
    known: dict[str, str] = {}  # the words as the model spells them
    for text in filter(vectors.__contains__, named):
        known.setdefault(vectors.words[vectors.row(text)], text)
    on_page = {row.word for ranking in rankings for row in ranking.neighbours[:shown]} | {word}
    fitted = [spelled for spelled, text in known.items() if text in on_page]
    if len(fitted) > 2:
        placed = project(vectors, list(known), standardize=standardize, fit_on=fitted)
        colours = {said["asked"]: "#E69F00", said["several"]: "#8A8A8A"}
        group_of = {text: _group(of, said) for text, of in named.items()}
        figure = Scatter(
            said["map_of"].format(model=label),
            tuple(
                Point(text, x, y, group_of[text], text == word)
                for text, (x, y) in zip(known.values(), placed.coordinates.tolist(), strict=True)
            ),
            colours | {ranking.label: ranking.colour for ranking in rankings},
            tuple(
                said["component"].format(number=n, share=source.number(100 * share, 1))
                for n, share in enumerate(placed.explained_variance_ratio, 1)
            ),
        )
    return SavedAnswer(word, said["near_question"].format(word=word), source, tables, figure)


def _group(rankings: Sequence[Ranking], said: Mapping[str, str]) -> str:
    """Return the group of a word on the map: the one model that names it, several, or the word asked for."""
    if not rankings:
        return said["asked"]
    return rankings[0].label if len(rankings) == 1 else said["several"]


def _line(near: Neighbour, source: Source) -> Row:
    """Return the line of a neighbour."""
    return Row(near.word, (None, source.number(near.similarity, DIGITS)))


def _steps(
    vectors: Vectors, words: Sequence[str], most: int, source: Source
) -> dict[str, tuple[Row, ...]]:
    """Return for each word that the model has those of the others that are nearest to it, at most ``most``."""
    known = [word for word in words if word in vectors]
    unit = vectors.unit_rows([vectors.row(word) for word in known])
    cosines = np.clip(unit @ unit.T, -1, 1)
    np.fill_diagonal(cosines, -np.inf)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, : min(most, len(known) - 1)]
    return {
        word: tuple(
            _line(Neighbour(known[other], float(cosines[row, other])), source)
            for other in order[row]
        )
        for row, word in enumerate(known)
    }


def any_answer(title: str, question: str, value: Any, source: Source) -> SavedAnswer:
    """Return any answer of the library as tables, numbers with four digits; points with coordinates as a figure too."""
    value = plain(value)
    parts = value if isinstance(value, dict) else {"": value}
    single = {name: cell for name, cell in parts.items() if not isinstance(cell, list | dict)}
    tables = [_table(title, [{"": name, " ": cell} for name, cell in single.items()], source)]
    figure, inner = None, list[Table]()
    for name, rows in parts.items():
        if isinstance(rows, dict):
            rows = [{"": key, " ": cell} for key, cell in rows.items()]
        if isinstance(rows, list):
            lines = [row if isinstance(row, dict) else {"": row} for row in rows]
            for line in lines:  # what is a table itself stands below
                for key, cell in line.items():
                    if _is_table(cell):
                        of = f"{key}: {next(iter(line.values()))}" if key else title
                        inner.append(_table(of, cell, source))
            lines = [
                {key: cell for key, cell in line.items() if not _is_table(cell)} for line in lines
            ]
            tables.append(_table(name.replace("_", " ") or title, lines[:MOST_ROWS], source))
            if lines and all(len(line.get("coordinates") or ()) == 2 for line in lines):
                points = [Point(str(line["word"]), *line["coordinates"]) for line in lines]
                figure = Scatter(title, tuple(points))
    kept = tuple(table for table in (*tables, *inner) if table.rows) or (Table(title, (), ()),)
    return SavedAnswer(title, question, source, kept, figure)


def _is_table(cell: Any) -> bool:
    """Whether a cell is a list of lines itself."""
    return isinstance(cell, list) and bool(cell) and isinstance(cell[0], dict)


def _table(title: str, lines: Sequence[Mapping[str, Any]], source: Source) -> Table:
    """Return dictionaries as lines: the first text of each is what pointing at it marks."""
    lines = [line for line in lines if line]
    columns = tuple(dict.fromkeys(name for line in lines for name in line))
    measure = next((name for name in BAR_COLUMNS if name in columns), "")
    rows = []
    for line in lines:
        cells = tuple(_text(line.get(name), source) for name in columns)
        value = line.get(measure)
        bar = (float(value),) if isinstance(value, int | float) else ()
        item = cells[0] if isinstance(line.get(columns[0]), str) else ""
        rows.append(Row(item, cells, bar))
    at = columns.index(measure) if measure else -1
    columns = tuple(name.replace("_", " ") for name in columns)
    return Table(title, columns, tuple(rows), measure=at)


def _text(cell: Any, source: Source) -> str:
    """Return a cell as text."""
    if isinstance(cell, bool | str):
        return str(cell)
    if isinstance(cell, int | float):
        return source.number(cell, 0 if isinstance(cell, int) else DIGITS)
    if isinstance(cell, list):
        return ", ".join(_text(part, source) for part in cell)
    if isinstance(cell, dict):
        return ", ".join(f"{name} {_text(part, source)}" for name, part in cell.items())
    return "–"
