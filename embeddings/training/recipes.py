"""From texts to the folder of a network, in this process: what `embeddings.train` calls for BERT and ALBERT.

A job of the Train page takes the same steps as commands, with the same configurations (`embeddings.training.settings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from embeddings.pretraining.prepared_corpus import prepare_corpus, train_vocabulary
from embeddings.results import Report
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.pretraining.pretraining_run import initial_config, pretrain
from embeddings.training.pretraining.warm_start import token_vectors
from embeddings.training.settings import NetworkSettings, network_configs
from embeddings.training.tasks import Limits
from embeddings.vectors.formats import write


def train_network(
    files: Sequence[Path],
    method: str,
    settings: NetworkSettings,
    room: Path,
    report: Report | None = None,
    initial: Path | None = None,
) -> Path:
    """Learn a vocabulary, cut the text into its tokens, train a vector for each, pretrain; return the model's folder.

    Parameters
    ----------
    files : sequence of Path
        Texts, whose names begin with their language where it is known: ``ru_news.txt``.
    room : Path
        An empty folder for what is made on the way.
    initial : Path, optional
        Folder of a network whose weights, sizes and vocabulary training begins with.

    Raises
    ------
    KlyuchError
        If a text cannot be read or is too small, or the settings do not fit together.
    """
    configs = network_configs(method, settings)
    prepared, vectors = room / "prepared", None
    if initial is not None:
        vocabulary, network = Tokenizer.load(initial), initial_config(initial, method)
    else:
        vocabulary, network = train_vocabulary(files, configs.vocabulary)[0], configs.network
    corpus = prepare_corpus(files, vocabulary, prepared, report)
    if settings.begin == "vectors":
        vectors = room / "vectors"
        write(
            token_vectors(corpus, vocabulary.words, configs.vectors, report),
            vectors,
            format="native",
        )
    return pretrain(
        prepared,
        room / "run",
        network,
        configs.training,
        Limits(report=report),
        warm=vectors,
        initial=initial,
        tensorboard=False,
        command="embeddings.train",
    ).folder
