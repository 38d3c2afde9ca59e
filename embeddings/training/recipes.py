"""From texts to the folder of a network, in this process: what `embeddings.train` and jobs call for BERT and ALBERT."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from embeddings.pretraining.prepared_corpus import PreparedCorpus, prepare_corpus, train_vocabulary
from embeddings.results import Report
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.pretraining.pretraining_run import initial_config, pretrain
from embeddings.training.pretraining.warm_start import token_vectors
from embeddings.training.settings import NetworkSettings, network_configs
from embeddings.training.tasks import Limits, Trained
from embeddings.vectors.formats import write

CHECKPOINT_MINUTES = 0.5


def train_network(  # noqa: PLR0913 - what a training consists of
    files: Sequence[Path],
    method: str,
    settings: NetworkSettings,
    room: Path,
    report: Report | None = None,
    initial: Path | None = None,
    *,
    film: int = 0,
    command: str = "embeddings.train",
) -> Trained:
    """Learn a vocabulary, cut the text into its tokens, train a vector for each, pretrain.

    Parameters
    ----------
    files : sequence of Path
        Texts, whose names begin with their language where it is known: ``ru_news.txt``.
    room : Path
        A folder for what is made on the way; what an earlier attempt with these arguments left there is taken up.
    initial : Path, optional
        Folder of a network whose weights, sizes and vocabulary training begins with.
    film : int
        So many tokens that are words have their vectors kept through the training.
    command : str
        For the card.

    Raises
    ------
    KlyuchError
        If a text cannot be read or is too small, or the settings do not fit together.
    """
    configs = network_configs(method, settings)
    prepared, vectors = room / "prepared", room / "vectors"
    network = initial_config(initial, method) if initial else configs.network
    if not prepared.exists():
        known = (
            Tokenizer.load(initial) if initial else train_vocabulary(files, configs.vocabulary)[0]
        )
        prepare_corpus(files, known, prepared, report)
    if settings.begin == "vectors" and not vectors.exists():
        words, corpus = Tokenizer.load(prepared).words, PreparedCorpus.open(prepared)
        write(token_vectors(corpus, words, configs.vectors, report), vectors, format="native")
    return pretrain(
        prepared,
        room / "run",
        network,
        configs.training,
        Limits(checkpoint_minutes=CHECKPOINT_MINUTES, report=report),
        warm=vectors if settings.begin == "vectors" else None,
        initial=initial,
        tensorboard=False,
        film=film,
        command=command,
    )
