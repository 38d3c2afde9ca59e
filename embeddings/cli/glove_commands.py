"""``klyuch glove``: text or ids to a folder of vectors, with the counts that Ratios shows."""

from __future__ import annotations

from pathlib import Path

from embeddings.cli.arguments import CARD_LANGUAGE
from embeddings.cli.nouns import verb, with_flags
from embeddings.cli.output import emit, grid, progress_bar
from embeddings.cli.static_training import CONTEXTS, TrainingFolders, check_run
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


@verb("glove", "train")
@with_flags(GloveConfig)
def train_command(
    corpus: list[Path],
    *,
    output: Path,
    run: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    window: int = CooccurrenceConfig().window,
    memory_mb: int = 0,
    min_count: int = 5,
    spelling: str = "",
    encoding: str = "",
    language: str = CARD_LANGUAGE,
    content_words: int = 2000,
    examples: str = "",
    film: int = 0,
    watch: str = "",
    contexts: int = CONTEXTS,
    cluster: str = "",
    as_json: bool = False,
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
