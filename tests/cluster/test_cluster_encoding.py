"""What a cluster writes is what one machine writes, byte for byte: however the text is cut, packed and spread, and if workers die."""

import functools
import gzip
import http.server
import os
import random
import threading
from collections import deque
from pathlib import Path

import fsspec
import numpy as np
import pytest

from embeddings.cluster import connection
from embeddings.cluster.connection import local_cluster
from embeddings.cluster.encoding import (
    BASE_BYTES,
    bytes_needed,
    count_shard,
    encode_on_cluster,
    shards_folder,
)
from embeddings.cluster.shards import list_shards
from embeddings.corpora.encoded_corpus import FILES, EncodingConfig, encode
from embeddings.corpora.word_table import WordTable
from embeddings.errors import FormatError, InputError, MissingFileError
from embeddings.files import CONFIG, read_json
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
    encode_on_cluster([str(texts)], tmp_path / "many", config, cluster, shard_bytes=shard_bytes)
    assert same_bytes(tmp_path / "one", tmp_path / "many")
    assert not shards_folder(tmp_path / "many").exists()


def test_every_line_lies_in_one_shard_wherever_the_cut_falls(tmp_path):
    text = b"ab\n\ncdefgh\r\ni\n\n\njk"
    (tmp_path / "t.txt").write_bytes(text)
    for size in range(1, len(text) + 2):
        pieces = []
        for shard in list_shards([str(tmp_path / "t.txt")], size):
            with shard.open() as file:
                pieces.append(file.read())
        assert b"".join(pieces) == text
        assert all(piece.endswith(b"\n") for piece in [*filter(None, pieces)][:-1])


class WithRanges(http.server.SimpleHTTPRequestHandler):
    """A folder by HTTP; a request for a range of bytes gets it."""

    def do_GET(self):
        wanted = self.headers.get("Range")
        path = Path(self.translate_path(self.path))
        if not wanted or not path.is_file():
            return super().do_GET()
        data = path.read_bytes()
        first, last = wanted.removeprefix("bytes=").split("-")
        piece = data[int(first) : int(last) + 1 if last else len(data)]
        self.send_response(206)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header(
            "Content-Range", f"bytes {first}-{int(first) + len(piece) - 1}/{len(data)}"
        )
        self.send_header("Content-Length", str(len(piece)))
        self.end_headers()
        self.wfile.write(piece)
        return None

    def end_headers(self):
        self.send_header("Accept-Ranges", "bytes")
        super().end_headers()

    def log_message(self, *arguments):
        pass


def test_texts_behind_an_address_give_the_same_corpus(cluster, texts, tmp_path):
    handler = functools.partial(WithRanges, directory=texts)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        (texts / "e.txt").unlink()  # an empty file has no bytes to ask for
        config = EncodingConfig(min_count=1)
        encode([texts], tmp_path / "one", config)
        encode_on_cluster([address], tmp_path / "many", config, cluster, shard_bytes=3000)
        server.shutdown()
    here, there = tmp_path / "one", tmp_path / "many"
    assert all((here / n).read_bytes() == (there / n).read_bytes() for n in FILES if n != CONFIG)
    about = read_json(here / CONFIG), read_json(there / CONFIG)
    assert len(about[0].pop("files")) == 5
    assert about[1].pop("files") == {}  # checksums of files that lie elsewhere are not known
    assert about[0] == about[1]


def test_texts_in_a_store_of_objects_give_the_same_corpus(cluster, texts, tmp_path):
    store = fsspec.filesystem("memory")  # the way to s3:// too, which differs in its library alone
    store.put(str(texts), "/bucket/texts", recursive=True)
    try:
        config = EncodingConfig(min_count=1)
        encode([texts], tmp_path / "one", config)
        address = ["memory://bucket/texts"]
        encode_on_cluster(address, tmp_path / "many", config, cluster, shard_bytes=3000)
    finally:
        store.rm("/bucket", recursive=True)
    here, there = tmp_path / "one", tmp_path / "many"
    assert all((here / n).read_bytes() == (there / n).read_bytes() for n in FILES if n != CONFIG)


