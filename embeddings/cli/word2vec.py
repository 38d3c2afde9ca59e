"""``klyuch word2vec``: text or ids to a folder of vectors."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import typer

from embeddings.cli.flags import with_flags
from embeddings.cli.output import emit, grid, progress_bar
from embeddings.configuration import to_json
from embeddings.errors import InputError
from embeddings.results import Progress
from embeddings.static.word2vec import Word2VecConfig, Word2VecModel, train_word2vec
from embeddings.text.encoded import IDS, EncodedCorpus, EncodingConfig, encode
from embeddings.vectors.formats import build_card, write_native
from embeddings.vectors.formats.native import CARD

commands = typer.Typer(no_args_is_help=True)


@commands.callback()
def _word2vec() -> None:
    """Skip-gram and CBOW with negative sampling."""


@commands.command(
    "train",
    epilog="Example: klyuch word2vec train novels.ids --output novels-skipgram --vector-size 200"
    " --sample 1e-4",
)
@with_flags(Word2VecConfig)
def train_command(
    corpus: list[Path] = typer.Argument(
        ..., help="A folder that `klyuch corpus encode` wrote, or text files and folders of them."
    ),
    output: Path = typer.Option(..., help="Folder of the model; an older model is replaced."),
    run: Path = typer.Option(
        None, help="Folder of ids and checkpoint, OUTPUT.run if not given; kept for --resume."
    ),
    resume: bool = typer.Option(False, "--resume", help="Go on after the last whole epoch."),
    min_count: int = typer.Option(5, help="For text: words seen less often are left out."),
    language: str = typer.Option("", help="For the model's card: en, ru, de or another code."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON, without a progress bar."),
    *,
    config: Word2VecConfig,
) -> None:
    """Train vectors and write them as a model's folder, with a checkpoint after each epoch."""
    if output.exists() and not (output / CARD).exists() and not _is_empty(output):
        raise InputError("word2vec_output", path=output)
    run = run or output.with_name(output.name + ".run")
    rates: list[float] = []
    with progress_bar(quiet=as_json) as report:

        def watch(at: Progress) -> None:
            report(at)
            rates.append(at.per_second)

        text = _open(corpus, run / "corpus", EncodingConfig(min_count=min_count), report)
        model = train_word2vec(text, config, run=run, resume=resume, report=watch)
    _write(model, text, config, output, language)
    summary = {
        "folder": str(output),
        "words": len(model.vectors),
        "vector_size": model.vectors.vector_size,
        "losses": list(model.losses),
        "words_per_second": rates[-1] if rates else None,
    }
    shown = summary | {"losses": " ".join(f"{loss:.4f}" for loss in model.losses)}
    emit(summary, as_json, lambda: grid("", "", rows=list(shown.items())))


def _is_empty(path: Path) -> bool:
    """Whether ``path`` is a folder with nothing in it."""
    return path.is_dir() and not any(path.iterdir())


def _open(
    sources: list[Path],
    folder: Path,
    config: EncodingConfig,
    report: Callable[[Progress], None],
) -> EncodedCorpus:
    """Open an encoded folder, or encode text into ``folder``."""
    if len(sources) == 1 and (sources[0] / IDS).exists():
        return EncodedCorpus.open(sources[0])
    return encode(sources, folder, config, report)


def _write(
    model: Word2VecModel,
    corpus: EncodedCorpus,
    config: Word2VecConfig,
    output: Path,
    language: str,
) -> None:
    """Write the model's folder with its card."""
    vectors = model.vectors
    vectors.name, vectors.language = output.name, language
    settings = to_json(config)
    folder = corpus.folder
    card = build_card(
        vectors,
        corpus={
            "name": folder.name if folder else "",
            "folder": str(folder),
            "words": len(corpus.ids),
            "vocabulary": len(vectors),
            "min_count": corpus.config.min_count,
        },
        settings=settings,
        command=shlex.join(["klyuch", *sys.argv[1:]]),
    )
    card["losses"] = list(model.losses)
    write_native(vectors, output, config=settings, card=card)
