"""Co-occurrences over slices and workers are the bytes of one machine."""

import dataclasses

import numpy as np
import pytest

from embeddings.cluster import cooccurrence
from embeddings.cluster.cooccurrence import count_job, count_on_cluster, plan_rows
from embeddings.cluster.shards import cut_text
from embeddings.corpora.encoded_corpus import EncodingConfig, encode
from embeddings.errors import CheckpointError, InputError
from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    draw = np.random.default_rng(3)
    lines = [
        " ".join(f"w{int(300 * draw.random() ** 4)}" for _ in range(draw.integers(0, 40)))
        for _ in range(700)
    ]
    (folder / "t.txt").write_text("\n".join(lines))
    return encode([folder / "t.txt"], folder / "ids", EncodingConfig(min_count=1))


def same(first, second):
    return all(
        np.asarray(a).tobytes() == np.asarray(b).tobytes()
        for a, b in zip(first.arrays, second.arrays, strict=True)
    )


@pytest.mark.parametrize(
    "settings",
    [{}, {"window": 3, "symmetric": False}, {"window": 15, "distance_weighting": False}],
)
@pytest.mark.parametrize("slice_length", [200, 3000, 1 << 20])
def test_counts_are_the_bytes_of_one_machine(
    monkeypatch, cluster, corpus, tmp_path, settings, slice_length
):
    config = CooccurrenceConfig(**settings)
    cut = cut_text
    monkeypatch.setattr(cooccurrence, "cut_text", lambda text, _: cut(text, slice_length))
    counts = count_on_cluster(corpus, config, cluster, tmp_path / "counts")
    assert same(counts, count_cooccurrences(corpus, config))
    assert not list((tmp_path / "counts" / "rows").glob("*.npz"))


def test_rows_that_were_counted_are_not_counted_again_but_damaged_ones_are(
    monkeypatch, cluster, corpus, tmp_path
):
    config = CooccurrenceConfig()
    jobs = []
    original = type(cluster).results

    def ending(self, task, todo):
        jobs.append(len(todo))
        for number, result in enumerate(original(self, task, todo)):
            if len(jobs) == 1 and number == 3:
                raise InputError("cluster_lost", address="here")
            yield result

    monkeypatch.setattr(type(cluster), "results", ending)
    with pytest.raises(InputError, match="What was done is kept"):
        count_on_cluster(corpus, config, cluster, tmp_path / "counts")
    kept = sorted((tmp_path / "counts").rglob("*.npz"))
    whole = kept[0].read_bytes()
    kept[0].write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])  # this one is damaged
    counts = count_on_cluster(corpus, config, cluster, tmp_path / "counts")
    assert len(kept) == 3
    assert jobs[1] == jobs[0] - 2
    assert same(counts, count_cooccurrences(corpus, config))


def test_a_row_that_does_not_fit_is_refused_with_what_it_needs(corpus):
    with pytest.raises(InputError, match="memory_mb") as raised:
        plan_rows(corpus, (10, 10), True, 1 << 20, 4)
    needed = raised.value.fields["needed"]
    assert plan_rows(corpus, (10, 10), True, needed << 20, 4)


def test_a_damaged_corpus_is_refused_before_its_ids_are_followed(corpus, tmp_path):
    (job, *_) = plan_rows(corpus, (2, 2), True, 1 << 28, 1)
    (piece,) = job.slices
    fewer = dataclasses.replace(piece, words=len(corpus.vocabulary) - 1)
    with pytest.raises(CheckpointError, match=r"ids\.npy"):
        count_job(dataclasses.replace(job, slices=(fewer,)))
    beyond = dataclasses.replace(piece, end=len(corpus.sentence_bounds) + 5)
    with pytest.raises(CheckpointError, match=r"sentences\.npy"):
        count_job(dataclasses.replace(job, slices=(beyond,)))


def test_slices_are_whole_sentences_that_make_up_the_text(corpus):
    for length in (1, 37, 500, 10**9):
        pieces = cut_text(corpus, length)
        ids = np.concatenate([piece.read()[0] for piece in pieces])
        np.testing.assert_array_equal(ids, corpus.ids)
        if length == 500:
            assert max(len(piece.read()[0]) for piece in pieces) < 600
