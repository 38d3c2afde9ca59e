"""A worker that is killed half way changes nothing, whatever it was doing."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from embeddings.cluster.averaging import ClusterEpochs
from embeddings.cluster.connection import connected, local_cluster
from embeddings.cluster.cooccurrence import count_on_cluster
from embeddings.cluster.encoding import count_text_on_cluster, encode_on_cluster
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import FILES, EncodingConfig
from embeddings.corpora.word_counts import FrequencyList
from embeddings.static.cooccurrence import CooccurrenceConfig
from embeddings.static.settings import AveragingConfig
from embeddings.static.word2vec import Word2VecConfig, train_word2vec

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
EACH_WORD = EncodingConfig(min_count=1)


def encoded(cluster, texts, folder, report):
    encode_on_cluster([texts], folder, EACH_WORD, cluster, report, shard_bytes=2000)
    return [(folder / name).read_bytes() for name in FILES]


def frequencies(cluster, texts, folder, report):
    file = folder.with_suffix(".tsv")
    wanted = FrequencyList(file, EACH_WORD)
    size = count_text_on_cluster([texts], cluster, folder, wanted, report, shard_bytes=2000)
    return [str(size).encode(), file.read_bytes()]


def cooccurrences(cluster, texts, folder, report):
    corpus = encode([texts], folder, EACH_WORD)
    counts = count_on_cluster(corpus, CooccurrenceConfig(), cluster, folder / "counts", report)
    return [np.asarray(array).tobytes() for array in counts.arrays]


def vectors(cluster, texts, folder, report):
    corpus = encode([texts], folder, EACH_WORD)
    epochs = ClusterEpochs(corpus, AveragingConfig(3, 2), cluster)
    config = Word2VecConfig(vector_size=8, epochs=2, workers=1)
    model = train_word2vec(corpus, config, epochs=epochs, report=report)
    return [model.vectors.matrix.tobytes(), str(model.losses).encode()]


@pytest.mark.slow  # in .ci/run
def test_a_worker_that_is_killed_changes_nothing(texts, tmp_path):
    """Two processes, of which one is killed when the first part of a work has come; a new one is there for the next work."""
    with local_cluster(2) as started, connected(started.scheduler_address) as cluster:
        for work in (encoded, frequencies, cooccurrences, vectors):
            whole = work(cluster, texts, tmp_path / f"{work.__name__}.whole", None)
            victim, _ = _processes(started)
            killed = []

            def kill(progress, victim=victim, killed=killed):
                if not killed and progress.phase in ("encode", "cooccurrence", "train"):
                    killed.append(progress.done)
                    os.kill(victim, signal.SIGKILL)

            again = work(cluster, texts, tmp_path / f"{work.__name__}.killed", kill)
            assert killed, work.__name__
            assert again == whole, work.__name__
            assert not _is_alive(victim), work.__name__
            deadline = time.monotonic() + 120
            while victim in (pids := _processes(started)) or not _are_ready(started, cluster):
                assert time.monotonic() < deadline, (work.__name__, pids)
                time.sleep(0.1)


def _processes(started):
    """Process ids of the workers, by their nannies."""
    return [nanny.pid for nanny in started.workers.values()]


def _are_ready(started, cluster):
    """Whether the scheduler knows the workers of all nannies, and no others."""
    addresses = {nanny.worker_address for nanny in started.workers.values()}
    return addresses == cluster._workers.keys()


def _is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.slow  # in .ci/run
def test_what_is_shared_outlives_the_worker_that_has_it():
    with local_cluster(2) as started, connected(started.scheduler_address) as cluster:
        shared = cluster.share(np.arange(4))
        assert [result.tolist() for _, result in cluster.results(np.add, [1], shared)] == [
            [1, 2, 3, 4]
        ]
        holders = cluster._client.who_has([shared])[shared.key]
        for nanny in list(started.workers.values()):
            if nanny.worker_address in holders:
                os.kill(nanny.pid, signal.SIGKILL)
        (again,) = cluster.results(np.multiply, [2], shared)
        assert again[1].tolist() == [0, 2, 4, 6]
