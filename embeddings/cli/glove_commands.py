"""``klyuch glove``: text or ids to a folder of vectors, with the counts that Ratios shows."""

from __future__ import annotations

from pathlib import Path

import typer

from embeddings.cli.arguments import CARD_LANGUAGE, CLUSTER, TEXT_ENCODING, with_flags
from embeddings.cli.output import emit, grid, progress_bar
from embeddings.cli.static_training import (
    AS_JSON,
    CONTEXTS,
    FILM,
    MIN_COUNT,
    OUTPUT,
    RESTART,
    RESUME,
    RUN,
    SPELLING,
    TEXTS,
    WATCH,
    TrainingFolders,
    check_run,
)
from embeddings.configuration import check_range, to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.results import Progress, Report
from embeddings.static.cooccurrence import (
    CooccurrenceConfig,
    Cooccurrences,
    count_cooccurrences,
)
from embeddings.static.glove import GloveConfig, train_glove
from embeddings.static.glove_folder import EXAMPLES, ratio_writer
from embeddings.static.snapshots import snapshots_of
from embeddings.static.static_checkpoint import StaticCheckpoint
from embeddings.vectors.cooccurrence_table import MOST_WORDS

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
    corpus: list[Path] = TEXTS,
    output: Path = OUTPUT,
    run: Path = RUN,
    resume: bool = RESUME,
    restart: bool = RESTART,
    window: int = typer.Option(CooccurrenceConfig().window, help="Window: words on either side."),
    memory_mb: int = typer.Option(0, help="Memory in MB for counting on disk; 0: count in memory."),
    min_count: int = MIN_COUNT,
    spelling: str = SPELLING,
    encoding: str = TEXT_ENCODING,
    language: str = CARD_LANGUAGE,
    content_words: int = typer.Option(
        2000, help="Number of words whose counts the model keeps, for the page Ratios."
    ),
    examples: str = typer.Option(
        "", help="Further words that keep their counts, separated by commas."
    ),
    film: int = FILM,
    watch: str = WATCH,
    contexts: int = CONTEXTS,
    cluster: str = CLUSTER,
    as_json: bool = AS_JSON,
    *,
    config: GloveConfig,
) -> None:
    """Count co-occurrences, train vectors, and write them as a model's folder."""
    with_counts = [*EXAMPLES.get(language, "").split(), *filter(None, examples.split(","))]
    check_range("content_words", content_words, 0, max(0, MOST_WORDS - len(with_counts)))
    counting = CooccurrenceConfig(window=window, memory_mb=memory_mb, workers=config.workers)
    folders = TrainingFolders.checked(corpus, output, run)
    folder = StaticCheckpoint(folders.run, "glove", to_json(config))
    check_run(folder, resume=resume, restart=restart)
    wanted = EncodingConfig(min_count=min_count, spelling=spelling, encoding=encoding)
    rates: list[float] = []
    with folders.removed_on_refusal(), progress_bar(quiet=as_json) as report:

        def note(at: Progress) -> None:
            report(at)
            rates.append(at.per_second)

        text = folders.open_corpus(wanted, report)
        counts = _count(text, counting, report, folders.run / "counts", cluster)
        if restart:
            folder.forget()
        after = snapshots_of(folders.run, text.vocabulary.words, config.iterations, film, watch)
        model = train_glove(
            counts,
            text.vocabulary,
            config,
            run=folders.run,
            resume=resume,
            report=note,
            after=after,
        )
    model.vectors.name, model.vectors.language = output.name, language
    model.vectors.spelling = text.config.spelling
    settings = to_json(config) | {"window": window}
    extra = ratio_writer(counts, model, text.vocabulary, with_counts, content_words)
    folders.write(model.vectors, text, settings, {"costs": model.costs}, extra, contexts)
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


def _count(
    text: EncodedCorpus, config: CooccurrenceConfig, report: Report, folder: Path, cluster: str
) -> Cooccurrences:
    """Count co-occurrences here, or on the workers of a cluster."""
    if not cluster:
        return count_cooccurrences(text, config, report, folder=folder)
    from embeddings.cluster.connection import connected
    from embeddings.cluster.cooccurrence import count_on_cluster

    with connected(cluster) as workers:
        return count_on_cluster(text, config, workers, folder, report)
