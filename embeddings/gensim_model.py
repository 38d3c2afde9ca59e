"""``Word2Vec`` as gensim calls it, over the trainer of this project.

>>> model = Word2Vec([["a", "key"], ["a", "door"]] * 9, vector_size=4, min_count=1, epochs=1, sample=0, sg=1)
>>> model.wv
<Vectors skipgram: 3 words, 4 dimensions>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from embeddings.errors import InputError
from embeddings.method_registry import word2vec_method
from embeddings.notebook import train
from embeddings.vectors.table import Vectors


class Word2Vec:
    """Word2Vec with gensim's constructor arguments and defaults; ``wv`` are the `Vectors`.

    Parameters
    ----------
    sentences : iterable of sequence of str, optional
        Texts as words. Without it, and without ``corpus_file``, `train` trains later.
    corpus_file : str or Path, optional
        Any text that `embeddings.train` reads; it is tokenised, where gensim splits at spaces.
    sg, hs, cbow_mean : int
        1 for skip-gram, 0 for CBOW; ``hs=1`` and ``cbow_mean=0`` are rejected: they are not implemented.
    vector_size, window, min_count, alpha, min_alpha, sample, negative, ns_exponent, epochs, workers, seed
        As there; `embeddings.static.settings.Word2VecConfig` has the bounds.

    Raises
    ------
    InputError
        For hierarchical softmax, no negatives, sums of CBOW, both kinds of text, or too little text.
    """

    def __init__(  # noqa: PLR0913 - gensim's arguments
        self,
        sentences: Iterable[Sequence[str]] | None = None,
        corpus_file: str | Path | None = None,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        *,
        sample: float = 1e-3,
        seed: int = 1,
        workers: int = 3,
        min_alpha: float = 1e-4,
        sg: int = 0,
        hs: int = 0,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        epochs: int = 5,
    ) -> None:
        if hs or not negative or not cbow_mean:
            setting = "hs=1" if hs else "negative=0" if not negative else "cbow_mean=0"
            raise InputError("word2vec_gensim", setting=setting)
        self.sg, self.min_count, self.epochs = sg, min_count, epochs
        self.settings: dict[str, Any] = {
            "vector_size": vector_size,
            "alpha": alpha,
            "window": window,
            "sample": sample,
            "seed": seed,
            "workers": workers,
            "min_alpha": min_alpha,
            "negative": negative,
            "ns_exponent": ns_exponent,
        }
        self._vectors: Vectors | None = None
        if sentences is not None or corpus_file is not None:
            self.train(sentences, corpus_file)

    @property
    def wv(self) -> Vectors:
        """The vectors.

        Raises
        ------
        InputError
            Before `train`.
        """
        if self._vectors is None:
            raise InputError("word2vec_untrained")
        return self._vectors

    def train(
        self,
        corpus_iterable: Iterable[Sequence[str]] | None = None,
        corpus_file: str | Path | None = None,
        *,
        epochs: int | None = None,
    ) -> None:
        """Train from the start on a text, whose words become the vocabulary."""
        if (corpus_iterable is None) == (corpus_file is None):
            raise InputError("word2vec_texts")
        text = (
            corpus_file if corpus_iterable is None else [list(words) for words in corpus_iterable]
        )
        assert text is not None
        trained = train(
            text,
            word2vec_method(self.sg),
            min_count=self.min_count,
            epochs=self.epochs if epochs is None else epochs,
            **self.settings,
        )
        assert isinstance(trained, Vectors)
        self._vectors = trained

    def save(self, fname: str | Path) -> None:
        """Write the vectors as a native folder; the rows that predict are not kept."""
        self.wv.save(fname)
