"""What moves when documents are left out: approximated from one training (Brunet et al. 2019), beside training again.

    OMP_NUM_THREADS=1 python -m benchmarks.research.influence TEXT... [--shares 0.03 0.1 0.3] [--draws 2] [--seeds 1 2]

GloVe is trained on a text, and again without some documents, drawn at random. The approximation takes the first training and the counts
without those documents: for one word the context vectors and biases are held fixed, so that its loss is quadratic, and its vector takes
one Newton step (equation 8 of Brunet, Alkalay-Houlihan, Anderson and Zemel 2019). Both are asked for the cosines of common words with
their neighbours; what is compared is how far each cosine moves. Vectors are W alone, as there.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import pearsonr

from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    series_of,
    table_of,
    write_results,
)
from benchmarks.source_tree import source_commit
from embeddings.configuration import to_json
from embeddings.corpora.document_selection import with_documents
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from benchmarks.verdict_rules import all_at_least, below, make_claim
from embeddings.lab.experiment import Drawing, Experiment, Measured
from embeddings.static.cooccurrence import (
    CooccurrenceConfig,
    Cooccurrences,
    count_cooccurrences,
)
from embeddings.static.glove import GloveConfig, GloveModel, train_glove
from embeddings.vectors.vector_rows import normalize_rows

QUESTION = "Can the effect of leaving out documents be predicted without retraining?"
SOURCE = "Brunet et al. 2019"
VOCABULARY, WORDS, NEAREST = 5_000, 1_000, 10  # words trained, measured, and neighbours of each
ACCURATE = 0.9  # a correlation from which the approximation is called accurate here
CONFIG = GloveConfig(vector_size=50, iterations=60, workers=1)
COUNTING = CooccurrenceConfig(window=5)
COLUMNS = {
    "left_out_accuracy": 0,
    "left_out_documents": 0,
    "cosine_change": 4,
    "influence_correlation": 3,
    "seed_correlation": 3,
    "approximated_seconds": 1,
    "trained_seconds": 1,
}


def newton_steps(
    model: GloveModel,
    before: Cooccurrences,
    after: Cooccurrences,
    words: Sequence[int],
    config: GloveConfig,
) -> NDArray[np.float64]:
    """Return the vectors W that some words would have with other counts, approximately; shape (words, vector_size).

    Parameters
    ----------
    model : GloveModel
        Trained on ``before``; its context vectors and biases are held fixed.
    before, after : Cooccurrences
        Counts with all documents, and without some.
    words : sequence of int
        Rows.
    config : GloveConfig
        Of the training: its weights f(X).

    Notes
    -----
    With L_i(X, w) = sum over j of f(X_ij) (w . w~_j + b_i + b~_j - log X_ij)^2 the step is
    w_i - H^-1 (grad L_i(after, w_i) - grad L_i(before, w_i)), where H is the Hessian of L_i(before, w) in w.
    """
    steps = []
    for word in words:
        gradient, hessian = _derivatives(model, before, word, config)
        other, _ = _derivatives(model, after, word, config)
        step = np.linalg.lstsq(hessian, other - gradient, rcond=None)[0]
        steps.append(model.words_matrix[word] - step)
    return np.array(steps)


def _derivatives(
    model: GloveModel, counts: Cooccurrences, word: int, config: GloveConfig
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return gradient and Hessian of a word's loss in its vector; shapes (vector_size,), (vector_size, vector_size)."""
    columns, values = counts.row(word)
    values = values.astype(np.float64)
    contexts = model.context_matrix[columns].astype(np.float64)
    weights = 2 * np.minimum(1, (values / config.x_max) ** config.alpha)
    fitted = contexts @ model.words_matrix[word] + model.word_bias[word]
    errors = fitted + model.context_bias[columns] - np.log(values)
    weighted = contexts * weights[:, None]
    return weighted.T @ errors, weighted.T @ contexts


def neighbour_pairs(vectors: Sequence[NDArray[np.float32]], nearest: int) -> NDArray[np.int64]:
    """Return each word with its nearest on the average of several trainings; shape (words x nearest, 2)."""
    mean = np.mean([unit @ unit.T for unit in map(normalize_rows, vectors)], axis=0)
    np.fill_diagonal(mean, -np.inf)
    near = np.argsort(-mean, axis=1, kind="stable")[:, :nearest]
    return np.stack([np.repeat(np.arange(len(mean)), nearest), near.reshape(-1)], axis=1)


