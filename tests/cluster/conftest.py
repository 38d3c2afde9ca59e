"""The cluster of the tests, two workers in this process, and texts for it."""

import gzip
import lzma

import pytest

from embeddings.cluster.connection import connected, local_cluster
from tests.cluster.small_texts import a_text


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(2, processes=False) as started, connected(started.scheduler_address) as it:
        yield it


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbf" + a_text(1))
    (folder / "b.txt.gz").write_bytes(gzip.compress(a_text(2)))
    (folder / "deep" / "c.txt.xz").write_bytes(lzma.compress(a_text(3)))
    (folder / "d.txt").write_bytes(b"one line without an end")
    (folder / "e.txt").write_bytes(b"")
    (folder / "f.txt").write_bytes(b"a\n" + b"BZh is a word\n" * 300)
    (folder / ".hidden.txt").write_bytes(b"hidden")
    return folder
