"""How often the networks that ship prefer the grammatical sentence: minimal pairs of BLiMP, RuBLiMP and CLAMS, by phenomenon.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.grammar_accuracy [--limit PAIRS] [--output FILE]

``--limit`` pairs of each paradigm are scored, evenly spread over the paradigm; 0 scores all. A pair counts where the sum over the
tokens is higher for the grammatical sentence (`embeddings.probing.sentence_scoring`); chance is 50 %.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.result_files import RESULTS, Measurements, about, write_results
from benchmarks.source_tree import source_commit
from embeddings import shelf
from embeddings.corpora.evaluation_sets import MinimalPair, read_minimal_pairs
from embeddings.probing.network_with_tokenizer import open_reader
from embeddings.probing.sentence_scoring import evaluate_pairs
from embeddings.results.experiment import Column, Experiment, Table
from embeddings.results.sentence_scores import GrammarScores
from embeddings.vectors.formats.card import machine

QUESTION = "How often does a network prefer the grammatical sentence?"
SETS = {"blimp_en": "en", "rublimp_ru": "ru", "clams_ru": "ru", "clams_de": "de"}
LIMIT = 20  # pairs of a paradigm
ALL = "all"
Scores = Mapping[str, GrammarScores]  # by network


def spread_pairs(pairs: Sequence[MinimalPair], limit: int) -> list[MinimalPair]:
    """Return up to ``limit`` pairs of each paradigm, evenly spread over it; all for 0."""
    paradigms: dict[str, list[MinimalPair]] = defaultdict(list)
    for pair in pairs:
        paradigms[pair.paradigm].append(pair)
    return [
        members[number * len(members) // count]
        for members in paradigms.values()
        for count in [min(limit or len(members), len(members))]
        for number in range(count)
    ]


def table_of_set(name: str, scores: Scores) -> Table:
    """Return a set's accuracy in percent: a row for all pairs, then one a phenomenon; a column a network."""
    first = next(iter(scores.values()))
    everything = (ALL, *(100 * score.accuracy for score in scores.values()))
    rows = [
        (
            phenomenon.replace("_", " "),
            *(100 * score.phenomena[phenomenon] for score in scores.values()),
        )
        for phenomenon in sorted(first.phenomena)
    ]
    columns = (Column("phenomenon", "text"), *(Column(model, digits=1) for model in scores))
    return Table(name, columns, (everything, *rows))


def grammar_experiment(scores: Mapping[str, Scores], measured: Measurements) -> Experiment:
    """Return the tables of the sets that were scored; there is no claim to decide."""
    tables = tuple(
        table_of_set(name, set_scores) for name, set_scores in scores.items() if set_scores
    )
    return Experiment("grammar", QUESTION, (), tables, (), **about(measured, "grammar"))


def main() -> None:
    """Score every network that ships on the sets of its languages."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--mirror", type=Path, default=os.environ.get("KLYUCH_MIRROR"))
    ask.add_argument("--limit", type=int, default=LIMIT)
    ask.add_argument("--output", type=Path, default=RESULTS / "grammar.json")
    options = ask.parse_args()
    if options.mirror is None:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation/grammar.")
    begun, data = time.perf_counter(), shelf.data()
    entries = [e for e in shelf.list_models() if e.kind == "network" and data in e.path.parents]
    scores: dict[str, dict[str, GrammarScores]] = {name: {} for name in SETS}
    for entry in entries:
        reader = open_reader(entry.path, entry.name)
        for name, language in SETS.items():
            if entry.language in ("", language):  # "": of several languages
                pairs = read_minimal_pairs(
                    options.mirror / "evaluation" / "grammar" / f"{name}.tsv"
                )
                scores[name][entry.name] = evaluate_pairs(
                    reader, spread_pairs(pairs, options.limit)
                )
                print(f"{entry.name} {name}: {scores[name][entry.name].accuracy:.3f}", flush=True)
    measured: Measurements = {
        "command": f"KLYUCH_MIRROR=FOLDER python -m benchmarks.grammar_accuracy --limit {options.limit}",
        "commit": source_commit(),
        "machine": machine(),
        "created": time.strftime("%Y-%m-%d"),
        "seconds": round(time.perf_counter() - begun, 1),
        "limit": options.limit,
        "pairs": {
            name: next(iter(by_network.values())).total
            for name, by_network in scores.items()
            if by_network
        },
    }
    write_results(options.output, grammar_experiment(scores, measured), measured)


if __name__ == "__main__":
    main()
