"""Senses found by every method that was tried, on all sets of marked contexts, from the shipped models alone.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.research.senses [--output FILE] [--workers N]

Sets: wiki-wiki and active-dict of RUSSE 2018 (train), and this project's own sentences, scored on the senses that the corpora teach, and on
all of them (``_all``). The adjusted Rand index is a mean over words weighted by their contexts. One setting for all words of all sets.
The weights, the share of the network and the clustering were chosen on wiki-wiki and active-dict, whose labels are open, with the own
sentences (committed before) looked at beside: one setting for all five, and no set that was never looked at. wiki-wiki has four words, so
one sense more or less found moves it by 0.1; the table ``spread`` tells by how much the seed of the clusterings moves each set.
"""

from __future__ import annotations

import argparse
import os
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.research.sense_methods import (
    LEMMAS,
    METHODS,
    NETWORK,
    Models,
    Rows,
    Word,
    own_states,
    views,
)
from benchmarks.result_files import RESULTS, Measurements, about, write_results
from benchmarks.source_tree import ROOT, source_commit
from embeddings.analysis.number_of_groups import ConsensusConfig, silhouette
from embeddings.analysis.sense_induction import adjusted_rand_index, induce_from, weighted
from embeddings.corpora.sense_contexts import by_word, read_contexts, surroundings
from benchmarks.verdict_rules import larger_in_all, make_claim
from embeddings.probing.surrounding_states import SHARE
from embeddings.lab.experiment import Cell, Claim, Column, Drawing, Experiment, Measured, Series, Table
from embeddings.model_card import machine
from embeddings.vectors.vector_rows import normalize_rows

SETS = ("wiki-wiki", "active-dict", "ru", "de", "en")
OWN = SETS[2:]  # this project's, by language
SEEDS = (1, 2, 3, 4, 5)  # of the table of spreads; 1 is what ships
SHIPPED = {"lemmas_views": "static", "form_and_static": "network"}
NETWORKED = ("word_state", "form_centred", "around", "substitutes")


class Score(NamedTuple):
    """A method on a word: agreement on the senses that the corpora teach and on all, each with its contexts."""

    name: str  # of the set
    method: str
    seed: int
    ari: tuple[tuple[float, int], tuple[float, int]]
    number: int
    seconds: float


def labels_of(vectors: list[Rows], word: Word, method: str, seed: int = 1) -> NDArray[np.int64]:
    """Senses of a word's contexts by a method."""
    if method.startswith("given_"):
        from sklearn.cluster import AgglomerativeClustering

        number = len(set(word.golds))
        return np.asarray(AgglomerativeClustering(number, linkage="ward").fit_predict(vectors[0]))
    return induce_from(vectors[0], ConsensusConfig(seed=seed), vectors).labels


def ari(word: Word, labels: NDArray[np.int64], *, every: bool) -> tuple[float, int]:
    """Agreement on the gold senses, those that the corpora do not attest left out unless ``every``."""
    rows = [
        row for row, attested in enumerate(word.attested) if (attested or every) and word.golds[row]
    ]
    golds, assigned = [word.golds[row] for row in rows], [str(labels[row]) for row in rows]
    return adjusted_rand_index(golds, assigned), len(rows)


def score_word(word: Word, models: Models) -> list[Score]:
    """Score every method on a word, the shipped ones with every seed."""
    results = []
    for method, parts in METHODS.items():
        if word.language not in LEMMAS and any(name.startswith("lemmas") for name, _ in parts):
            continue
        vectors, took = views(word, models, parts) if parts else ([], 0.0)
        for seed in SEEDS if method in SHIPPED else SEEDS[:1]:
            begun = time.perf_counter()
            labels = np.zeros(len(word.contexts), np.int64)
            if parts:
                labels = labels_of(vectors, word, method, seed)
            seconds = took + time.perf_counter() - begun
            scores = [ari(word, labels, every=every) for every in (False, True)]
            number = int(labels.max()) + 1
            results.append(Score(word.name, method, seed, (scores[0], scores[1]), number, seconds))
    return results


