"""How sound the shelf is: every file hashed, unusable folders listed with the reason, scores of all cards."""

import pytest

from embeddings.results.shelf_states import Damage, FileState, ModelScore
from embeddings.shelf import damaged, import_model, list_models, model_scores, verify_model
from embeddings.vectors.formats import write_native
from tests.shelf.importing import TABLE, TEXT


def test_every_file_is_hashed_now(home, monkeypatch):
    (home / "v.txt").write_bytes(TEXT)
    entry = import_model(home / "v.txt", "m")
    assert {state.state for state in verify_model(entry)} == {"sound"}
    words = entry.path / "words.txt"
    import os

    status = words.stat()
    words.write_bytes(words.read_bytes().replace(b"a", b"c"))
    os.utime(words, ns=(status.st_atime_ns, status.st_mtime_ns))  # as a failing disk leaves it
    (entry.path / "config.json").unlink()
    (entry.path / "new").write_text("x")
    size = (entry.path / "vectors.safetensors").stat().st_size
    assert verify_model(entry) == (
        FileState("config.json", 0, "missing"),
        FileState("new", 1, "unrecorded"),
        FileState("vectors.safetensors", size, "sound"),
        FileState("words.txt", status.st_size, "changed"),
    )


def test_folders_that_cannot_be_used_are_listed_with_the_reason(home):
    models = home / "home" / "models"
    for name in ("whole", "lacks"):
        write_native(TABLE, models / name)
    (models / "lacks" / "words.txt").unlink()
    (models / "broken").mkdir()
    (models / "broken" / "card.json").write_text("{")
    (models / "bare").mkdir()
    (models / "bare" / "config.json").write_text("{}")
    (models / ".import.x").mkdir()
    found = damaged()
    assert [one.name for one in found] == ["bare", "broken", "lacks"]
    assert found[0] == Damage("bare", models / "bare", True, "card.json")
    assert found[2].reason == "words.txt"
    assert "cannot be read" in found[1].reason
    assert [entry.name for entry in list_models()] == ["lacks", "whole"]


def test_scores_of_all_cards_are_one_table(home):
    scores = {
        "set.txt": {"accuracy": 0.5, "covered": 4, "total": 8, "sections": {"a": 1}},
        "pairs.tsv": {"spearman": -0.25, "covered": 3, "total": 3},
        "mlm_accuracy": 0.75,
    }
    card = {"scores": scores, "language": "de", "method": "cbow"}
    write_native(TABLE, home / "home" / "models" / "m", card=card)
    who = ("m", "static", "cbow", "de")
    assert model_scores() == (
        ModelScore(*who, "set.txt", "accuracy", 0.5, 4, 8),
        ModelScore(*who, "pairs.tsv", "spearman", -0.25, 3, 3),
        ModelScore(*who, "", "mlm_accuracy", 0.75),
    )


@pytest.mark.parametrize(
    "scores",
    [None, 5, [1], {"x": "y"}, {"x": {"accuracy": "high"}}, {"x": True}, {"x": float("nan")}],
)
def test_scores_of_no_known_shape_are_left_out(home, scores):
    write_native(TABLE, home / "home" / "models" / "m", card={"scores": scores})
    assert model_scores() == ()