def test_a_damaged_shard_is_named_by_its_line_and_the_others_are_kept(cluster, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"good words\n" * 500)
    (folder / "b.txt").write_bytes(b"good words\n" * 500 + b"bad \xff byte\n" + b"more\n" * 100)
    config = EncodingConfig(min_count=1)
    with pytest.raises(FormatError, match=r"b\.txt, line 501: byte 0xFF"):
        encode_on_cluster([str(folder)], tmp_path / "ids", config, cluster, shard_bytes=700)
    assert not (tmp_path / "ids").exists()
    kept = sorted(shards_folder(tmp_path / "ids").glob("*.npz"))
    assert len(kept) >= 8  # all of a.txt, the first file
    times = {path: path.stat().st_mtime_ns for path in kept}
    stamp = (folder / "b.txt").stat()
    (folder / "b.txt").write_bytes((folder / "b.txt").read_bytes().replace(b"\xff", b"!"))
    os.utime(folder / "b.txt", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # as if it were the same
    encoded = []
    original = connection.Cluster.results

    def counted(self, task, jobs):
        encoded.append(len(jobs))
        return original(self, task, jobs)

    connection.Cluster.results = counted
    try:
        encode_on_cluster([str(folder)], tmp_path / "ids", config, cluster, shard_bytes=700)
    finally:
        connection.Cluster.results = original
    total = len(list_shards([str(folder)], 700))
    assert encoded == [total - len(times)]  # what was kept is not counted again
    encode([folder], tmp_path / "one", config)
    assert same_bytes(tmp_path / "one", tmp_path / "ids")


def test_a_packed_file_that_is_cut_off_is_refused_as_on_one_machine(cluster, tmp_path):
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(a_text(1))[:-200])
    with pytest.raises(FormatError, match="cut off") as raised:
        encode_on_cluster([str(tmp_path / "t.txt.gz")], tmp_path / "ids", EncodingConfig(), cluster)
    assert raised.value.code == "corpus_truncated"


def test_other_settings_begin_anew(cluster, texts, tmp_path):
    config = EncodingConfig(min_count=1)
    (texts / "z.txt").write_bytes(b"\x00")
    with pytest.raises(FormatError, match="NUL"):
        encode_on_cluster([str(texts)], tmp_path / "ids", config, cluster, shard_bytes=4000)
    (texts / "z.txt").unlink()
    encode_on_cluster([str(texts)], tmp_path / "ids", config, cluster, shard_bytes=5000)
    encode([texts], tmp_path / "one", config)
    assert same_bytes(tmp_path / "one", tmp_path / "ids")


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
    (shard,) = list_shards([str(tmp_path / "t.txt")], len(made))
    small = tmp_path / "s.txt"
    small.write_text("warm up\n")
    count_shard(list_shards([str(small)], 100)[0], True)  # compiled
    tracemalloc.start()
    counts = count_shard(shard, True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(len(ids) for ids in counts.ids) > 1000
    assert peak < bytes_needed(len(made)) - BASE_BYTES + (24 << 20)


def test_a_shard_that_ends_its_workers_is_refused_by_its_name(cluster):
    with pytest.raises(InputError, match=r"t\.txt"):
        list(cluster.results(_too_large, deque(["t.txt"])))


def _too_large(job):
    raise MemoryError


def test_an_address_of_no_kind_that_is_read_is_refused():
    with pytest.raises(InputError, match="nokind"):
        list_shards(["nokind://bucket/x.txt"], 10)
    with pytest.raises(MissingFileError):
        list_shards(["memory://nothing/here.txt"], 10)


def test_words_of_a_shard_merge_into_the_table_of_all(tmp_path):
    (tmp_path / "t.txt").write_text("b a b\n")
    (shard,) = list_shards([str(tmp_path / "t.txt")], 100)
    counts = count_shard(shard, True)
    table = WordTable()
    table.add(*count_shard(shard, True).table)
    ranks = table.add(*counts.table)
    assert (table.words(), table.counts.tolist()) == ([b"b", b"a"], [4, 2])
    np.testing.assert_array_equal(ranks, [0, 1])


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
