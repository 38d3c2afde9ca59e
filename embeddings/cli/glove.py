"""``klyuch glove``: text or ids to a folder of vectors, with the counts that Ratios shows."""

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
from embeddings.static.cooccurrence import (
    CooccurrenceConfig,
    Cooccurrences,
    count_cooccurrences,
)
from embeddings.static.glove import GloveConfig, GloveModel, train_glove
from embeddings.static.glove_folder import EXAMPLES, ratio_writer
from embeddings.text.encoded import IDS, EncodedCorpus, EncodingConfig, encode
from embeddings.vectors.formats import build_card, write_native
from embeddings.vectors.formats.native import CARD

commands = typer.Typer(no_args_is_help=True)


@commands.callback()
def _glove() -> None:
    """Co-occurrence counts and weighted least squares."""


@commands.command(
    "train",
    epilog="Example: klyuch glove train novels.ids --output novels-glove --vector-size 200",
)
@with_flags(GloveConfig)
def train_command(
    corpus: list[Path] = typer.Argument(
        ..., help="A folder that `klyuch corpus encode` wrote, or text files and folders of them."
    ),
    output: Path = typer.Option(..., help="Folder of the model; an older model is replaced."),
    run: Path = typer.Option(
        None, help="Folder of ids, counts and checkpoint, OUTPUT.run if not given."
    ),
    resume: bool = typer.Option(False, "--resume", help="Go on after the last whole iteration."),
    window: int = typer.Option(CooccurrenceConfig().window, help="Words on either side."),
    memory_mb: int = typer.Option(
        0, help="Count and train on disk, counting within so many MB. 0: in memory."
    ),
    min_count: int = typer.Option(5, help="For text: words seen less often are left out."),
    language: str = typer.Option("", help="For the model's card: en, ru, de or another code."),
    content_words: int = typer.Option(2000, help="Words whose counts the model keeps for Ratios."),
    examples: str = typer.Option("", help="Further words that keep their counts, by commas."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON, without a progress bar."),
    *,
    config: GloveConfig,
) -> None:
    """Count co-occurrences, train vectors, and write them as a model's folder."""
    if output.exists() and not (output / CARD).exists() and not _is_empty(output):
        raise InputError("glove_output", path=output)
    run = run or output.with_name(output.name + ".run")
    counting = CooccurrenceConfig(window=window, memory_mb=memory_mb, workers=config.workers)
    rates: list[float] = []
    with progress_bar(quiet=as_json) as report:

        def watch(at: Progress) -> None:
            report(at)
            rates.append(at.per_second)

        text = _open(corpus, run / "corpus", EncodingConfig(min_count=min_count), report)
        counts = count_cooccurrences(text, counting, report, folder=run / "counts")
        model = train_glove(counts, text.vocabulary, config, run=run, resume=resume, report=watch)
    model.vectors.name, model.vectors.language = output.name, language
    kept = [*EXAMPLES.get(language, "").split(), *filter(None, examples.split(","))]
    _write(model, text, counts, output, to_json(config) | {"window": window}, (content_words, kept))
    summary = {
        "folder": str(output),
        "words": len(model.vectors),
        "vector_size": model.vectors.vector_size,
        "pairs": counts.pairs,
        "costs": list(model.costs),
        "pairs_per_second": rates[-1] if rates else None,
    }
    shown = summary | {"costs": " ".join(f"{cost:.4f}" for cost in model.costs)}
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
    model: GloveModel,
    corpus: EncodedCorpus,
    counts: Cooccurrences,
    output: Path,
    settings: dict[str, object],
    kept: tuple[int, list[str]],
) -> None:
    """Write the model's folder with its card and the counts of content words and examples."""
    folder = corpus.folder
    card = build_card(
        model.vectors,
        corpus={
            "name": folder.name if folder else "",
            "folder": str(folder),
            "words": len(corpus.ids),
            "vocabulary": len(model.vectors),
            "min_count": corpus.config.min_count,
        },
        settings=settings,
        command=shlex.join(["klyuch", *sys.argv[1:]]),
    )
    card["costs"] = list(model.costs)
    extra = ratio_writer(counts, model, corpus.vocabulary, kept[1], kept[0])
    write_native(model.vectors, output, config=settings, card=card, extra=extra)