def read_sets(mirror: Path) -> list[Word]:
    """The words of all sets, those with most contexts first."""
    text = (ROOT / "data" / "contexts" / "senses.toml").read_text(encoding="utf-8")
    unattested = {
        (entry["language"], entry["word"], str(entry["id"]))
        for entry in tomllib.loads(text)["sense"]
        if not entry["attested"]
    }
    russe = mirror / "evaluation" / "senses_ru"
    files = {name: russe / name / "train.csv" for name in SETS if name not in OWN}
    files |= {name: ROOT / "data" / "contexts" / f"{name}.tsv" for name in OWN}
    words = []
    for name, path in files.items():
        language = name if name in OWN else "ru"
        contexts = read_contexts(path)
        for rows in by_word(contexts).values():
            chosen = [contexts[row] for row in rows]
            beside = [surroundings(context, language, strict=False) for context in chosen]
            attested = [name not in OWN or (name, c.word, c.gold) not in unattested for c in chosen]
            words.append(Word(name, language, chosen, beside, attested))
    return sorted(words, key=lambda word: -len(word.contexts))


def best_layer(words: list[Word], models: Models) -> int:
    """The layer at which the word's own states tell the own sentences' senses apart best, by mean silhouette."""
    scores = []
    for word in words:
        rows = own_states(word, models)
        golds = np.unique(word.golds, return_inverse=True)[1]
        scores.append([silhouette(normalize_rows(rows[:, k]), golds) for k in range(rows.shape[1])])
    return int(np.mean(scores, axis=0).argmax())


def row_of(method: str, scores: list[Score]) -> dict[str, Any]:
    """A line of the table of methods, from the first seed."""
    used = [name for name, _ in METHODS[method]]
    names = ["lemmas"] * any("lemmas" in n or "companion" in n for n in used)
    names += ["skipgram"] * any("forms" in n or "companion" in n or "rank" in n for n in used)
    names += [NETWORK.format("LANGUAGE")] * any(name in NETWORKED for name in used)
    row: dict[str, Any] = {"method": method, "models": names, "shipped": SHIPPED.get(method)}
    row["number"] = "given" if method.startswith("given_") else "found" if used else "one"
    method_scores = [score for score in scores if (score.method, score.seed) == (method, SEEDS[0])]
    for name in SETS:
        on_set = [score for score in method_scores if score.name == name]
        row[name] = _mean([score.ari[0] for score in on_set])
        if name in OWN:
            row[f"{name}_all"] = _mean([score.ari[1] for score in on_set])
        numbers = [score.number for score in on_set]
        row[f"{name}_senses"] = round(float(np.mean(numbers)), 2) if numbers else None
    row["seconds"] = round(sum(score.seconds for score in method_scores), 1)
    return row


def spread_of(method: str, scores: list[Score]) -> dict[str, Any]:
    """Mean and standard deviation of a shipped method over the seeds of the clusterings."""
    row: dict[str, Any] = {"method": method, "seeds": len(SEEDS)}
    for name in SETS:
        by_seed = [
            weighted([score.ari[0] for score in scores if score[:3] == (name, method, seed)])
            for seed in SEEDS
        ]
        means = [value for value in by_seed if value is not None]
        row[name] = round(float(np.mean(means)), 4) if means else None
        row[f"{name}_deviation"] = round(float(np.std(means)), 4) if means else None
    return row


def _mean(scores: list[tuple[float, int]]) -> float | None:
    """Mean by contexts, as it is written."""
    value = weighted(scores)
    return None if value is None else round(value, 4)


_models: Models | None = None


def _open(layer: int) -> None:
    """Open the models in a worker."""
    global _models
    torch.set_num_threads(1)
    _models = Models()
    _models.layer = layer
    _models.open_all()


def _word_scores(word: Word) -> list[Score]:
    """Score a word in a worker."""
    assert _models is not None
    return score_word(word, _models)


QUESTION = "Can the senses of a word be found without annotation?"
MIN_DIFFERENCE = 0.02  # ARI: a smaller difference counts as none, whatever the seeds do
Ari = dict[str, dict[str, float | None]]


def senses_experiment(measured: Measurements) -> Experiment:
    """Return all methods on all sets, how much chance moves them, and what knowing more is worth."""
    rows, spread = measured["tables"]["methods"], measured["tables"].get("spread", [])
    scores: Ari = {row["method"]: {name: row.get(name) for name in SETS} for row in rows}
    columns = (
        Column("sense_method", "term"),
        Column("sense_number", "term"),
        *(Column(f"set_{name}", digits=2) for name in SETS),
        *(Column(f"found_{name}", digits=1) for name in SETS[:2]),  # the sets that others score on
        Column("seconds", digits=1),
        Column("shipped", "term"),
    )
    bars = tuple(
        Series(
            f"set_{name}",
            tuple(f"sense_{method}" for method in scores),
            tuple(by_set[name] for by_set in scores.values()),
        )
        for name in SETS
    )
    tables = [Table("methods", columns, tuple(_method_row(row) for row in rows))]
    if spread:
        tables.append(_spread_table(spread))
    chance = [
        max([MIN_DIFFERENCE, *(row.get(f"{name}_deviation") or 0.0 for row in spread)]) for name in SETS
    ]
    return Experiment(
        "senses",
        QUESTION,
        (
            _ahead(scores, "network_helps", "form_and_static", "companion", chance),
            _ahead(scores, "own_state_best", "word_state", "companion", chance),
            _ahead(scores, "number_found", "form_and_static", "given_log_rank", chance),
        ),
        tuple(tables),
        (Drawing("methods", "dots", "sense_method", "ari", bars),),
        **about(measured, "senses"),
    )


