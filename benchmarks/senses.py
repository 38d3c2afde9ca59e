"""Senses found by every method that was tried, on all sets of marked contexts, from the shipped models alone.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.senses [--output FILE]

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
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.build_models import ROOT
from benchmarks.sense_methods import LEMMAS, METHODS, NETWORK, Models, Rows, Word, own_states, views
from embeddings.analysis.consensus import ConsensusConfig, silhouette, unit
from embeddings.analysis.sense_files import adjusted_rand_index, weighted
from embeddings.analysis.senses import induce_from
from embeddings.files import write_json
from embeddings.probing.around import SHARE
from embeddings.text.contexts import read_contexts
from embeddings.text.surroundings import by_word, surroundings
from embeddings.vectors.formats.card import current_commit, machine

SEEDS = (1, 2, 3, 4, 5)  # of the table of spreads; 1 is what ships
SHIPPED = {"lemmas_views": "static", "around_and_static": "network"}
NETWORKED = ("word_state", "around", "substitutes")


def labels_of(vectors: list[Rows], word: Word, method: str, seed: int = 1) -> NDArray[np.int64]:
    """Senses of a word's contexts by a method."""
    if method.startswith("given_"):
        from sklearn.cluster import AgglomerativeClustering

        number = len(set(word.golds))
        return np.asarray(AgglomerativeClustering(number, linkage="ward").fit_predict(vectors[0]))
    return induce_from(vectors[0], ConsensusConfig(seed=seed), vectors).labels


def ari(word: Word, labels: NDArray[np.int64], *, every: bool) -> tuple[float, int]:
    """Agreement on the marked senses, those that the corpora do not teach left out unless ``every``."""
    rows = [row for row, taught in enumerate(word.taught) if (taught or every) and word.golds[row]]
    golds, found = [word.golds[row] for row in rows], [str(labels[row]) for row in rows]
    return adjusted_rand_index(golds, found), len(rows)


def measure(words: list[Word], models: Models, method: str, seed: int = 1) -> dict[str, float]:
    """Score a method on a set: ARI, senses found a word, seconds."""
    seconds, numbers = 0.0, []
    scored: dict[bool, list[tuple[float, int]]] = {False: [], True: []}
    for word in words:
        labels = np.zeros(len(word.contexts), np.int64)
        if METHODS[method]:
            vectors, took = views(word, models, method)
            begun = time.perf_counter()
            labels = labels_of(vectors, word, method, seed)
            seconds += took + time.perf_counter() - begun
        numbers.append(int(labels.max()) + 1)
        for every, scores in scored.items():
            scores.append(ari(word, labels, every=every))
    return {
        "ari": weighted(scored[False]) or 0.0,
        "all": weighted(scored[True]) or 0.0,
        "senses": float(np.mean(numbers)),
        "seconds": seconds,
    }


def read_sets(mirror: Path) -> dict[str, list[Word]]:
    """All sets, word by word."""
    text = (ROOT / "data" / "contexts" / "senses.toml").read_text(encoding="utf-8")
    untaught = {
        (one["language"], one["word"], str(one["id"]))
        for one in tomllib.loads(text)["sense"]
        if not one["taught"]
    }
    russe = mirror / "evaluation" / "senses_ru"
    files = {name: ("ru", russe / name / "train.csv") for name in ("wiki-wiki", "active-dict")}
    own = ROOT / "data" / "contexts"
    files |= {language: (language, own / f"{language}.tsv") for language in ("ru", "de", "en")}
    found: dict[str, list[Word]] = {}
    for name, (language, path) in files.items():
        contexts = read_contexts(path)
        found[name] = []
        for rows in by_word(contexts).values():
            chosen = [contexts[row] for row in rows]
            beside = [surroundings(one, language, strict=False) for one in chosen]
            kept = [name != language or (language, c.word, c.gold) not in untaught for c in chosen]
            found[name].append(Word(language, chosen, beside, kept))
    return found


def best_layer(sets: dict[str, list[Word]], models: Models) -> int:
    """The layer at which the word's own states tell the own sentences' senses apart best, by mean silhouette."""
    scores = []
    for word in [word for name in ("ru", "de", "en") for word in sets[name]]:
        rows = own_states(word, models)
        golds = np.unique(word.golds, return_inverse=True)[1]
        scores.append([silhouette(unit(rows[:, k]), golds) for k in range(rows.shape[1])])
    return int(np.mean(scores, axis=0).argmax())


def row_of(sets: dict[str, list[Word]], models: Models, method: str) -> dict[str, Any]:
    """A line of the table."""
    used = [name for name, _ in METHODS[method]]
    names = ["lemmas"] * any("lemmas" in n or "companion" in n for n in used)
    names += ["skipgram"] * any("forms" in n or "companion" in n or "rank" in n for n in used)
    names += [NETWORK] * any(name in NETWORKED for name in used)
    row: dict[str, Any] = {"method": method, "models": names, "seconds": 0.0}
    row |= {"number": "given" if method.startswith("given_") else "found" if used else "one"}
    row |= {"shipped": SHIPPED.get(method)}
    for name, words in sets.items():
        if words[0].language not in LEMMAS and any(one.startswith("lemmas") for one in used):
            row[name] = row[f"{name}_senses"] = None
            continue
        found = measure(words, models, method)
        row |= {name: round(found["ari"], 4), f"{name}_senses": round(found["senses"], 2)}
        row |= {f"{name}_all": round(found["all"], 4)} if name == words[0].language else {}
        row["seconds"] = round(row["seconds"] + found["seconds"], 1)
    print({key: value for key, value in row.items() if value is not None}, flush=True)
    return row


def spread_of(sets: dict[str, list[Word]], models: Models, method: str) -> dict[str, Any]:
    """Mean and standard deviation of a shipped method over the seeds of the clusterings."""
    row: dict[str, Any] = {"method": method, "seeds": len(SEEDS)}
    for name, words in sets.items():
        if words[0].language in LEMMAS or method != "lemmas_views":
            found = [measure(words, models, method, seed)["ari"] for seed in SEEDS]
            row |= {name: round(float(np.mean(found)), 4)}
            row |= {f"{name}_deviation": round(float(np.std(found)), 4)}
    print(row, flush=True)
    return row


def main() -> None:
    """Measure every method on every set and write the tables."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--mirror", type=Path, default=os.environ.get("KLYUCH_MIRROR"))
    ask.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "senses.json")
    said = ask.parse_args()
    if said.mirror is None:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation/senses_ru.")
    begun = time.perf_counter()
    models, sets = Models(), read_sets(said.mirror)
    models.layer = best_layer(sets, models)
    rows = [row_of(sets, models, method) for method in METHODS]
    spreads = [spread_of(sets, models, method) for method in SHIPPED]
    found = {
        "command": "python -m benchmarks.senses",
        "commit": current_commit(),
        "machine": machine(),
        "seconds": round(time.perf_counter() - begun, 1),
        "words": {name: len(words) for name, words in sets.items()},
        "contexts": {name: sum(len(w.contexts) for w in words) for name, words in sets.items()},
        "layer": models.layer,
        "share": SHARE,
        "tables": {"methods": rows, "spread": spreads},
    }
    write_json(said.output, found)


if __name__ == "__main__":
    main()
