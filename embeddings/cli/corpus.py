"""``klyuch corpus``: text to ids on disk."""

from __future__ import annotations

from pathlib import Path

import typer

from embeddings.cli.flags import with_flags
from embeddings.cli.output import emit, grid, progress_bar
from embeddings.text.encoded import EncodedCorpus, EncodingConfig, encode

commands = typer.Typer(no_args_is_help=True)


@commands.callback()
def _corpus() -> None:
    """Text to ids on disk."""


@commands.command(
    "encode",
    epilog="Example: klyuch corpus encode novels/ news.txt.xz --output novels.ids --min-count 5",
)
@with_flags(EncodingConfig)
def encode_command(
    sources: list[Path] = typer.Argument(
        ..., help="Text files (.txt, .gz, .xz) or folders of them: UTF-8, a paragraph a line."
    ),
    output: Path = typer.Option(..., help="Folder to write; one that is there is replaced."),
    workers: int = typer.Option(2, min=1, help="Threads; the result does not depend on it."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON, without a progress bar."),
    *,
    config: EncodingConfig,
) -> None:
    """Turn text into a folder of word ids that the trainers read."""
    with progress_bar(quiet=as_json) as report:
        corpus = encode(sources, output, config, report, workers=workers)
    summary = summarize(corpus)
    emit(summary, as_json, lambda: grid("corpus", "size", rows=list(summary.items())))


def summarize(corpus: EncodedCorpus) -> dict[str, object]:
    """Sizes of a corpus by name."""
    return {
        "folder": str(corpus.folder),
        "vocabulary": len(corpus.vocabulary),
        "words": len(corpus.ids),
        "sentences": len(corpus.sentence_bounds) - 1,
        "documents": len(corpus.document_bounds) - 1,
    }