def _method_row(row: dict[str, Any]) -> tuple[Cell, ...]:
    """A method's row; ``_senses`` are senses a word."""
    shipped = row.get("shipped")
    return (
        f"sense_{row['method']}",
        f"number_{row['number']}",
        *(row.get(name) for name in SETS),
        *(row.get(f"{name}_senses") for name in SETS[:2]),
        row.get("seconds"),
        f"shipped_{shipped}" if shipped else "",
    )


def _spread_table(rows: list[dict[str, Any]]) -> Table:
    """Mean and standard deviation over the seeds of the clusterings, of what ships."""
    keys = [key for name in SETS for key in (name, f"{name}_deviation")]
    columns = (
        Column("sense_method", "term"),
        Column("seeds"),
        *(Column(f"{start}_{n}", digits=3) for n in SETS for start in ("set", "deviation")),
    )
    cells = tuple(
        (f"sense_{row['method']}", row["seeds"], *(row.get(key) for key in keys)) for row in rows
    )
    return Table("spread", columns, cells)


def _ahead(scores: Ari, claim: str, first: str, second: str, chance: list[float]) -> Claim:
    """Whether a method is ahead on all sets that both have, by more than chance; means over these sets."""
    first_scores, second_scores = (
        [_score(scores, method, name) for name in SETS] for method in (first, second)
    )
    numbers = {"first": first_scores, "second": second_scores, "chance": chance}
    comparable = [
        (a, b, bound)
        for a, b, bound in zip(first_scores, second_scores, chance, strict=True)
        if a is not None and b is not None
    ]
    if not comparable:
        return make_claim(claim, larger_in_all, numbers)
    means = [sum(pair[side] for pair in comparable) / len(comparable) for side in (0, 1)]
    fields = {
        "ahead": Measured(sum(a - b > bound for a, b, bound in comparable)),
        "behind": Measured(sum(b - a > bound for a, b, bound in comparable)),
        "all": Measured(len(comparable)),
        "first": Measured(means[0], 2),
        "second": Measured(means[1], 2),
    }
    return make_claim(claim, larger_in_all, numbers, fields, ours=means[0] - means[1])


def _score(scores: Ari, method: str, name: str) -> float | None:
    """A method's score on a set; "companion" is lemmas, and forms where there are none."""
    names = ("lemmas_views", "forms_views") if method == "companion" else (method,)
    values = (scores.get(alias, {}).get(name) for alias in names)
    return next((value for value in values if value is not None), None)


def main() -> None:
    """Measure every method on every set and write the tables."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--mirror", type=Path, default=os.environ.get("KLYUCH_MIRROR"))
    ask.add_argument("--output", type=Path, default=RESULTS / "senses.json")
    ask.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = ask.parse_args()
    if options.mirror is None:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation/senses_ru.")
    begun = time.perf_counter()
    words = read_sets(options.mirror)
    layer = best_layer([word for word in words if word.name in OWN], Models())
    scores: list[Score] = []
    with ProcessPoolExecutor(options.workers, get_context("spawn"), _open, (layer,)) as pool:
        for done, word_scores in enumerate(pool.map(_word_scores, words), 1):
            scores += word_scores
            print(f"{done} of {len(words)} words, {time.perf_counter() - begun:.0f} s", flush=True)
    counts = {name: [word for word in words if word.name == name] for name in SETS}
    measured: Measurements = {
        "command": "python -m benchmarks.research.senses",
        "commit": source_commit(),
        "machine": machine(),
        "seconds": round(time.perf_counter() - begun, 1),
        "words": {name: len(chosen) for name, chosen in counts.items()},
        "contexts": {name: sum(len(w.contexts) for w in chosen) for name, chosen in counts.items()},
        "layer": layer,
        "share": SHARE,
        "tables": {
            "methods": [row_of(method, scores) for method in METHODS],
            "spread": [spread_of(method, scores) for method in SHIPPED],
        },
    }
    write_results(options.output, senses_experiment(measured), measured)


if __name__ == "__main__":
    main()
