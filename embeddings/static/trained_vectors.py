"""What each row of `embeddings.method_registry` names: from an encoded corpus and settings to vectors and their folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.configuration import Config, from_json, to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, recorded_checksums
from embeddings.model_card import build_card
from embeddings.results import Report, Value
from embeddings.static.settings import Word2VecConfig
from embeddings.vectors.context_table import save_contexts
from embeddings.vectors.cooccurrence_table import save_cooccurrence
from embeddings.vectors.formats import write_native

if TYPE_CHECKING:
    from embeddings.static.cooccurrence import Cooccurrences
    from embeddings.static.word2vec import Word2VecModel
    from embeddings.vectors.table import Vectors

CONTEXTS = 10_000  # common words whose contexts are stored with a model


class TrainedVectors(Value):
    """Vectors, the settings that made them, what writes a GloVe's counts next to them, how many pairs it counted, losses by name."""

    vectors: Vectors
    settings: dict[str, object]
    extra: Callable[[Path], None] | None = None
    pairs: int = 0
    losses: Mapping[str, Sequence[float]] = field(default_factory=dict)


def write_model(
    trained: TrainedVectors, corpus: EncodedCorpus, output: Path, command: str, contexts: int = 0
) -> None:
    """Write a model's folder with its card; the contexts of so many common words are counted and stored with it."""
    from embeddings.static.context_counting import ContextConfig, count_contexts

    vectors, settings, folder = trained.vectors, trained.settings, corpus.folder
    vectors.spelling = corpus.config.spelling
    table = None
    if contexts and vectors.subwords is None:
        window, workers = (int(str(settings[name])) for name in ("window", "workers"))
        counting = ContextConfig(window=window, words=contexts, workers=workers)
        table = count_contexts(corpus, counting, lower=vectors.is_lower)

    def add(new: Path) -> None:
        if trained.extra is not None:
            trained.extra(new)
        if table is not None:
            save_contexts(table, new)

    about: dict[str, object] = {
        "words": len(corpus.ids),
        "vocabulary": len(vectors),
        "min_count": corpus.config.min_count,
        "spelling": corpus.config.spelling,
    }
    if folder:
        about |= {"name": folder.name, "folder": str(folder), "files": recorded_checksums(folder)}
    card = build_card(vectors, corpus=about, settings=settings, command=command)
    card.update({name: list(values) for name, values in trained.losses.items()})
    write_native(vectors, output, config=settings, card=card, extra=add)


def _word2vec(
    sg: bool, corpus: EncodedCorpus, settings: dict[str, Any], call: object, **options: Any
) -> TrainedVectors:
    """Train skip-gram or CBOW; ``options`` as for `train_word2vec`."""
    from embeddings.static.word2vec import train_word2vec

    config = from_json(Word2VecConfig, {**settings, "sg": sg}, call)
    return _trained(train_word2vec(corpus, config, **options), config)


skipgram, cbow = partial(_word2vec, True), partial(_word2vec, False)


def fasttext(
    corpus: EncodedCorpus, settings: dict[str, Any], call: object, **options: Any
) -> TrainedVectors:
    """Train fastText: vectors of words and of their n-grams."""
    from embeddings.static.fasttext import FastTextConfig, train_fasttext

    config = from_json(FastTextConfig, settings, call)
    return _trained(train_fasttext(corpus, config, **options), config)


def _trained(model: Word2VecModel, config: Config) -> TrainedVectors:
    """Return what was trained with the losses by epoch, and those of the sentences held out where there are any."""
    losses = {"losses": model.losses, "heldout_losses": model.heldout_losses}
    told = {name: list(values) for name, values in losses.items() if values}
    return TrainedVectors(model.vectors, to_json(config), losses=told)


def glove(  # noqa: PLR0913 - what a training consists of
    corpus: EncodedCorpus,
    settings: dict[str, Any],
    call: object,
    *,
    run: Path | None = None,
    report: Report | None = None,
    count: Callable[..., Cooccurrences] | None = None,
    memory_mb: int = 0,
    examples: Sequence[str] | None = None,
    content_words: int = 2000,
    **options: Any,
) -> TrainedVectors:
    """Count co-occurrences within ``window`` words, here or as ``count`` does, then train GloVe on them.

    The counts of content words and of ``examples``, by default those of all languages, are written next to the vectors.
    """
    from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences
    from embeddings.static.glove import EXAMPLES, GloveConfig, cooccurrence_table, train_glove

    rest = dict(settings)
    window = int(rest.pop("window", CooccurrenceConfig().window))
    config = from_json(GloveConfig, rest, call)
    counting = CooccurrenceConfig(window=window, memory_mb=memory_mb, workers=config.workers)
    folder = run and run / "counts"
    counts = (count or count_cooccurrences)(corpus, counting, report, folder=folder)
    model = train_glove(counts, corpus.vocabulary, config, run=run, report=report, **options)
    if examples is None:
        examples = " ".join(EXAMPLES.values()).split()
    table = cooccurrence_table(counts, model, corpus.vocabulary, examples, content_words)
    extra = partial(save_cooccurrence, table)
    told = to_json(config) | {"window": window}
    return TrainedVectors(model.vectors, told, extra, counts.pairs, {"costs": model.costs})
