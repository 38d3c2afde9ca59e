"""How good the static models are: scores of the shipped ones as they are on disk, and the experiment on static vectors.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.quality

Scores every shipped skip-gram, CBOW and GloVe model of words and writes ``benchmarks/results/quality.json``. Test sets that are not in
this repository come from ``KLYUCH_MIRROR/evaluation``.

The experiment compares with Mikolov et al. 2013, table 3 (meaning and grammar: skip-gram 55 and 59 %, CBOW 24 and 64 %), and Pennington
et al. 2014, who find GloVe ahead of both. This module and `benchmarks.research.trials` write their own files and then call `write_static`,
which joins them to ``static.json``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import build_models
from benchmarks.result_files import RESULTS, Measurements, about, write_results
from benchmarks.source_tree import ROOT, source_commit
from benchmarks.verdict_rules import larger_in_all, make_claim
from embeddings import shelf
from embeddings.analysis.analogies import solve
from embeddings.errors import UnknownWordError
from embeddings.files import read_json
from embeddings.lab.experiment import (
    Cell,
    Claim,
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
)
from embeddings.lab.experiment_files import parse
from embeddings.vectors.table import Vectors

QUESTION = "Which word vectors know meaning, which grammar?"
MIKOLOV, PENNINGTON = "Mikolov et al. 2013, table 3", "Pennington et al. 2014"
PAIRS = {"wordsim": ("WS-353", "wordsim"), "simlex": ("SIMLEX", "simlex")}
FILES = {"semantic_bm.questions": "meaning", "syntactic.questions": "grammar"}
METHODS = ("skipgram", "cbow", "glove")
LANGUAGES = ("en", "ru", "de")
SCORES = (
    Column("meaning", digits=1),
    Column("grammar", digits=1),
    Column("wordsim", digits=3),
    Column("simlex", digits=3),
)
Scores = dict[str, float]
NEAR = {"en": ("run", "running"), "ru": ("бежать", "убежать"), "de": ("laufen", "rennen")}
ASKED = {
    "en": ("king - man + woman", "queen"),
    "ru": ("король - мужчина + женщина", "королева"),
    "de": ("König - Mann + Frau", "Königin"),
}


def rank(vectors, language: str) -> int | None:
    """Place of the royal answer among the first hundred (1 is first), None when it is not there."""
    formula, expected = ASKED[language]
    try:
        answers = solve(vectors, formula, topn=100, fold=False).answers
    except UnknownWordError:
        return None
    words = [answer.word.lower() for answer in answers]
    return words.index(expected.lower()) + 1 if expected.lower() in words else None


def neighbour_rank(vectors: Vectors, pair: tuple[str, str]) -> int | None:
    """Place of the second word among the hundred neighbours of the first."""
    if any(word not in vectors for word in pair):
        return None
    words = [word for word, _ in vectors.most_similar(pair[0], topn=100)]
    return words.index(pair[1]) + 1 if pair[1] in words else None


def quality_experiment(measured: Measurements) -> Experiment:
    """Return the models that ship, drawn, and what they say of the papers' findings."""
    models = sorted(measured["models"], key=lambda model: _order(model["model"]))
    scores = {model["model"]: _kinds(model["scores"]) for model in models}
    rows = tuple(
        (
            model["model"],
            model.get("vector_size"),
            *(scores[model["model"]].get(column.name) for column in SCORES),
        )
        for model in models
    )
    bars = tuple(
        Series(kind, tuple(scores), tuple(by_kind.get(kind) for by_kind in scores.values()))
        for kind in ("meaning", "grammar")
    )
    columns = (Column("model", "term"), Column("vector_size"), *SCORES)
    return Experiment(
        "quality",
        QUESTION,
        (
            _ahead(scores, "skipgram_meaning", "meaning", ("skipgram", "cbow"), (MIKOLOV, 31)),
            _ahead(scores, "cbow_grammar", "grammar", ("cbow", "skipgram"), (MIKOLOV, 5)),
            _ahead(scores, "glove_ahead", "analogies", ("glove", "skipgram"), (PENNINGTON, None)),
        ),
        (Table("methods", columns, rows),),
        (Drawing("methods", "bars", "model", "accuracy", bars),),
        **about(measured, "quality"),
    )


def trials_experiment(measured: Measurements) -> Experiment:
    """Return the settings that were tried as a table."""
    columns = (
        Column("model", "term"),
        Column("change", "text"),
        Column("analogies", digits=1),
        *SCORES[2:],
        Column("queen"),
        Column("seconds", digits=1),
    )
    rows = sorted((_trial(trial) for trial in measured["trials"]), key=lambda row: str(row[0]))
    table = Table("trials", columns, tuple(rows))
    question = "Which settings make good word vectors?"
    return Experiment("trials", question, (), (table,), (), **about(measured, "trials"))


