"""``klyuch wordpiece``: train a WordPiece vocabulary, look at what it does to a sentence."""

from __future__ import annotations

from pathlib import Path

from embeddings.cli.nouns import verb, with_flags
from embeddings.cli.output import counted, emit, grid, progress_bar
from embeddings.corpora.text_conversion import as_utf8
from embeddings.pretraining.prepared_corpus import PreparedCorpus, train_vocabulary
from embeddings.static.settings import Word2VecConfig
from embeddings.text.wordpiece import WordPiece
from embeddings.text.wordpiece_training import WordPieceConfig
from embeddings.training.pretraining.warm_start import token_vectors


@verb("wordpiece", "train")
@with_flags(WordPieceConfig)
def train(
    sources: list[Path],
    *,
    config: WordPieceConfig,
    output: Path,
    encoding: str = "",
    as_json: bool = False,
) -> None:
    """Train one vocabulary on the same amount of text from each language (the prefix of a file's name: ru_news.txt)."""
    with as_utf8(sources, encoding) as texts:
        vocabulary, languages = train_vocabulary(texts, config)
    vocabulary.save(output)
    value = {
        "output": str(output),
        "vocab_size": len(vocabulary),
        "languages": languages,
    }
    sentence = f"{counted(len(vocabulary), 'token')} in {output}"
    if len(vocabulary) > config.vocab_size:
        sentence += f": more than vocab_size={config.vocab_size}, since the letters of the text need as many"
    emit(value, as_json, lambda: sentence)


@verb("wordpiece", "vectors")
@with_flags(Word2VecConfig)
def vectors(prepared: Path, *, config: Word2VecConfig, output: Path, as_json: bool = False) -> None:
    """Train Word2Vec over WordPiece tokens, for `klyuch bert pretrain --warm-start`."""
    from embeddings.vectors.formats import write
    from embeddings.vectors.formats.native_folder import check_native_target

    check_native_target(output)
    words = WordPiece.load(prepared).words
    with progress_bar(as_json) as report:
        trained = token_vectors(PreparedCorpus.open(prepared), words, config, report)
    write(trained, output, format="native")
    value = {"output": str(output), "words": len(trained), "vector_size": trained.vector_size}
    size = counted(trained.vector_size, "number")
    emit(value, as_json, lambda: f"{counted(len(trained), 'vector')} of {size} in {output}")


@verb("wordpiece", "show")
def show(text: str, *, tokenizer: Path, as_json: bool = False) -> None:
    """Show the tokens of a sentence, their ids and the characters that they cover."""
    encoded = WordPiece.load(tokenizer).encode(text)
    rows = list(zip(encoded.tokens, encoded.ids, encoded.offsets, strict=True))
    value = [{"token": t, "id": i, "offsets": list(o)} for t, i, o in rows]
    emit(
        value,
        as_json,
        lambda: grid("token", "id", "from", "to", rows=[(t, i, *o) for t, i, o in rows]),
    )
