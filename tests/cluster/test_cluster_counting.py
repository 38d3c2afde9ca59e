"""A text counted over a cluster is counted as by one machine, and as by a loop over its lines."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.cluster.encoding import count_text_on_cluster
from embeddings.corpora.encoded_corpus import WORDS, EncodingConfig, encode
from embeddings.corpora.text_counting import PieceSize, count_files, write_frequencies
from embeddings.corpora.text_files import documents, text_files
from embeddings.corpora.word_counts import FrequencyConfig, FrequencyList
from embeddings.errors import FormatError, InputError
from embeddings.results.shelf_states import TextSize
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
    ("lower", "min_count", "shard_bytes"), [(True, 1, 1000), (False, 3, 1777), (True, 2, 1 << 20)]
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
        [str(texts)],
        cluster,
        tmp_path / "shards",
        FrequencyList(tmp_path / "many.tsv", config),
        shard_bytes=shard_bytes,
    )
    assert alone.size == together == size
    assert (tmp_path / "one.tsv").read_text(encoding="utf-8") == expected
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "many.tsv").read_bytes()
    assert not (tmp_path / "shards").exists()


def test_lemmas_are_counted_as_a_corpus_of_lemmas_has_them(cluster, texts, tmp_path):
    config = EncodingConfig(min_count=2, lemmas="de")
    encode([texts], tmp_path / "ids", config)
    file = tmp_path / "lemmas.tsv"
    wanted = FrequencyList(file, config)
    count_text_on_cluster([str(texts)], cluster, tmp_path / "s", wanted, shard_bytes=3000)
    assert file.read_bytes() == (tmp_path / "ids" / WORDS).read_bytes()


def test_without_a_file_of_words_no_word_travels(monkeypatch, cluster, texts, tmp_path):
    parts = []
    original = type(cluster).results

    def noted(self, task, jobs):
        for job, part in original(self, task, jobs):
            parts.append(part)
            yield job, part

    monkeypatch.setattr(type(cluster), "results", noted)
    size = count_text_on_cluster([str(texts)], cluster, tmp_path / "s", shard_bytes=2000)
    assert size == counted_by_lines(texts, False)[0]
    assert len(parts) > 5
    assert not any(array.size for part in parts for array in part.table)


def test_a_refusal_leaves_no_list_and_keeps_what_was_counted(cluster, tmp_path):
    folder, shards, output = tmp_path / "texts", tmp_path / "kept", tmp_path / "words.tsv"
    wanted = FrequencyConfig().list_in(output)
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"good words\n" * 500)
    (folder / "b.txt").write_bytes(b"good words\n" * 3 + b"bad \xff byte\n")
    with pytest.raises(FormatError, match=r"b\.txt, line 4: byte 0xFF"):
        count_text_on_cluster([str(folder)], cluster, shards, wanted, shard_bytes=700)
    assert not output.exists()
    assert len(list(shards.glob("*.npz"))) >= 7  # of the 8 of a.txt, one may still be under way
    (folder / "b.txt").write_bytes(b"...\n")
    with pytest.raises(InputError, match="no words were found"):
        count_text_on_cluster([str(folder / "b.txt")], cluster, shards, wanted)


pieces = st.lists(st.sampled_from([0, 0, 0, 5, SENTENCE_END, DOCUMENT_END]), max_size=40)


@given(pieces, st.lists(st.integers(0, 40), max_size=4))
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
