"""fastText: skip-gram and CBOW with negative sampling over words that are composed of hashed n-grams.

Bojanowski et al. (2017). Threads, pieces, random streams and learning rates are those of Word2Vec (`embeddings.static.word2vec`).
Only buckets that a word of the vocabulary falls into have a row: the memory follows the vocabulary, not the number of buckets.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from embeddings.arrays import Float32s, Int32s, Int64s, bounds_of
from embeddings.configuration import check_range, setting, to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.results import Report, Value
from embeddings.run_folder import AfterPass
from embeddings.static.settings import Weights, Word2VecConfig
from embeddings.static.static_checkpoint import StaticCheckpoint
from embeddings.static.word2vec import Trainer, Word2VecModel, run_epochs, with_checkpoints
from embeddings.vectors.character_ngrams import MOST_BUCKETS, Subwords, WordBuckets
from embeddings.vectors.table import Vectors

LONGEST_NGRAM = 20


class FastTextConfig(Word2VecConfig):
    """How fastText is trained; names and defaults as in gensim, except that skip-gram is."""

    min_n: int = setting(3, "Characters of the shortest n-gram.", 1, LONGEST_NGRAM)
    max_n: int = setting(6, "Characters of the longest n-gram.", 1, LONGEST_NGRAM)
    bucket: int = setting(2_000_000, "Buckets that n-grams are hashed into.", 1, MOST_BUCKETS)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("max_n", self.max_n, self.min_n, LONGEST_NGRAM)


class WordRows(Value):
    """Which rows of the input matrix each word is the mean of.

    Attributes
    ----------
    offsets : NDArray of int64, shape (words + 1,)
        The rows of word w are ``members[offsets[w]:offsets[w + 1]]``: w itself, then those of its n-grams.
    members : NDArray of int32
        Row ``words + i`` is that of ``buckets[i]``.
    buckets : NDArray of int32
        The buckets that occur, rising.
    """

    offsets: Int64s
    members: Int32s
    buckets: Int32s

    @classmethod
    def of(cls, words: tuple[str, ...], config: FastTextConfig) -> WordRows:
        """Hash the n-grams of a vocabulary."""
        raw = [word.encode() for word in words]
        hashed = WordBuckets.of(raw, config.min_n, config.max_n, config.bucket)
        buckets, rows = np.unique(hashed.buckets, return_inverse=True)
        starts = hashed.offsets[:-1]
        members = np.insert(rows + len(words), starts, np.arange(len(words))).astype(np.int32)
        offsets = hashed.offsets + np.arange(len(words) + 1)
        return cls(offsets, members, buckets.astype(np.int32))

    def compose(self, inputs: Float32s, words: Int64s) -> Float32s:
        """Return the vectors of the rows ``words`` of the vocabulary, shape (words, vector_size)."""
        from embeddings.vectors.compiled_loops import add_rows

        sizes = np.diff(self.offsets)[words]
        bounds = bounds_of(sizes)
        chosen = [self.members[self.offsets[word] : self.offsets[word + 1]] for word in words]
        matrix = np.zeros((len(words), inputs.shape[1]), np.float32)
        members = np.concatenate([*chosen, np.zeros(0, np.int32)]).astype(np.int64)
        add_rows(inputs, members, bounds, matrix)
        matrix /= sizes[:, None].astype(np.float32)
        return matrix


def train_fasttext(
    corpus: EncodedCorpus,
    config: FastTextConfig,
    *,
    run: Path | None = None,
    resume: bool = False,
    report: Report | None = None,
    after: AfterPass | None = None,
) -> Word2VecModel:
    """Train vectors for the words of a corpus and for their n-grams.

    Parameters
    ----------
    corpus : EncodedCorpus
        Ids and their vocabulary.
    config : FastTextConfig
        The settings.
    run, resume, report, after
        As `embeddings.static.word2vec.train_word2vec` takes them; ``after`` gets composed vectors.

    Returns
    -------
    Word2VecModel
        The same bytes each time with one worker and one seed, also after a resume.

    Raises
    ------
    InputError, CheckpointError
        As `train_word2vec`.

    References
    ----------
    Bojanowski et al. (2017).
    """
    words, counts = corpus.vocabulary.words, corpus.vocabulary.counts
    word_rows = WordRows.of(words, config)

    def fresh() -> Weights:
        """Draw inputs evenly from (-1 / vector_size, 1 / vector_size), as fastText and gensim do."""
        shape = (len(words) + len(word_rows.buckets), config.vector_size)
        draws = np.random.default_rng(config.seed).random(shape, dtype=np.float32)
        outputs = np.zeros((len(words), config.vector_size), np.float32)
        return Weights((2 * draws - 1) / np.float32(config.vector_size), outputs)

    def left(start: Weights) -> Iterator[Weights]:
        """Train the epochs that are left."""
        text = corpus.ids, corpus.sentence_bounds, counts
        rows = word_rows.offsets, word_rows.members
        return run_epochs(Trainer(*text, config, start, rows), report)

    checkpoint = StaticCheckpoint(run, "fasttext", to_json(config)) if run else None
    for weights in with_checkpoints(checkpoint, corpus, fresh, left, resume=resume):
        if after:
            after(len(weights.losses), partial(word_rows.compose, weights.inputs))
    matrix = word_rows.compose(weights.inputs, np.arange(len(words)))
    vectors = Vectors(words, matrix, counts, method="fasttext")
    rows = np.ascontiguousarray(weights.inputs[len(words) :])
    vectors.subwords = Subwords(config.min_n, config.max_n, config.bucket, rows, word_rows.buckets)
    output = np.ascontiguousarray(weights.outputs)
    return Word2VecModel(vectors, output, weights.losses, weights.heldout_losses)
