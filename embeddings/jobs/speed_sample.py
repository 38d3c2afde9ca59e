"""How fast this machine trains on a text: a sample of it is trained on for a moment before the first job.

The beginning of the text, repeated up to `WORDS`, is encoded and passed over; timed are the passes behind the first one, since that one
also compiles. Their time against what the rates of the benchmarks say for as many words is the factor of `SpeedSample`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from embeddings.configuration import check_choice
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.text_files import read_blocks
from embeddings.jobs.estimate import network_sizes, pass_seconds, read_rates, step_seconds
from embeddings.jobs.job_answers import SpeedSample
from embeddings.method_registry import METHODS, static_methods
from embeddings.networks.bert_config import NetworkConfig
from embeddings.training.settings import NetworkSettings, StaticSettings, network_configs

BYTES = 1_600_000  # of the text at most: several pieces of a pass, which threads share
LEAST_BYTES = 1_600_000  # a shorter text is repeated
PASSES = 2  # timed
STEPS = 2  # of a network, timed
PAIRS_SECONDS = 0.05  # added to both times for GloVe: beside a few pairs of words, a pass costs more than the pairs do
BUCKET = 20_000  # rows of fastText's n-grams: enough for a sample
TRAINED = StaticSettings(vector_size=100, window=5, min_count=1, passes=PASSES + 1)


def speed_sample(method: str, files: Sequence[Path], workers: int = 2) -> SpeedSample:
    """Train on a sample of a text and return how long it took.

    Parameters
    ----------
    method : str
        skipgram, cbow, glove or fasttext.
    files : sequence of Path
        Text files, not encoded.
    workers : int, default 2
        Threads.

    Raises
    ------
    InputError
        If the sample has fewer than two words.
    """
    check_choice("method", method, static_methods())
    settings = replace(TRAINED, workers=workers)
    with tempfile.TemporaryDirectory(prefix="klyuch-sample-") as folder:
        text = Path(folder) / "sample.txt"
        text.write_bytes(_beginning(files))
        from embeddings.corpora.corpus_encoding import encode  # numba

        corpus = encode([text], Path(folder) / "ids", EncodingConfig(min_count=1))
        ends, pairs = timed_passes(method, corpus, settings)
        words = len(corpus.ids)
        del corpus  # its arrays are files of the folder
    seconds = ends[-1] - ends[1]
    expected = PASSES * pass_seconds(method, settings, words, pairs, read_rates())
    added = PAIRS_SECONDS if method == "glove" else 0.0
    return SpeedSample((seconds + added) / (expected + added), PASSES * words, seconds)


def network_sample(method: str, settings: NetworkSettings) -> SpeedSample:
    """Take a few training steps of a network on random tokens and return how long `STEPS` of them took.

    Parameters
    ----------
    method : str
        bert or albert.
    settings : NetworkSettings
        Its sizes, and the rows of a batch.
    """
    from embeddings.training.pretraining.pretraining_task import timed_steps  # torch

    config = NetworkConfig(**asdict(network_sizes(method, settings)))
    seconds = timed_steps(config, network_configs(method, settings).training, STEPS)
    expected = STEPS * step_seconds(method, settings, read_rates())
    return SpeedSample(seconds / expected, STEPS * settings.rows * settings.row_length, seconds)


def timed_passes(
    method: str, corpus: EncodedCorpus, settings: StaticSettings
) -> tuple[list[float], float]:
    """Return when the training began and each pass ended, and for GloVe the pairs of words that meet."""
    ends: list[float] = []

    def note(_passes: int, _rows: object) -> None:
        ends.append(time.perf_counter())

    asked: dict[str, Any] = {
        "vector_size": settings.vector_size,
        "window": settings.window,
        "workers": settings.workers,
        METHODS[method].passes: settings.passes,
    }
    if method == "fasttext":
        asked["bucket"] = BUCKET
    return ends, float(METHODS[method].train(corpus, asked, "", after=note).pairs)


def _beginning(files: Sequence[Path]) -> bytes:
    """Return whole lines from the beginning of a text, about `BYTES` of them, a short text again and again."""
    taken: list[bytes] = []
    size = 0
    for block in (block for path in files for block, _ in read_blocks(path, 1 << 16)):
        taken.append(block)
        size += len(block)
        if size >= BYTES:
            break
    text = b"\n".join(taken) + b"\n"
    return text * max(1, -(-LEAST_BYTES // max(1, len(text))))
