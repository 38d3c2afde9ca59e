"""What goes wrong with a cluster is a sentence in three languages, with the values that it is about."""

import re
import subprocess
import sys
import time

import pytest

from app.wording import LANGUAGES, wording
from embeddings.cluster import connection
from embeddings.cluster.averaging import ClusterEpochs
from embeddings.cluster.connection import Cluster, connected, local_cluster
from embeddings.cluster.cooccurrence import count_on_cluster
from embeddings.cluster.encoding import count_text_on_cluster
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.errors import KlyuchError
from embeddings.static.cooccurrence import CooccurrenceConfig
from embeddings.static.settings import AveragingConfig
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
    connection.check_versions(cluster._client, {**connection.versions(), "numba": "0.1"})


def damaged_shard(cluster, folder, monkeypatch):
    (folder / "t.txt").write_bytes(b"good words\n" * 200 + b"a byte \xff\n")
    count_text_on_cluster([folder / "t.txt"], cluster, folder / "kept", shard_bytes=300)


def small_shards(cluster, folder, monkeypatch):
    monkeypatch.setattr(Cluster, "memory_per_task", 300 << 20)
    count_text_on_cluster([folder / "t.txt"], cluster, folder / "kept")


def small_rows(cluster, folder, monkeypatch):
    corpus = encode([folder / "t.txt"], folder / "ids", EncodingConfig(min_count=1))
    monkeypatch.setattr(Cluster, "memory_per_task", 300 << 20)
    count_on_cluster(corpus, CooccurrenceConfig(memory_mb=100), cluster, folder / "counts")


def no_room_for_rows(cluster, folder, monkeypatch):
    corpus = encode([folder / "t.txt"], folder / "ids", EncodingConfig(min_count=1))
    monkeypatch.setattr(Cluster, "memory_per_task", 240 << 20)
    count_on_cluster(corpus, CooccurrenceConfig(), cluster, folder / "counts")


def small_model(cluster, folder, monkeypatch):
    corpus = encode([folder / "t.txt"], folder / "ids", EncodingConfig(min_count=1))
    monkeypatch.setattr(Cluster, "memory_per_task", 200 << 20)
    epochs = ClusterEpochs(corpus, AveragingConfig(), cluster)
    train_word2vec(corpus, Word2VecConfig(vector_size=100), epochs=epochs)


def paused(cluster, folder, monkeypatch):
    def pause_past(share, status):
        def on(dask_worker):
            dask_worker.memory_manager.memory_pause_fraction = share

        cluster._client.run(on)
        late = time.monotonic() + 30
        while any(worker["status"] != status for worker in cluster._workers.values()):
            assert time.monotonic() < late, f"no worker became {status}"
            time.sleep(0.02)

    monkeypatch.setattr(connection, "CHECK_SECONDS", 0.1)
    monkeypatch.setattr(connection, "PATIENCE", 0.5)
    pause_past(1e-6, "paused")
    try:
        count_text_on_cluster([folder / "t.txt"], cluster, folder / "kept")
    finally:
        pause_past(0.8, "running")


REFUSED = {  # code and what its sentence names
    absent: ("cluster_absent", ("tcp://127.0.0.1:9", "klyuch cluster local")),
    without_workers: ("cluster_workers", ("tcp://127.0.0.1:", "dask worker")),
    other_versions: ("cluster_versions", ("numba", "0.1", "tcp://127.0.0.1:")),
    damaged_shard: ("corpus_encoding", ("t.txt", "201", "0xFF")),
    paused: ("cluster_lost", ("tcp://127.0.0.1:", "--memory-mb")),
    small_shards: ("cluster_memory", ("300", "321", "--shard-mb")),
    small_rows: ("cluster_memory_rows", ("300", "420", "--memory-mb")),
    no_room_for_rows: ("cluster_memory_rows", ("240", "321", "--memory-mb")),
    small_model: ("cluster_memory_model", ("200", "321", "--vector-size", "--max-words")),
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


def test_workers_that_are_paused_but_run_something_are_waited_for():
    class Infos:
        def scheduler_info(self, **_):
            counts = {"task_counts": {"executing": self.executing}}
            worker = {"nthreads": 1, "memory_limit": 10 << 20, "status": "paused"}
            return {"workers": {"tcp://w": worker | {"metrics": counts}}}

    infos = Infos()
    working = []
    for infos.executing in (1, 0):
        working.append([*map(connection._is_working, Cluster(infos, "here")._workers.values())])
    assert working == [[True], [False]]


def test_four_fifths_of_what_a_worker_has_may_be_taken_where_dask_pauses_it():
    class Infos:
        def scheduler_info(self, **_):
            sizes = ((2, 1000), (1, 600), (4, 0))
            return {
                "workers": {i: {"nthreads": n, "memory_limit": m} for i, (n, m) in enumerate(sizes)}
            }

    assert Cluster(Infos(), "here").memory_per_task == 400


def test_a_command_whose_cluster_is_not_there_ends_with_a_sentence_and_no_traceback(tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("the key\n", encoding="utf-8")
    addresses = ["nowhere", "tls://127.0.0.1:9"]
    code = (
        "import sys; from embeddings.cluster import connection; connection.CONNECT = 0.5\n"
        "from embeddings.cli import main\n"
        f"for address in {addresses}:\n"
        f"    sys.argv[1:] = ['corpus', 'count', {str(text)!r}, '--cluster', address]\n"
        "    try: main()\n"
        "    except SystemExit as ended: print(ended.code)\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.split() == ["2", "2"]
    for sentence in (*addresses, "klyuch cluster local"):
        assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