def pair_cosines(vectors: NDArray[np.floating], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cosine of each pair."""
    unit = normalize_rows(np.asarray(vectors, np.float64))
    return np.einsum("ij,ij->i", unit[pairs[:, 0]], unit[pairs[:, 1]])


def measure(
    corpus: EncodedCorpus, shares: Sequence[float], draws: int, seeds: Sequence[int]
) -> list[dict[str, float]]:
    """Return a row for each share of documents left out and each draw."""
    configs = [GloveConfig(**{**to_json(CONFIG), "seed": seed}) for seed in seeds]
    counts = count_cooccurrences(corpus, COUNTING)
    models = [train_glove(counts, corpus.vocabulary, config) for config in configs]
    documents = len(corpus.document_bounds) - 1
    rests = []
    for share in shares:
        for draw in range(draws):
            order = np.random.default_rng([draw, round(1000 * share)]).permutation(documents)
            rests.append((share, np.sort(order[round(share * documents) :])))
    texts = [(share, with_documents(corpus, rest)) for share, rest in rests]
    present = np.logical_and.reduce([text.vocabulary.counts >= NEAREST for _, text in texts])
    words = np.flatnonzero(present)[:WORDS]
    pairs = neighbour_pairs([model.words_matrix[words] for model in models], NEAREST)
    rows = []
    for share, text in texts:
        left = count_cooccurrences(text, COUNTING)
        approximated, trained, seconds = [], [], [0.0, 0.0]
        for model, config in zip(models, configs, strict=True):
            old = pair_cosines(model.words_matrix[words], pairs)
            began = time.process_time()
            steps = newton_steps(model, counts, left, words.tolist(), config)
            seconds[0] += time.process_time() - began
            began = time.process_time()
            again = train_glove(left, text.vocabulary, config)
            seconds[1] += time.process_time() - began
            approximated.append(pair_cosines(steps, pairs) - old)
            trained.append(pair_cosines(again.words_matrix[words], pairs) - old)
        row = {
            "left_out": share,
            "documents": documents - len(text.document_bounds) + 1,
            "cosine_change": float(np.abs(np.mean(trained, axis=0)).mean()),
            "influence": _correlation(np.mean(approximated, axis=0), np.mean(trained, axis=0)),
            "seed": _correlation(trained[0], trained[1]),
            "approximated_seconds": seconds[0] / len(seeds),
            "trained_seconds": seconds[1] / len(seeds),
        }
        print(row, flush=True)
        rows.append(row)
    return rows


def _correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return Pearson's correlation."""
    return float(pearsonr(first, second).statistic)


def influence_experiment(measured: Measurements) -> Experiment:
    """Return the claims with their verdicts, a curve and a table."""
    rows = measured["rows"]
    found = [row["influence"] for row in rows]
    cost = [
        sum(row[f"{way}_seconds"] for row in rows) / len(rows)
        for way in ("approximated", "trained")
    ]
    claims = (
        make_claim(
            "influence_accurate",
            all_at_least,
            {"values": found, "bound": ACCURATE},
            {
                "lowest": Measured(min(found), 2),
                "highest": Measured(max(found), 2),
                "seed_lowest": Measured(min(row["seed"] for row in rows), 2),
                "seed_highest": Measured(max(row["seed"] for row in rows), 2),
            },
            source=SOURCE,
        ),
        make_claim(
            "influence_cheaper",
            below,
            {"value": cost[0] / cost[1], "bound": 1.0},
            {"approximated": Measured(cost[0], 1), "trained": Measured(cost[1], 1)},
            source=SOURCE,
        ),
    )
    series = (series_of(f"{way}_correlation", _means(rows, way)) for way in ("influence", "seed"))
    drawing = Drawing("correlations", "lines", "left_out", "correlation", tuple(series))
    renamed = [
        {
            **row,
            "left_out_accuracy": row["left_out"],
            "left_out_documents": row["documents"],
            "influence_correlation": row["influence"],
            "seed_correlation": row["seed"],
        }
        for row in rows
    ]
    table = table_of("draws", renamed, COLUMNS)
    return Experiment(
        "influence", QUESTION, claims, (table,), (drawing,), **about(measured, "influence")
    )


def _means(rows: Sequence[dict[str, float]], name: str) -> list[tuple[float, float]]:
    """Return the mean over the draws of each share, behind the share in percent."""
    shares = sorted({row["left_out"] for row in rows})
    return [
        (100 * share, float(np.mean([row[name] for row in rows if row["left_out"] == share])))
        for share in shares
    ]


def main() -> None:
    """Measure and write the results."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("texts", nargs="+", type=Path)
    ask.add_argument("--shares", nargs="+", type=float, default=[0.03, 0.1, 0.3])
    ask.add_argument("--draws", type=int, default=2)
    ask.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    options = ask.parse_args()
    commit, began = source_commit(), time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        config = EncodingConfig(min_count=5, max_words=VOCABULARY)
        corpus = encode(options.texts, Path(work) / "ids", config)
        rows = measure(corpus, options.shares, options.draws, options.seeds)
    measured: Measurements = {
        **head_of_run(
            "OMP_NUM_THREADS=1 python -m benchmarks.research.influence CORPORA/ru_newsru.txt.xz",
            commit=commit,
        ),
        "seconds": round(time.monotonic() - began, 1),
        "settings": to_json(CONFIG) | {"window": COUNTING.window, "words": WORDS},
        "rows": rows,
    }
    write_results(RESULTS / "influence.json", influence_experiment(measured), measured)


if __name__ == "__main__":
    main()