def static_experiment(quality: Experiment, trials: Experiment) -> Experiment:
    """Join both."""
    return Experiment(
        "static",
        QUESTION,
        quality.claims,
        (*quality.tables, *trials.tables),
        quality.drawings,
        (*quality.commands, *trials.commands),
        (*quality.files, *trials.files),
        commit=quality.commit,
        machine=trials.machine,
        created=quality.created,
        seconds=quality.seconds,
    )


def write_static(folder: Path = RESULTS) -> None:
    """Join ``quality.json`` and ``trials.json`` into ``static.json``, if both are there."""
    paths = [folder / f"{name}.json" for name in ("quality", "trials")]
    if all(path.exists() for path in paths):
        quality, trials = (parse(read_json(path))[0] for path in paths)
        write_results(folder / "static.json", static_experiment(quality, trials), {})


def _order(model: str) -> tuple[int, int, str]:
    """English, Russian, German; skip-gram, CBOW, GloVe; the rest behind."""
    language, _, method = model.partition("-")
    places = [
        order.index(name) if name in order else len(order)
        for name, order in ((language, LANGUAGES), (method, METHODS))
    ]
    return (places[0], places[1], model)


def _kinds(scores: Mapping[str, Any]) -> Scores:
    """Meaning and grammar in percent of the questions covered, and the two correlations."""
    right = dict.fromkeys(FILES.values(), 0.0)
    covered = dict(right)
    kinds: Scores = {}
    for name, score in scores.items():
        for kind, marks in PAIRS.items():
            if any(mark in name for mark in marks):
                kinds[kind] = score["spearman"]
        for section in score.get("sections", {}).values():
            grammar = section["name"].startswith("gram")
            kind = FILES.get(name, "grammar" if grammar else "meaning")
            right[kind] += section["correct"]
            covered[kind] += section["covered"]
    right["analogies"], covered["analogies"] = sum(right.values()), sum(covered.values())
    return kinds | {kind: 100 * right[kind] / covered[kind] for kind in right if covered[kind]}


def _trial(trial: Mapping[str, Any]) -> tuple[Cell, ...]:
    """A row of the trials: what was changed, and the scores."""
    change = ", ".join(f"{key}={value}" for key, value in trial["change"].items())
    scores, covered = trial["scores"], trial["covered"]
    marks_of_pairs = [mark for marks in PAIRS.values() for mark in marks]
    pairs = [
        next((score for name, score in scores.items() if any(m in name for m in marks)), None)
        for marks in PAIRS.values()
    ]
    sets = [name for name in scores if not any(mark in name for mark in marks_of_pairs)]
    total = sum(covered[name] for name in sets)
    right = sum(covered[name] * scores[name] for name in sets)
    analogies = 100 * right / total if total else None
    queen, seconds = trial.get("royal_answer_rank"), trial.get("seconds")
    return (trial["model"], change or "–", analogies, *pairs, queen, seconds)


def _ahead(
    models: Mapping[str, Scores],
    claim: str,
    kind: str,
    methods: tuple[str, str],
    source: tuple[str, float | None],
) -> Claim:
    """Whether one method is ahead of another in all languages, in some, or in none; ``source``: citation and difference there."""
    pairs = [
        [models.get(f"{language}-{method}", {}).get(kind) for method in methods]
        for language in LANGUAGES
    ]
    gaps = [a - b for a, b in pairs if a is not None and b is not None]
    fields = {
        f"{side}_{language}": Measured(value, 1)
        for language, pair in zip(LANGUAGES, pairs, strict=True)
        for side, value in zip(("first", "second"), pair, strict=True)
    }
    numbers = {"first": [a for a, _ in pairs], "second": [b for _, b in pairs]}
    return make_claim(
        claim,
        larger_in_all,
        numbers,
        fields,
        source=source[0],
        published=source[1],
        ours=sum(gaps) / len(gaps) if gaps else None,
    )


def main() -> None:
    """Score all and write."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    rows = []
    for entry in shelf.list_models():
        if entry.kind != "static" or ROOT not in entry.path.parents:
            continue
        if entry.name.rpartition("-")[2] not in METHODS:  # tables of networks, models of lemmas
            continue
        vectors = shelf.load_vectors(entry.path)
        by_set = build_models.scores(vectors)
        row = {
            "model": entry.name,
            "words": len(vectors),
            "vector_size": vectors.vector_size,
            "royal_answer_rank": rank(vectors, entry.language),
            "near": {
                "pair": NEAR[entry.language],
                "rank": neighbour_rank(vectors, NEAR[entry.language]),
            },
            "scores": by_set,
        }
        rows.append(row)
        shown = {k: round(v.get("accuracy", v.get("spearman")), 3) for k, v in by_set.items()}
        print(entry.name, row["royal_answer_rank"], row["near"], shown, flush=True)
    measured: Measurements = {
        "command": "python -m benchmarks.quality",
        "commit": source_commit(),
        "models": rows,
    }
    write_results(RESULTS / "quality.json", quality_experiment(measured), measured)
    write_static()


if __name__ == "__main__":
    main()
