"""What goes wrong with a cluster is a sentence in three languages, with the values that it is about."""

import re

import pytest

from app.wording import LANGUAGES, wording
from embeddings.cluster import connection
from embeddings.cluster.averaging import ClusterEpochs
from embeddings.cluster.connection import Cluster, connected
from embeddings.cluster.cooccurrence import count_on_cluster
from embeddings.cluster.counting import count_text_on_cluster
from embeddings.cluster.encoding import encode_on_cluster
from embeddings.cluster.local_cluster import local_cluster
from embeddings.corpora.encoded_corpus import EncodingConfig, encode
from embeddings.errors import KlyuchError
from embeddings.static.averaging_config import AveragingConfig
from embeddings.static.cooccurrence import CooccurrenceConfig
from embeddings.static.word2vec import Word2VecConfig, train_word2vec

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def absent(cluster, folder, monkeypatch):
    monkeypatch.setattr(connection, "CONNECT", 0.5)
    with connected("tcp://127.0.0.1:9"):
        pass


def without_workers(cluster, folder, monkeypatch):
    monkeypatch.setattr(connection, "CONNECT", 0.5)
    with local_cluster(0, processes=False) as started, connected(started.scheduler_address):
        pass


def other_versions(cluster, folder, monkeypatch):
    others = Cluster(cluster._client, "here")
    others._versions = {**connection.versions(), "numba": "0.1"}
    encode_on_cluster([str(folder / "t.txt")], folder / "ids", EncodingConfig(), others)


def damaged_shard(cluster, folder, monkeypatch):
    (folder / "t.txt").write_bytes(b"good words\n" * 200 + b"a byte \xff\n")
    count_text_on_cluster([str(folder / "t.txt")], cluster, folder / "kept", shard_bytes=300)


def small_shards(cluster, folder, monkeypatch):
    monkeypatch.setattr(Cluster, "memory_per_task", 300 << 20)
    count_text_on_cluster([str(folder / "t.txt")], cluster, folder / "kept")


def small_rows(cluster, folder, monkeypatch):
    corpus = encode([folder / "t.txt"], folder / "ids", EncodingConfig(min_count=1))
    monkeypatch.setattr(Cluster, "memory_per_task", 300 << 20)
    count_on_cluster(corpus, CooccurrenceConfig(memory_mb=100), cluster, folder / "counts")


def small_model(cluster, folder, monkeypatch):
    corpus = encode([folder / "t.txt"], folder / "ids", EncodingConfig(min_count=1))
    monkeypatch.setattr(Cluster, "memory_per_task", 200 << 20)
    epochs = ClusterEpochs(corpus, AveragingConfig(), cluster)
    train_word2vec(corpus, Word2VecConfig(vector_size=100), epochs=epochs)


REFUSED = {  # code and what its sentence names; 896 MB are 256 and 40 times the 16 of a shard
    absent: ("cluster_absent", ("tcp://127.0.0.1:9", "klyuch cluster local")),
    without_workers: ("cluster_workers", ("tcp://127.0.0.1:", "dask worker")),
    other_versions: ("cluster_versions", ("numba", "0.1", "tcp://127.0.0.1:")),
    damaged_shard: ("corpus_encoding", ("t.txt", "201", "0xFF")),
    small_shards: ("cluster_memory", ("300", "896", "--shard-mb")),
    small_rows: ("cluster_memory_rows", ("300", "356", "--memory-mb")),
    small_model: ("cluster_memory_model", ("200", "257", "--vector-size", "--max-words")),
}


@pytest.mark.parametrize("work", REFUSED)
def test_each_refusal_of_a_cluster_names_its_values_in_three_languages(
    cluster, tmp_path, monkeypatch, work
):
    (tmp_path / "t.txt").write_text("the key of the door\n" * 100)
    code, named = REFUSED[work]
    with pytest.raises(KlyuchError) as raised:
        work(cluster, tmp_path, monkeypatch)
    assert raised.value.code == code
    said = [wording(language).error(raised.value) for language in LANGUAGES]
    assert len({*said}) == len(LANGUAGES)
    for sentence in said:
        assert all(name in sentence for name in named), sentence
        assert not re.search(r"[{}]|Traceback", sentence)
