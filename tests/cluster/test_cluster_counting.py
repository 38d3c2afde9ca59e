"""A text counted over a cluster is counted as by one machine, and as by a loop over its lines."""

import dataclasses
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.cluster import cooccurrence
from embeddings.cluster.cooccurrence import count_on_cluster
from embeddings.cluster.encoding import count_text_on_cluster
from embeddings.cluster.shards import cut_text
from embeddings.corpora.corpus_answers import TextSize
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import WORDS_FILE, EncodingConfig
from embeddings.corpora.text_counting import PieceSize, count_files, write_frequencies
from embeddings.corpora.text_files import documents, text_files
from embeddings.corpora.word_counts import FrequencyConfig, FrequencyList
from embeddings.errors import CheckpointError, FormatError, InputError
from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences
from embeddings.text.tokenizer_kernel import DOCUMENT_END, SENTENCE_END
from embeddings.text.words import split_words

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def counted_by_lines(folder, lower):
    """Sizes and words by a loop over documents and lines."""
    words, sizes = Counter(), [0, 0, 0]
    for path in text_files([folder]):
        for document in documents(path):
            lines = [line for line in (split_words(line, lower=lower) for line in document) if line]
            words.update(word for line in lines for word in line)
            sizes = [sizes[0] + sum(map(len, lines)), sizes[1] + len(lines), sizes[2] + bool(lines)]
    return TextSize(*sizes), words


@pytest.mark.parametrize(
    ("lower", "min_count", "shard_bytes"), [(True, 1, 3000), (False, 3, 1777), (True, 2, 1 << 20)]
)
def test_words_and_sizes_are_those_of_a_loop_over_lines_and_of_one_machine(
    cluster, texts, tmp_path, lower, min_count, shard_bytes
):
    config = EncodingConfig(min_count=min_count, lower=lower)
    size, words = counted_by_lines(texts, lower)
    kept = sorted((-count, word) for word, count in words.items() if count >= min_count)
    expected = "".join(f"{word}\t{-count}\n" for count, word in kept)
    alone = count_files([texts], lower=lower)
    write_frequencies(alone, FrequencyList(tmp_path / "one.tsv", config))
    together = count_text_on_cluster(
        [texts],
        cluster,
        tmp_path / "kept",
        FrequencyList(tmp_path / "many.tsv", config),
        shard_bytes=shard_bytes,
    )
    assert alone.size == together == size
    assert (tmp_path / "one.tsv").read_text(encoding="utf-8") == expected
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "many.tsv").read_bytes()


def test_lemmas_are_counted_as_a_corpus_of_lemmas_has_them(cluster, texts, tmp_path):
    config = EncodingConfig(min_count=2, lemmas="de")
    encode([texts], tmp_path / "ids", config)
    file = tmp_path / "lemmas.tsv"
    wanted = FrequencyList(file, config)
    count_text_on_cluster([texts], cluster, tmp_path / "s", wanted, shard_bytes=3000)
    assert file.read_bytes() == (tmp_path / "ids" / WORDS_FILE).read_bytes()


def test_a_refusal_leaves_no_list(cluster, tmp_path):
    text, output = tmp_path / "b.txt", tmp_path / "words.tsv"
    wanted = FrequencyConfig().list_in(output)
    text.write_bytes(b"good words\n" * 3 + b"bad \xff byte\n")
    with pytest.raises(FormatError, match=r"b\.txt, line 4: byte 0xFF"):
        count_text_on_cluster([text], cluster, tmp_path / "s", wanted, shard_bytes=7)
    assert not output.exists()
    text.write_bytes(b"...\n")
    with pytest.raises(InputError, match="no words were found"):
        count_text_on_cluster([text], cluster, tmp_path / "s", wanted)


# Not st.integers, which also draws constants of modules, and workers load modules meanwhile
edges = st.lists(st.sampled_from(range(41)), max_size=4)
pieces = st.lists(st.sampled_from([0, 0, 0, 5, SENTENCE_END, DOCUMENT_END]), max_size=40)


