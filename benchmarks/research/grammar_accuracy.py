"""The table of the page Grammar: how often networks prefer the grammatical sentence of BLiMP, RuBLiMP and CLAMS, by phenomenon.

`benchmarks.research.knowledge` measures it and writes benchmarks/results/grammar.json beside its own result. A pair counts where the sum over the
tokens is higher for the grammatical sentence (`embeddings.probing.sentence_scoring`); chance is 50 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.result_files import Measurements, about
from embeddings.lab.experiment import Column, Experiment, Table
from embeddings.probing.sentence_answers import GrammarScores

QUESTION = "How often does a network prefer the grammatical sentence?"
ALL = "all"
Scores = Mapping[str, GrammarScores]  # by network


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


def grammar_measurements(
    networks: Sequence[Mapping[str, Any]], sets: Iterable[str]
) -> dict[str, Any]:
    """Return the pairs of each set, and the scores of each network by set, from what `benchmarks.research.knowledge` measured."""
    scores = {
        name: {
            network["name"]: {
                "accuracy": part["accuracy"],
                "per_token": part["per_token"],
                "unknown": part["unknown"],
                "phenomena": {key: share["accuracy"] for key, share in part["phenomena"].items()},
            }
            for network in networks
            if (part := network["parts"].get(name))
        }
        for name in sets
    }
    scores = {name: by_network for name, by_network in scores.items() if by_network}
    pairs = {
        name: next(n["parts"][name]["total"] for n in networks if name in n["parts"])
        for name in scores
    }
    return {"pairs": pairs, "scores": scores}


def measured_grammar(measured: Measurements) -> Experiment:
    """Return the experiment of `grammar_measurements`."""
    scores = {
        name: {
            network: GrammarScores(
                score["accuracy"],
                score["per_token"],
                measured["pairs"][name],
                score["unknown"],
                score["phenomena"],
                {},
            )
            for network, score in by_network.items()
        }
        for name, by_network in measured["scores"].items()
    }
    return grammar_experiment(scores, measured)
