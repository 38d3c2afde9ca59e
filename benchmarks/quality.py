"""Score every shipped skip-gram, CBOW and GloVe model of words as it lies on disk: benchmarks/results/quality.json.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.quality

Test sets that are not in this repository come from ``KLYUCH_MIRROR/evaluation``.
"""

from __future__ import annotations

import argparse

from benchmarks.build_models import scores
from benchmarks.result_files import RESULTS, Measurements, write_results
from benchmarks.source_tree import ROOT, source_commit
from benchmarks.static_quality import METHODS, quality_experiment, write_static
from embeddings import shelf
from embeddings.analysis.analogies import solve
from embeddings.errors import UnknownWordError
from embeddings.vectors.table import Vectors

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
        by_set = scores(vectors)
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
