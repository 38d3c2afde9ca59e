"""Which files an experiment reads, and its verdicts by claim."""

from pathlib import Path

from embeddings.lab import read_experiment
from embeddings.results.experiment import Measured

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
READ = {  # files of each experiment
    "warm_start": ("warm_start",),
    "depth": ("depth",),
    "albert": ("albert",),
    "sst2": ("sst2",),
    "translation": ("translation",),
    "senses": ("senses",),
    "static": ("quality", "trials"),
    "speed": ("text", "word2vec", "glove", "bert_speed", "search", "pca"),
}


def by_claim(name):
    """Verdicts of an experiment, and the numbers in them."""
    found = read_experiment(name).verdicts
    values = {
        one.claim: {k: v.value if isinstance(v, Measured) else v for k, v in one.fields}
        for one in found
    }
    return {one.claim: one.outcome for one in found}, values
