"""A prepared corpus of two small languages, a run over it that ended, and one that was killed."""

import numpy as np
import pytest

from embeddings.pretraining.prepared_corpus import prepare_corpus
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece
from tests.training.small_runs import killed_run, small_run


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    generator = np.random.default_rng(1)
    words = {
        "en": "the key opens a lock while water springs from rock and time",
        "ru": "ключ от замка лежит где бьёт вода из камня и время",
    }
    for language, listed in words.items():
        vocabulary, documents = listed.split(), []
        for _ in range(12):
            sentences = [
                " ".join(generator.choice(vocabulary, 6)).capitalize() + "." for _ in range(12)
            ]
            documents.append("\n".join(" ".join(sentences[i : i + 4]) for i in (0, 4, 8)))
        (folder / f"{language}_small.txt").write_text("\n\n".join(documents), encoding="utf-8")
    texts = [p.read_text(encoding="utf-8") for p in sorted(folder.iterdir())]
    wordpiece = train_wordpiece(texts, WordPieceConfig(vocab_size=90, min_frequency=1))
    prepare_corpus(sorted(folder.iterdir()), wordpiece, folder / "ids")
    return folder / "ids"


@pytest.fixture(scope="session")
def whole(prepared, tmp_path_factory):
    """The folder of an unbroken run; tests that change it copy it."""
    return small_run(prepared, tmp_path_factory.mktemp("runs") / "whole").folder.parent


@pytest.fixture(scope="session")
def killed(prepared, tmp_path_factory):
    """The folder of the same run, killed after step 5; to be copied."""
    return killed_run(prepared, tmp_path_factory.mktemp("runs") / "cut")
