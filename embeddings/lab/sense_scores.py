"""Senses: every way that was tried to find the meanings of a word from its sentences, by the adjusted Rand index."""

from __future__ import annotations

from embeddings.lab.result_files import Told, frame_of, read_told
from embeddings.results.experiment import (
    Cell,
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
    Verdict,
)

COMMAND = "KLYUCH_MIRROR=FOLDER python -m benchmarks.senses"
SETS = ("wiki-wiki", "active-dict", "ru", "de", "en")
DRAWN = SETS[:2]  # the sets that others score on too
LEAST = 0.02  # ARI: a smaller difference counts as none, whatever the seeds say


def senses() -> Experiment:
    """Return all methods on all sets, how much chance moves them, and what knowing more is worth."""
    told = read_told("senses", COMMAND)
    rows = {row["method"].text(): row for row in told["tables"]["methods"].each()}
    scores = {name: {s: row.number_at(s) for s in SETS} for name, row in rows.items()}
    columns = (
        Column("sense_method", "term"),
        Column("sense_number", "term"),
        *(Column(f"set_{name}", digits=2) for name in SETS),
        *(Column(f"found_{name}", digits=1) for name in DRAWN),
        Column("seconds", digits=1),
        Column("shipped", "term"),
    )
    bars = tuple(
        Series(
            f"set_{name}",
            tuple(f"sense_{method}" for method in rows),
            tuple(found[name] for found in scores.values()),
        )
        for name in SETS
    )
    spread = told["tables"].get("spread")
    chance = _chance(spread)
    tables = [Table("methods", columns, tuple(_row(row) for row in rows.values()))]
    if spread is not None:
        tables.append(_spread(spread))
    return Experiment(
        "senses",
        tuple(tables),
        (Drawing("methods", "dots", "sense_method", "ari", bars),),
        (
            _ahead(scores, "network_helps", "around_and_static", "companion", chance),
            _ahead(scores, "own_state_best", "word_state", "companion", chance),
            _ahead(scores, "number_found", "around_and_static", "given_log_rank", chance),
        ),
        (told.text_at("command") or COMMAND,),
        **frame_of(told),  # type: ignore[arg-type]
    )


def _row(row: Told) -> tuple[Cell, ...]:
    """A method's line; ``found`` are senses a word."""
    shipped = row.text_at("shipped")
    return (
        f"sense_{row['method'].text()}",
        f"number_{row['number'].text()}",
        *(row.number_at(name) for name in SETS),
        *(row.number_at(f"{name}_senses") for name in DRAWN),
        row.number_at("seconds"),
        f"shipped_{shipped}" if shipped else "",
    )


def _spread(told: Told) -> Table:
    """Mean and standard deviation over the seeds of the clusterings, of what ships."""
    columns = (
        Column("sense_method", "term"),
        Column("seeds"),
        *(
            c
            for n in SETS
            for c in (Column(f"set_{n}", digits=3), Column(f"deviation_{n}", digits=3))
        ),
    )
    rows = tuple(
        (
            f"sense_{row['method'].text()}",
            row["seeds"].number(),
            *(row.number_at(key) for n in SETS for key in (n, f"{n}_deviation")),
        )
        for row in told.each()
    )
    return Table("spread", columns, rows)


def _chance(spread: Told | None) -> dict[str, float]:
    """By how much the seeds of the clusterings move each set, the largest deviation measured."""
    rows = [] if spread is None else spread.each()
    told = {name: [row.number_at(f"{name}_deviation") or 0.0 for row in rows] for name in SETS}
    return {name: max([LEAST, *found]) for name, found in told.items()}


def _ahead(
    scores: dict[str, dict[str, float | None]],
    claim: str,
    first: str,
    second: str,
    chance: dict[str, float],
) -> Verdict:
    """Whether a method is ahead on all sets that both know, by more than chance; means over these sets."""
    pairs, ahead, behind = [], 0, 0
    for name in SETS:
        one, other = (_score(scores, method, name) for method in (first, second))
        if one is not None and other is not None:
            pairs.append((one, other))
            ahead += one - other > chance[name]
            behind += other - one > chance[name]
    if not pairs:
        return Verdict(claim, "open")
    fields = (
        ("ahead", Measured(ahead)),
        ("behind", Measured(behind)),
        ("all", Measured(len(pairs))),
        ("first", Measured(sum(a for a, _ in pairs) / len(pairs), 2)),
        ("second", Measured(sum(b for _, b in pairs) / len(pairs), 2)),
    )
    if ahead and behind:
        return Verdict(claim, "partly", fields)
    outcome = "yes" if ahead == len(pairs) else "no" if behind else "partly" if ahead else "open"
    return Verdict(claim, outcome, fields)


def _score(scores: dict[str, dict[str, float | None]], method: str, name: str) -> float | None:
    """A method's score on a set; "companion" is lemmas, and forms where there are none."""
    names = ("lemmas_views", "forms_views") if method == "companion" else (method,)
    found = (scores.get(one, {}).get(name) for one in names)
    return next((value for value in found if value is not None), None)
