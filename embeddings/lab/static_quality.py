"""Static vectors: how good each method is at meaning and at grammar, and the settings that were tried.

Held beside Mikolov et al. (2013), table 3 (meaning and grammar: skip-gram 55 and 59 %, CBOW 24 and 64 %), and Pennington et al. (2014),
who find GloVe ahead of both.
"""

from __future__ import annotations

from embeddings.lab.result_files import Told, frame_of, machine_of, read_told
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

QUALITY, TRIALS = "python -m benchmarks.quality", "python -m benchmarks.trials"
PAIRS = {"wordsim": ("WS-353", "wordsim"), "simlex": ("SIMLEX", "simlex")}
FILES = {"semantic_bm.questions": "meaning", "syntactic.questions": "grammar"}
METHODS = ("skipgram", "cbow", "glove")
LANGUAGES = ("en", "ru", "de")


def static() -> Experiment:
    """Return both tables and what they say of the papers' findings."""
    quality, trials = read_told("quality", QUALITY), read_told("trials", TRIALS)
    told = sorted(quality["models"].each(), key=lambda model: _order(model["model"].text()))
    models = {m["model"].text(): _kinds(m["scores"]) for m in told}
    sizes = {m["model"].text(): m.number_at("vector_size") for m in told}
    scores = ("meaning", "grammar", "wordsim", "simlex")
    columns = (
        Column("model", "term"),
        Column("vector_size"),
        *(Column(name, digits=1) for name in scores[:2]),
        *(Column(name, digits=3) for name in scores[2:]),
    )
    rows = tuple((n, sizes[n], *(found.get(s) for s in scores)) for n, found in models.items())
    tried: tuple[Column, ...] = (
        Column("model", "term"),
        Column("change", "text"),
        Column("analogies", digits=1),
    )
    tried += (*columns[4:], Column("queen"), Column("seconds", digits=1))
    bars = tuple(
        Series(kind, tuple(models), tuple(found.get(kind) for found in models.values()))
        for kind in scores[:2]
    )
    lines = sorted((_trial(one) for one in trials["trials"].each()), key=lambda row: str(row[0]))
    files = (quality.file, trials.file)
    frame = frame_of(quality) | {"files": files, "machine": machine_of(trials)}
    return Experiment(
        "static",
        (
            Table("methods", columns, rows),
            Table("trials", tried, tuple(lines)),
        ),
        (Drawing("methods", "bars", "model", "accuracy", bars),),
        _verdicts(models),
        (QUALITY, TRIALS),
        **frame,  # type: ignore[arg-type]
    )


def _order(model: str) -> tuple[int, int, str]:
    """English, Russian, German; skip-gram, CBOW, GloVe; the rest behind."""
    language, _, method = model.partition("-")
    places = [
        known.index(name) if name in known else len(known)
        for name, known in ((language, LANGUAGES), (method, METHODS))
    ]
    return (places[0], places[1], model)


def _kinds(scores: Told) -> dict[str, float]:
    """Meaning and grammar in percent of the questions covered, and the two correlations."""
    right = dict.fromkeys(FILES.values(), 0.0)
    asked = dict(right)
    found: dict[str, float] = {}
    for name, score in scores.items():
        for kind, marks in PAIRS.items():
            if any(mark in name for mark in marks):
                found[kind] = score["spearman"].number()
        for section in (s for _, s in score["sections"].items()) if score.get("sections") else ():
            grammar = section["name"].text().startswith("gram")
            kind = FILES.get(name, "grammar" if grammar else "meaning")
            right[kind] += section["correct"].number()
            asked[kind] += section["covered"].number()
    right["analogies"], asked["analogies"] = sum(right.values()), sum(asked.values())
    return found | {kind: 100 * right[kind] / asked[kind] for kind in right if asked[kind]}


def _trial(told: Told) -> tuple[Cell, ...]:
    """A line of the trials: what was changed, and the scores."""
    change = ", ".join(f"{key}={value.value}" for key, value in told["change"].items())
    scores = dict(told["scores"].items())
    pairs = [
        next((s.number() for n, s in scores.items() if any(m in n for m in marks)), None)
        for marks in PAIRS.values()
    ]
    asked = told["covered"]
    sets = [name for name in scores if not any(m in name for ms in PAIRS.values() for m in ms)]
    total = sum(asked[name].positive() for name in sets)
    right = sum(asked[name].number() * scores[name].number() for name in sets)
    analogies = 100 * right / total if total else None
    queen, seconds = told.number_at("royal_answer_rank"), told.number_at("seconds")
    return (told["model"].text(), change or "–", analogies, *pairs, queen, seconds)


def _verdicts(models: dict[str, dict[str, float]]) -> tuple[Verdict, ...]:
    """Hold the methods against each other in every language."""
    return (
        _ahead(models, "skipgram_meaning", "meaning", "skipgram", "cbow"),
        _ahead(models, "cbow_grammar", "grammar", "cbow", "skipgram"),
        _ahead(models, "glove_ahead", "analogies", "glove", "skipgram"),
    )


def _ahead(
    models: dict[str, dict[str, float]], claim: str, kind: str, first: str, second: str
) -> Verdict:
    """Whether one method is ahead of another in all languages, in some, or in none."""
    fields: list[tuple[str, Measured]] = []
    ahead: list[bool] = []
    for language in LANGUAGES:
        both = [models.get(f"{language}-{m}", {}).get(kind) for m in (first, second)]
        fields += [
            (f"{place}_{language}", Measured(value, 1))
            for place, value in zip(("first", "second"), both, strict=True)
        ]
        if both[0] is not None and both[1] is not None:
            ahead.append(both[0] > both[1])
    outcome = "open" if not ahead else "yes" if all(ahead) else "partly" if any(ahead) else "no"
    return Verdict(claim, outcome, tuple(fields))
