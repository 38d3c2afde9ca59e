"""Words that are offered while one is typed."""

import numpy as np
import pytest

from app.widgets.inputs import OFFERED, complete
from embeddings import Vectors, shelf
from embeddings.vectors.formats import native_folder, native_rows, write_native


@pytest.fixture
def two_models(tmp_path, monkeypatch):
    """Two models that stay in their files, as those of millions of words do."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    monkeypatch.setattr(native_rows, "LOOKUP_PAST", 0)
    monkeypatch.setattr(native_folder, "MAPPED_PAST", 0)
    listed = {
        "first": ["the", "Quelle", "queen", "quer", "New York", *(f"x{n}" for n in range(30))],
        "second": ["queue", "queen", "ключ", "ключевой"],
    }
    for name, words in listed.items():
        rows = np.eye(len(words), 40, dtype=np.float32)
        write_native(Vectors(words, rows, name=name), tmp_path / "models" / name)
    return tuple(map(shelf.find, listed))


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("que", ["Quelle", "queue", "queen", "quer"]),  # of each model in turn, commonest first
        ("КЛ", ["ключ", "ключевой"]),
        ("king, qUEE", ["king, queen"]),
        ("the,new", ["the,New York"]),
        ("", []),
        ("king, ", []),
        ("nothing like it", []),
        ("x" * 101, []),
    ],
)
def test_the_last_word_is_completed_by_the_commonest_of_each_model(two_models, typed, offered):
    assert complete(two_models, typed) == offered


def test_at_most_ten_are_offered_and_a_damaged_model_offers_nothing(two_models):
    assert complete(two_models, "x") == [f"x{n}" for n in range(OFFERED)]
    first, second = two_models
    (first.path / "words.txt").write_text("x\n")
    assert complete((shelf.find("first"), second), "que") == ["queue", "queen"]
