"""``klyuch word2vec``: text or ids to a folder of vectors."""

from __future__ import annotations

from pathlib import Path

import typer

from embeddings.cli.arguments import CARD_LANGUAGE, with_flags
from embeddings.cli.output import emit, grid, progress_bar
from embeddings.cli.static_training import CONTEXTS, TrainingFolders, check_run, snapshots
from embeddings.configuration import to_json
from embeddings.results import Progress
from embeddings.static.static_checkpoint import StaticCheckpoint
from embeddings.static.word2vec import Word2VecConfig, train_word2vec

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
    resume: bool = typer.Option(False, "--resume", help="Resume after the last complete epoch."),
    restart: bool = typer.Option(False, "--restart", help="Discard an unfinished run."),
    min_count: int = typer.Option(5, help="For text: the minimum count of a word."),
    language: str = CARD_LANGUAGE,
    film: int = typer.Option(
        0, min=0, help="Save the vectors of this many frequent words at each epoch, for the film."
    ),
    watch: str = typer.Option("", help="Further words for the film, separated by commas."),
    contexts: int = CONTEXTS,
    as_json: bool = typer.Option(False, "--json", help="Print JSON, without a progress bar."),
    *,
    config: Word2VecConfig,
) -> None:
    """Train vectors and write them as a model's folder, with a checkpoint after each epoch."""
    folders = TrainingFolders.checked(corpus, output, run)
    folder = StaticCheckpoint(folders.run, "word2vec", to_json(config))
    check_run(folder, resume=resume, restart=restart)
    rates: list[float] = []
    with folders.removed_on_refusal(), progress_bar(quiet=as_json) as report:

        def note(at: Progress) -> None:
            report(at)
            rates.append(at.per_second)

        text = folders.open_corpus(min_count, report)
        if restart:
            folder.forget()
        after = snapshots(folders.run, text.vocabulary.words, config.epochs, film, watch)
        model = train_word2vec(
            text, config, run=folders.run, resume=resume, report=note, after=after
        )
    model.vectors.name, model.vectors.language = output.name, language
    folders.write(model.vectors, text, to_json(config), {"losses": model.losses}, contexts=contexts)
    summary = {
        "folder": str(output),
        "words": len(model.vectors),
        "vector_size": model.vectors.vector_size,
        "losses": list(model.losses),
        "words_per_second": rates[-1] if rates else None,
    }
    shown = summary | {"losses": " ".join(f"{loss:.4f}" for loss in model.losses)}
    emit(summary, as_json, lambda: grid("", "", rows=list(shown.items())))
