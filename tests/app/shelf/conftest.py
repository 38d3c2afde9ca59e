"""A shelf with a shipped model, two own ones and a corpus."""

from pathlib import Path

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.model_card import build_card
from embeddings.vectors.formats import write_native

SCORES = {
    "pairs.tsv": {"spearman": 0.5, "covered": 2, "total": 4},
    "set.txt": {"accuracy": 0.25, "covered": 8, "total": 9},
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A shelf with the shipped model «ships» and the own models «mine» and «other»; a corpus."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    rows = np.random.default_rng(1).normal(size=(30, 8)).astype(np.float32)
    words = [f"word{number}" for number in range(30)]
    table = Vectors(words, rows, np.arange(30, 0, -1), language="en", method="cbow")
    corpus = {"name": "c", "title": "Letters <b>", "licence": "CC0", "words": 12345}
    card = build_card(table, corpus=corpus, settings={"seed": 7}, scores=SCORES, command="klyuch x")
    write_native(table, tmp_path / "data" / "models" / "ships", card=card)
    for name in ("mine", "other"):
        write_native(table, tmp_path / "home" / "models" / name, card={**card, "name": name})
    (tmp_path / "home" / "corpora" / "novel").mkdir(parents=True)
    (tmp_path / "home" / "corpora" / "novel" / "a.txt").write_text("One two\nthree\n")
    catalogue = Path(__file__).resolve().parents[3] / "data" / "catalogue.toml"
    (tmp_path / "data" / "catalogue.toml").write_bytes(catalogue.read_bytes())
    return tmp_path