@given(pieces, edges)
def test_pieces_add_up_to_the_whole_wherever_it_is_cut(entries, cuts):
    ids = np.array(entries, np.int32)
    edges = [0, *sorted(min(cut, len(ids)) for cut in cuts), len(ids)]
    size = PieceSize()
    for first, end in pairwise(edges):
        piece = PieceSize.of(ids[first:end])
        size += PieceSize.from_numbers(piece.numbers)
    ends = {SENTENCE_END: 0, DOCUMENT_END: 0}
    since = dict.fromkeys(ends, 0)
    for entry in entries:
        if entry in ends:
            ends[entry] += since[entry] > 0
            since[entry] = 0
        else:
            since = {end: count + 1 for end, count in since.items()}
    words = sum(entry >= 0 for entry in entries)
    assert size.total == TextSize(words, ends[SENTENCE_END], ends[DOCUMENT_END])


# Co-occurrences over slices and workers are the bytes of one machine


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
    ("settings", "parts"),
    [
        ({}, 1),
        ({"window": 3}, 10),
        ({"window": 15, "distance_weighting": False}, 4),
    ],
)
def test_counts_are_the_bytes_of_one_machine(
    monkeypatch, cluster, corpus, tmp_path, settings, parts
):
    config = CooccurrenceConfig(**settings)
    monkeypatch.setattr(cooccurrence, "PIECES_PER_THREAD", parts)
    counts = count_on_cluster(corpus, config, cluster, tmp_path / "counts")
    assert same(counts, count_cooccurrences(corpus, config))


def test_rows_that_were_counted_are_not_counted_again(monkeypatch, cluster, corpus, tmp_path):
    config, jobs = CooccurrenceConfig(), []
    original = type(cluster).results

    def ending(self, task, todo, *shared):
        jobs.append([*todo])
        for number, result in enumerate(original(self, task, jobs[-1], *shared)):
            if len(jobs) == 1 and number == 3:
                raise InputError("cluster_lost", address="here")
            yield result

    monkeypatch.setattr(type(cluster), "results", ending)
    with pytest.raises(InputError, match="What was done is kept"):
        count_on_cluster(corpus, config, cluster, tmp_path / "counts")
    counts = count_on_cluster(corpus, config, cluster, tmp_path / "counts")
    assert jobs[1] == jobs[0][3:]
    assert same(counts, count_cooccurrences(corpus, config))
    assert not (tmp_path / "counts" / "rows").exists()


def test_a_row_that_does_not_fit_is_refused_with_what_it_needs(cluster, corpus, tmp_path):
    with pytest.raises(InputError, match="memory_mb=1 is too little") as raised:
        count_on_cluster(corpus, CooccurrenceConfig(memory_mb=1), cluster, tmp_path)
    enough = CooccurrenceConfig(memory_mb=raised.value.fields["needed"])
    assert same(count_on_cluster(corpus, enough, cluster, tmp_path), count_cooccurrences(corpus))


def test_a_damaged_corpus_is_refused_before_its_ids_are_followed(corpus):
    (piece,) = cut_text(corpus, 1 << 28)
    fewer = dataclasses.replace(piece, words=len(corpus.vocabulary) - 1)
    with pytest.raises(CheckpointError, match=r"ids\.npy"):
        fewer.read()
    beyond = dataclasses.replace(piece, end=len(corpus.sentence_bounds) + 5)
    with pytest.raises(CheckpointError, match=r"sentences\.npy"):
        beyond.read()


def test_slices_are_whole_sentences_that_make_up_the_text(corpus):
    for length in (1, 37, 500, 10**9):
        pieces = cut_text(corpus, length)
        ids = np.concatenate([piece.read()[0] for piece in pieces])
        np.testing.assert_array_equal(ids, corpus.ids)
        if length == 500:
            assert max(len(piece.read()[0]) for piece in pieces) < 600
