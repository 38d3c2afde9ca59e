"""What trains each static method of `embeddings.methods`: from an encoded corpus and settings to vectors and their folder.

Trainers are imported when they are called, as they load numba.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.configuration import from_json, to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, recorded_checksums
from embeddings.vectors.context_table import save_contexts
from embeddings.vectors.formats import build_card, write_native

if TYPE_CHECKING:
    from embeddings.static.word2vec import Word2VecModel
    from embeddings.vectors.table import Vectors

CONTEXTS = 10_000  # common words whose contexts are stored with a model


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """Vectors, the settings that made them, what writes a GloVe's counts next to them, how many pairs it counted, losses by name."""

    vectors: Vectors
    settings: dict[str, object]
    extra: Callable[[Path], None] | None = None
    pairs: int = 0
    losses: Mapping[str, Sequence[float]] = field(default_factory=dict)


def losses_of(model: Word2VecModel) -> dict[str, list[float]]:
    """Return the losses by epoch, and those of the sentences held out where there are any."""
    losses = {"losses": list(model.losses), "heldout_losses": list(model.heldout_losses)}
    return {name: values for name, values in losses.items() if values}


def write_model(
    trained: TrainedVectors, corpus: EncodedCorpus, output: Path, command: str, contexts: int
) -> None:
    """Write a model's folder with its card; the contexts of so many common words are counted and stored with it."""
    from embeddings.static.context_counting import ContextConfig, count_contexts

    vectors, settings, folder = trained.vectors, trained.settings, corpus.folder
    vectors.spelling = corpus.config.spelling
    table = None
    if contexts:
        window, workers = (int(str(settings[name])) for name in ("window", "workers"))
        counting = ContextConfig(window=window, words=contexts, workers=workers)
        table = count_contexts(corpus, counting, lower=vectors.is_lower)

    def add(new: Path) -> None:
        if trained.extra is not None:
            trained.extra(new)
        if table is not None:
            save_contexts(table, new)

    about = {
        "name": folder.name if folder else "",
        "folder": str(folder),
        "words": len(corpus.ids),
        "vocabulary": len(vectors),
        "min_count": corpus.config.min_count,
        "spelling": corpus.config.spelling,
        "files": recorded_checksums(folder) if folder else {},
    }
    card = build_card(vectors, corpus=about, settings=settings, command=command)
    card.update({name: list(values) for name, values in trained.losses.items()})
    write_native(vectors, output, config=settings, card=card, extra=add)


def _word2vec(
    corpus: EncodedCorpus, settings: dict[str, Any], call: str, *, sg: bool, **options: Any
) -> TrainedVectors:
    """Train skip-gram or CBOW."""
    from embeddings.static.word2vec import Word2VecConfig, train_word2vec

    config = from_json(Word2VecConfig, {**settings, "sg": sg}, call)
    model = train_word2vec(corpus, config, **options)
    return TrainedVectors(model.vectors, to_json(config), losses=losses_of(model))


def _fasttext(
    corpus: EncodedCorpus, settings: dict[str, Any], call: str, **options: Any
) -> TrainedVectors:
    """Train fastText: vectors of words and of their n-grams."""
    from embeddings.static.fasttext import FastTextConfig, train_fasttext

    config = from_json(FastTextConfig, settings, call)
    model = train_fasttext(corpus, config, **options)
    return TrainedVectors(model.vectors, to_json(config), losses=losses_of(model))


def _glove(
    corpus: EncodedCorpus, settings: dict[str, Any], call: str, **options: Any
) -> TrainedVectors:
    """Count co-occurrences within ``window`` words, then train GloVe on them."""
    from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences
    from embeddings.static.glove import EXAMPLES, GloveConfig, ratio_writer, train_glove

    rest = dict(settings)
    window = int(rest.pop("window", CooccurrenceConfig().window))
    config = from_json(GloveConfig, rest, call)
    counting = CooccurrenceConfig(window=window, workers=config.workers)
    counts = count_cooccurrences(corpus, counting, options.get("report"))
    model = train_glove(counts, corpus.vocabulary, config, **options)
    extra = ratio_writer(counts, model, corpus.vocabulary, " ".join(EXAMPLES.values()).split())
    settings = to_json(config) | {"window": window}
    return TrainedVectors(model.vectors, settings, extra, counts.pairs, {"costs": model.costs})


TRAINERS: dict[str, Callable[..., TrainedVectors]] = {
    "skipgram": partial(_word2vec, sg=True),
    "cbow": partial(_word2vec, sg=False),
    "glove": _glove,
    "fasttext": _fasttext,
}
"""By method; each takes a corpus, settings by their names, the call that an error message names, and options of the training."""
