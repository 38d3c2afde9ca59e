"""A prepared corpus of two small languages."""

import numpy as np
import pytest

from embeddings.pretraining.prepared_corpus import prepare_corpus
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    generator = np.random.default_rng(1)
    words = {
        "en": [
            "the",
            "key",
            "opens",
            "a",
            "lock",
            "while",
            "water",
            "springs",
            "from",
            "rock",
            "and",
            "time",
        ],
        "ru": ["ключ", "от", "замка", "лежит", "где", "бьёт", "вода", "из", "камня", "и", "время"],
    }
    for language, vocabulary in words.items():
        documents = []
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
