"""What a cluster writes is what one machine writes, byte for byte: however the text is cut, packed and spread, and if workers die."""

import gzip
import os
import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from embeddings.cluster.connection import Cluster, local_cluster
from embeddings.cluster.encoding import BYTES_PER_BYTE, count_shard, encode_on_cluster
from embeddings.cluster.shards import list_shards
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import FILES, EncodingConfig
from embeddings.errors import FormatError, InputError, MissingFileError
from tests.cluster.small_texts import a_text

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def same_bytes(one, other):
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


@pytest.mark.parametrize(
    ("settings", "shard_bytes"),
    [
        ({"min_count": 2}, 1000),
        ({"min_count": 1, "lower": False}, 1777),
        ({"min_count": 3, "max_words": 50}, 1 << 20),
        ({"min_count": 1, "lemmas": "de"}, 4000),
        ({"min_count": 1, "spelling": "de-1996"}, 4000),
    ],
)
def test_a_cluster_writes_the_corpus_of_one_machine(
    cluster, texts, tmp_path, settings, shard_bytes
):
    config = EncodingConfig(**settings)
    encode([texts], tmp_path / "one", config)
    encode_on_cluster([texts], tmp_path / "many", config, cluster, shard_bytes=shard_bytes)
    assert same_bytes(tmp_path / "one", tmp_path / "many")
    assert not [*tmp_path.rglob("*.npz")]


def test_every_line_lies_in_one_shard_wherever_the_cut_falls(tmp_path):
    text = b"ab\n\ncdefgh\r\ni\n\n\njk"
    (tmp_path / "t.txt").write_bytes(text)
    for size in range(1, len(text) + 2):
        pieces = []
        for shard in list_shards([tmp_path / "t.txt"], size):
            with shard.open() as file:
                pieces.append(file.read())
        assert b"".join(pieces) == text
        assert all(piece.endswith(b"\n") for piece in [*filter(None, pieces)][:-1])


def test_a_damaged_shard_is_named_by_its_line_and_the_others_are_kept(
    cluster, tmp_path, monkeypatch
):
    folder, asked, original = tmp_path / "texts", [], Cluster.results
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"good words\n" * 500)
    (folder / "b.txt").write_bytes(b"good words\n" * 500 + b"bad \xff byte\n" + b"more\n" * 100)

    def noted(self, task, jobs, *shared):
        asked.append([*jobs])
        return original(self, task, asked[-1], *shared)

    monkeypatch.setattr(Cluster, "results", noted)
    encode_all = partial(encode_on_cluster, [folder], tmp_path / "ids", EncodingConfig(), cluster)
    with pytest.raises(FormatError, match=r"b\.txt, line 501: byte 0xFF"):
        encode_all(shard_bytes=700)
    assert not (tmp_path / "ids").exists()
    stamp = (folder / "b.txt").stat()
    (folder / "b.txt").write_bytes((folder / "b.txt").read_bytes().replace(b"\xff", b"!"))
    os.utime(folder / "b.txt", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # as if it were the same
    kept = sorted((tmp_path / "ids.shards").iterdir())
    kept[0].write_bytes(kept[0].read_bytes()[:-50])  # the disk lost them
    kept[1].write_bytes(kept[1].read_bytes().replace(b"good", b"evil"))
    encode_all(shard_bytes=700)
    assert len(asked[0]) - len(asked[1]) == len(kept) - 2 >= 6  # all of a.txt is kept but for those
    encode([folder], tmp_path / "one", EncodingConfig())
    assert same_bytes(tmp_path / "one", tmp_path / "ids")


def test_a_packed_file_that_is_cut_off_is_refused_as_on_one_machine(cluster, tmp_path):
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(a_text(1))[:-200])
    with pytest.raises(FormatError, match="cut off") as raised:
        encode_on_cluster([tmp_path / "t.txt.gz"], tmp_path / "ids", EncodingConfig(), cluster)
    assert raised.value.code == "corpus_truncated"


@pytest.mark.parametrize("kind", ["distinct", "short", "plain"])
def test_counting_a_shard_takes_no_more_than_what_is_asked_for(tmp_path, kind):
    import tracemalloc

    size = 2 << 20
    draw = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    made = {
        "distinct": lambda: " ".join("".join(draw.choices(letters, k=5)) for _ in range(size // 6)),
        "short": lambda: "a\n" * (size // 2),
        "plain": lambda: "the key of the door stands in the garden\n" * (size // 41),
    }[kind]()
    (tmp_path / "t.txt").write_text(made)
    (shard,) = list_shards([tmp_path / "t.txt"], len(made))
    small = tmp_path / "s.txt"
    small.write_text("warm up\n")
    count_shard(list_shards([small], 100)[0], True)  # compiled
    tracemalloc.start()
    *_, ids = count_shard(shard, True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(ids) > 1000
    assert peak < BYTES_PER_BYTE * len(made) + (24 << 20)


def test_a_shard_that_ends_its_workers_is_refused_by_its_name(cluster):
    with pytest.raises(InputError, match=r"t\.txt"):
        list(cluster.results(_too_large, ["t.txt"]))


def _too_large(job):
    raise MemoryError


def test_a_file_that_a_worker_does_not_see_is_named(tmp_path):
    (shard,) = list_shards([Path(__file__)], 1 << 20)
    with pytest.raises(MissingFileError, match=r"gone\.txt does not exist for the worker"):
        count_shard(replace(shard, path=tmp_path / "gone.txt"), True)


def test_a_local_cluster_listens_on_the_loopback_alone():
    import psutil

    with local_cluster(1, processes=False, port=0) as started:
        assert started.scheduler_address
        listening = {
            connection.laddr.ip
            for connection in psutil.Process().net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        }
    assert listening <= {"127.0.0.1"}
