"""Word2Vec averaged over parts of the text on a cluster beside Word2Vec on one machine: how much quality the averages cost.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.research.averaging [--megabytes 40] [--seeds 3] [--workers 4] [--work FOLDER]

The text is the beginning of the English Wikipedia; skip-gram of 100 dimensions, five epochs, one thread each. One machine and 4 parts
with 4 averages an epoch are trained with several seeds, each of the other settings with one. The cluster is one of this machine,
whose worker processes change no result. The rate of ``plain_rate`` is not multiplied by the parts.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.speed import mirror, read_load, read_text
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.cluster.averaging import ClusterEpochs
from embeddings.cluster.connection import Cluster, connected
from embeddings.cluster.connection import local_cluster
from embeddings.configuration import to_json
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from benchmarks.verdict_rules import difference, make_claim
from embeddings.lab.experiment import Claim, Experiment, Measured
from embeddings.static.settings import AveragingConfig
from embeddings.static.word2vec import train_word2vec
from embeddings.static.settings import Word2VecConfig
from embeddings.vectors.table import Vectors

QUESTION = "How much quality does Word2Vec lose when parts train at once and are averaged?"
CONFIG = Word2VecConfig(vector_size=100, epochs=5, sample=1e-4, workers=1)
SCORES = {"analogies": 100.0, "simlex": 1.0, "wordsim": 1.0}
PAIRS = {"simlex": "EN-SIMLEX-999.txt", "wordsim": "EN-WS-353-ALL.txt"}
COLUMNS = {"averaged": 0, "parts": 0, "rounds": 0, "seed": 0}
COLUMNS |= {"analogies_accuracy": 1, "simlex": 3, "wordsim": 3, "seconds": 0}


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of training: parts and rounds, none on one machine; all seeds or the first alone."""

    name: str
    averaging: AveragingConfig | None = None
    rate: float = 1.0
    all_seeds: bool = False


ARMS = (
    Arm("one_machine", all_seeds=True),
    Arm("averaged", AveragingConfig(4, 4), all_seeds=True),
    Arm("averaged", AveragingConfig(2, 4)),
    Arm("averaged", AveragingConfig(8, 4)),
    Arm("averaged", AveragingConfig(4, 1)),
    Arm("plain_rate", AveragingConfig(4, 4), rate=0.25),
)


def scores(vectors: Vectors) -> dict[str, float]:
    """Analogies that are right, as a share, and rank correlations with human judgements."""
    questions = mirror("evaluation", "analogies_en", "questions-words.txt")
    pairs = {name: mirror("evaluation", "similarity_en", file) for name, file in PAIRS.items()}
    answered = evaluate_analogies(vectors, questions)
    correlations = {name: evaluate_pairs(vectors, path).spearman for name, path in pairs.items()}
    return {"analogies_accuracy": answered.accuracy, "covered": answered.covered, **correlations}


def train(corpus: EncodedCorpus, arm: Arm, seed: int, cluster: Cluster) -> dict[str, Any]:
    """Train and score."""
    config = replace(
        CONFIG, seed=seed, alpha=CONFIG.alpha * arm.rate, min_alpha=CONFIG.min_alpha * arm.rate
    )
    epochs = arm.averaging and ClusterEpochs(corpus, arm.averaging, cluster)
    load, begun = read_load().average, time.perf_counter()
    model = train_word2vec(corpus, config, epochs=epochs)
    seconds = time.perf_counter() - begun
    sizes = to_json(arm.averaging) if arm.averaging else {}
    row = {"averaged": arm.name, **sizes, "seed": seed, **scores(model.vectors)}
    row |= {"losses": list(model.losses), "seconds": seconds, "load": load}
    return {key: round(x, 4) if isinstance(x, float) else x for key, x in row.items()}


def of_arm(rows: Sequence[Mapping[str, Any]], name: str, parts: int | None = None) -> list[Any]:
    """Rows of all seeds of one machine, or of so many parts with 4 rounds."""
    rounds = None if parts is None else 4
    sizes = (parts, rounds)
    return [r for r in rows if r["averaged"] == name and (r.get("parts"), r.get("rounds")) == sizes]


def cost_claim(rows: Sequence[Mapping[str, Any]], score: str) -> Claim:
    """Whether one machine is ahead of 4 parts with 4 rounds, by the spread over the seeds."""
    key = "analogies_accuracy" if score == "analogies" else score
    alone, averaged = (
        [SCORES[score] * row[key] for row in of_arm(rows, *arm)]
        for arm in (("one_machine",), ("averaged", 4))
    )
    gain = statistics.mean(alone) - statistics.mean(averaged)
    error = None
    if min(len(alone), len(averaged)) > 1:
        error = math.hypot(
            *(statistics.stdev(arm) / math.sqrt(len(arm)) for arm in (alone, averaged))
        )
    digits = 1 if score == "analogies" else 3
    return make_claim(
        f"averaging_costs_{score}",
        difference,
        {"gain": gain, "standard_error": error},
        {"gain": Measured(gain, digits), "error": Measured(error, digits)},
        ours=gain,
    )


def averaging_experiment(measured: Measurements) -> Experiment:
    """Return the claims and the table of all trainings."""
    rows = measured["rows"]
    table = table_of("trainings", rows, COLUMNS, {"averaged": ""})
    claims = tuple(cost_claim(rows, score) for score in SCORES)
    return Experiment("averaging", QUESTION, claims, (table,), (), **about(measured, "averaging"))


def main() -> None:
    """Train all and write the file of results."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--megabytes", type=int, default=40)
    ask.add_argument("--seeds", type=int, default=3)
    ask.add_argument("--workers", type=int, default=4)
    ask.add_argument("--work", type=Path)
    ask.add_argument("--output", type=Path, default=RESULTS / "averaging.json")
    chosen = ask.parse_args()
    begun, rows = time.monotonic(), []
    with TemporaryDirectory(dir=chosen.work) as name:
        text = Path(name) / "text.txt"
        text.write_bytes(read_text(mirror("corpora"), chosen.megabytes * 1_000_000))
        corpus = encode([text], Path(name) / "ids", EncodingConfig(min_count=5))
        with (
            local_cluster(chosen.workers) as started,
            connected(started.scheduler_address) as cluster,
        ):
            for arm in ARMS:
                for seed in range(1, 1 + (chosen.seeds if arm.all_seeds else 1)):
                    rows.append(train(corpus, arm, seed, cluster))
                    print(rows[-1], flush=True)
    command = f"KLYUCH_MIRROR=FOLDER python -m benchmarks.research.averaging --megabytes {chosen.megabytes}"
    command += f" --seeds {chosen.seeds} --workers {chosen.workers}"
    measured: Measurements = {
        **head_of_run(command, begun),
        "settings": to_json(CONFIG),
        "words": len(corpus.ids),
        "vocabulary": len(corpus.vocabulary),
        "rows": rows,
    }
    write_results(chosen.output, averaging_experiment(measured), measured)


if __name__ == "__main__":
    main()
