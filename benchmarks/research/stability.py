"""How far neighbours move when a model is trained again, against the size of the corpus (Antoniak and Mimno 2018).

    python -m benchmarks.research.stability TEXT... [--tokens 50000 100000 200000 400000 800000] [--runs 10]

From the texts documents are drawn at random up to each number of tokens. On each such corpus skip-gram is trained several times: on
documents drawn anew with replacement, and with another seed alone. Measured are the same words everywhere, and their neighbours among
themselves: in a larger vocabulary there are more words to change places with.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
from benchmarks.verdict_rules import larger_in_all, make_claim, rising
from embeddings.lab.experiment import Drawing, Experiment, Measured
from embeddings.static.retraining import measure_spread, trained_runs
from embeddings.static.settings import SpreadConfig
from embeddings.static.settings import Word2VecConfig

QUESTION = "How far do neighbours move when a model is trained again?"
SOURCE = "Antoniak and Mimno 2018"
READ = 4_000_000  # tokens that each run reads: a small corpus more often, else it would not be trained at all
CONFIG = Word2VecConfig(vector_size=50, window=5, negative=5, sample=1e-3)
WORDS = 2_000  # commonest words of all texts; measured are those that every training has
RESAMPLED = {"documents": "documents drawn anew", "none": "seed alone"}
COLUMNS = {
    "resample": 0,
    "corpus_tokens": 0,
    "documents": 0,
    "deviation": 4,
    "overlap_accuracy": 1,
    "rank_range": 1,
}


def drawn_documents(corpus: EncodedCorpus, tokens: int, seed: int = 1) -> NDArray[np.int64]:
    """Return documents drawn at random until they hold so many tokens, rising."""
    order = np.random.default_rng(seed).permutation(len(corpus.document_bounds) - 1)
    sizes = np.diff(np.asarray(corpus.sentence_bounds)[corpus.document_bounds])[order]
    count = int(np.searchsorted(np.cumsum(sizes), tokens)) + 1
    return np.sort(order[:count])


def measure(
    corpus: EncodedCorpus, tokens: Sequence[int], runs: int, work: Path
) -> tuple[int, list[dict[str, object]]]:
    """Return how many words are measured, and a row for each size and way of drawing."""
    texts = [with_documents(corpus, drawn_documents(corpus, size)) for size in tokens]
    trained = {}
    for number, text in enumerate(texts):
        config = replace(CONFIG, epochs=max(1, round(READ / len(text.ids))))
        for resample in RESAMPLED:
            spread = SpreadConfig(runs=runs, resample=resample, among=WORDS)
            trained[number, resample] = trained_runs(text, config, spread, work)
            print(f"trained: {len(text.ids)} tokens, {RESAMPLED[resample]}", flush=True)
    present = [table.any(axis=1) for tables in trained.values() for table in tables]
    common = np.flatnonzero(np.logical_and.reduce(present))
    words = [corpus.vocabulary.words[word] for word in common]
    rows: list[dict[str, object]] = []
    for (number, resample), tables in trained.items():
        spread = SpreadConfig(runs=runs, resample=resample, rows=len(words), nearest=10, kept=0)
        _, summary = measure_spread([table[common] for table in tables], words, spread)
        text = texts[number]
        rows.append(
            {
                "resample": resample,
                "corpus_tokens": len(text.ids),
                "documents": len(text.document_bounds) - 1,
                **to_json(summary),
            }
        )
    return len(words), rows


def stability_experiment(measured: Measurements) -> Experiment:
    """Return the claims with their verdicts, a curve and a table."""
    rows = measured["rows"]
    by_way = {way: [row for row in rows if row["resample"] == way] for way in RESAMPLED}
    drawn, alone = ([row["deviation"] for row in by_way[way]] for way in ("documents", "none"))
    sizes = [row["corpus_tokens"] for row in by_way["documents"]]
    claims = (
        make_claim(
            "smaller_moves_more",
            rising,
            {"values": drawn[::-1]},
            {
                "small": Measured(drawn[0], 3),
                "large": Measured(drawn[-1], 3),
                "least": Measured(sizes[0], 0),
                "most": Measured(sizes[-1], 0),
            },
            source=SOURCE,
        ),
        make_claim(
            "documents_move_more",
            larger_in_all,
            {"first": drawn, "second": alone},
            {"drawn": Measured(drawn[-1], 3), "alone": Measured(alone[-1], 3)},
            source=SOURCE,
        ),
    )
    drawings = (
        _lines("sizes", "cosine_deviation", by_way, "deviation"),
        _lines("shared", "overlap", by_way, "overlap", 100),
    )
    rows = [{**row, "overlap_accuracy": row["overlap"]} for row in rows]
    table = table_of("sizes", rows, COLUMNS, {"resample": "resample_"})
    return Experiment(
        "stability", QUESTION, claims, (table,), drawings, **about(measured, "stability")
    )


def _lines(
    name: str, axis: str, by_way: Mapping[str, list[dict[str, float]]], key: str, times: float = 1
) -> Drawing:
    """Return a curve a way of training again, over the millions of tokens."""
    series = (
        series_of(
            f"resample_{way}", [(row["corpus_tokens"] / 1e6, row[key]) for row in rows], times
        )
        for way, rows in by_way.items()
    )
    return Drawing(name, "lines", "corpus_tokens", axis, tuple(series))


def main() -> None:
    """Measure and write the results."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("texts", nargs="+", type=Path)
    sizes = [50_000, 100_000, 200_000, 400_000, 800_000]
    ask.add_argument("--tokens", nargs="+", type=int, default=sizes)
    ask.add_argument("--runs", type=int, default=10)
    options = ask.parse_args()
    commit, began = source_commit(), time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        corpus = encode(options.texts, Path(work) / "ids", EncodingConfig(min_count=5))
        words, rows = measure(corpus, options.tokens, options.runs, Path(work))
    measured: Measurements = {
        **head_of_run("python -m benchmarks.research.stability CORPORA/ru_newsru.txt.xz", commit=commit),
        "seconds": round(time.monotonic() - began, 1),
        "settings": to_json(CONFIG) | {"epochs": None, "tokens_read": READ},
        "runs": options.runs,
        "words": words,
        "rows": rows,
    }
    write_results(RESULTS / "stability.json", stability_experiment(measured), measured)


if __name__ == "__main__":
    main()
