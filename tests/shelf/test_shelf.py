"""The shelf: shipped and own models, files from elsewhere, words never seen and words too rare."""

import json
import lzma

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.analysis.context_answers import Calibration, ReliabilityBin
from embeddings.analysis.score_answers import ModelScore
from embeddings.corpora.corpus_answers import TextSize
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.corpora.text_counting import count_files
from embeddings.errors import CheckpointError, InputError, UnknownWordError
from embeddings.model_card import build_card
from embeddings.probing.translation_answers import LogProbabilityRange
from embeddings.shelf import (
    Entry,
    corpora,
    damaged,
    delete_corpus,
    find,
    import_model,
    list_models,
    load_vectors,
    locations,
    model_scores,
    read_card,
    seen_count,
    verify_model,
)
from embeddings.shelf.card_checks import Damage, FileState
from embeddings.shelf.companions import (
    read_calibration,
    read_log_probabilities,
    record_calibration,
    record_log_probabilities,
)
from embeddings.vectors.formats import write, write_native
from tests.shelf.importing import TABLE, TEXT


def put(place, name, /, words=("ключ", "замок"), **corpus):
    vectors = Vectors(
        list(words), np.eye(len(words), dtype=np.float32), language="ru", method="cbow"
    )
    card = build_card(vectors, corpus=corpus, settings={"seed": 1})
    write_native(vectors, place / "models" / name, card={**card, "name": name})


def test_an_empty_shelf_is_empty_and_no_folder_is_made(home):
    assert list_models() == ()
    assert not list(home.iterdir())


def test_the_folders_are_the_users_and_the_packages(monkeypatch):
    monkeypatch.delenv("KLYUCH_HOME", raising=False)
    monkeypatch.delenv("KLYUCH_DATA", raising=False)
    assert locations.home().parts[-1] == ".klyuch"
    assert (locations.data().parent / "embeddings" / "shelf").is_dir()


def test_the_shelf_lists_shipped_and_own_models_by_name(home):
    put(home / "data", "b")
    put(home / "home", "a")
    assert list_models() == (
        Entry("a", "static", "cbow", "ru", home / "home" / "models" / "a"),
        Entry("b", "static", "cbow", "ru", home / "data" / "models" / "b"),
    )


def test_an_own_model_stands_before_a_shipped_one(home):
    put(home / "data", "a", words=["old"])
    put(home / "home", "a", words=["new"])
    assert len(list_models()) == 1
    assert load_vectors("a").words == ("new",)


def test_a_broken_card_is_logged_and_hides_no_other_model(home, caplog):
    put(home / "data", "a")
    (home / "data" / "models" / "broken").mkdir()
    (home / "data" / "models" / "broken" / "card.json").write_text("{")
    assert [entry.name for entry in list_models()] == ["a"]
    assert "broken" in caplog.text


def test_a_model_is_found_by_name_folder_and_file(home):
    put(home / "home", "a")
    folder = home / "home" / "models" / "a"
    write(Vectors(["x"], np.ones((1, 2), np.float32)), home / "glove.6B.txt", format="glove")
    assert find("a") == find(folder) == find(str(folder))
    assert find(home / "glove.6B.txt") == Entry("glove", "static", "", "", home / "glove.6B.txt")
    assert load_vectors(home / "glove.6B.txt").words == ("x",)
    assert load_vectors(folder).language == "ru"


@pytest.mark.parametrize("name", ["b", "../a", "", "  "])
def test_an_unknown_or_empty_name_lists_the_shelf(home, name):
    put(home / "home", "a")
    with pytest.raises(InputError, match=f"no model called “{name}”.*On the shelf: a"):
        find(name)


def test_an_installed_package_carries_its_data_inside(tmp_path, monkeypatch):
    monkeypatch.delenv("KLYUCH_DATA", raising=False)
    monkeypatch.setattr(locations, "__file__", str(tmp_path / "embeddings/shelf/locations.py"))
    assert locations.data() == tmp_path / "data"  # a clone
    (tmp_path / "embeddings" / "data").mkdir(parents=True)
    assert locations.data() == tmp_path / "embeddings" / "data"


def test_a_network_has_no_table_of_vectors(home):
    folder = home / "home" / "models" / "bert"
    folder.mkdir(parents=True)
    (folder / "card.json").write_text(json.dumps({"kind": "network", "method": "bert"}))
    assert find("bert").kind == "network"
    with pytest.raises(InputError, match="“bert” is of kind network"):
        load_vectors("bert")


def test_a_model_that_was_changed_is_refused(home):
    put(home / "home", "a")
    path = home / "home" / "models" / "a" / "words.txt"
    path.write_bytes(path.read_bytes().replace("ключ".encode(), "клич".encode()))
    with pytest.raises(CheckpointError, match=r"words\.txt is damaged"):
        load_vectors("a")


def list_seen(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(content.encode()))


def test_words_too_rare_are_told_from_words_never_seen(home):
    put(home / "data", "a", name="ru_drama")
    list_seen(home / "data" / "vocabularies" / "ru_drama.txt.xz", "ключ\t90\nключик\t4\nик\t7\n")
    vectors = load_vectors("a")
    with pytest.raises(
        UnknownWordError, match=r"“Ключик” is too rare .* its count in the corpus: 4\."
    ) as rare:
        vectors["Ключик"]
    assert rare.value.count == 4
    with pytest.raises(UnknownWordError, match="“клю” is not among the 2 words") as never:
        vectors["клю"]
    assert never.value.count == 0
    assert seen_count(find("a"), "ик") == 7


def test_an_own_corpus_is_asked_in_its_folder(home):
    put(home / "home", "a", name="mine", folder=str(home / "corpus"))
    assert seen_count(find("a"), "x") is None
    list_seen(home / "corpus" / "seen.txt.xz", "x\t3")
    assert seen_count(find("a"), "x") == 3


@pytest.mark.parametrize("corpus", [{}, {"name": "../../secret"}, {"name": 5, "folder": 6}])
def test_without_a_list_the_count_is_not_known(home, corpus):
    put(home / "home", "a", **corpus)
    assert seen_count(find("a"), "x") is None
    with pytest.raises(UnknownWordError) as caught:
        load_vectors("a")["x"]
    assert caught.value.count is None


def test_cards_are_read_and_made_up_for_plain_files(home):
    put(home / "home", "a", name="c")
    assert read_card(find("a"))["corpus"] == {"name": "c"}
    write(Vectors(["x"], np.ones((1, 2), np.float32)), home / "v.txt")
    assert read_card(find(home / "v.txt")) == {
        "name": "v",
        "kind": "static",
        "method": "",
        "language": "",
    }


def test_a_table_of_averages_is_known_as_one():
    assert load_vectors("ru-bert").is_table
    assert not load_vectors("ru-glove").is_table
    with pytest.raises(UnknownWordError, match="holds the commonest of its corpus") as refused:
        load_vectors("ru-bert").row("полуостровок")
    assert refused.value.count is None


# What cards say of how far to trust a model: written, read again, and passed over where it is of no known shape


BINS = (ReliabilityBin(0.5, 0.6, 3, 0.55, 1 / 3), ReliabilityBin(0.9, 1.0, 7, 0.95, 1.0))


CALIBRATION = Calibration(1.5, 10, 10, 0.1, 0.02, BINS[1:], BINS)


@pytest.fixture
def entry(tmp_path):
    (tmp_path / "card.json").write_text('{"name": "m", "kind": "classifier"}', encoding="utf-8")
    return Entry("m", "classifier", "", "en", tmp_path)


def test_a_calibration_is_read_as_it_was_noted(entry):
    record_calibration(entry, CALIBRATION, "dev.tsv")
    assert read_calibration(read_card(entry)) == ("dev.tsv", CALIBRATION)


def test_a_range_of_log_probabilities_is_read_as_it_was_noted(entry):
    spread = LogProbabilityRange(-0.5, -1.2, 200)
    record_log_probabilities(entry, spread, "val.en")
    assert read_log_probabilities(read_card(entry)) == spread


@pytest.mark.parametrize(
    "value",
    [None, 3, {}, {"temperature": "hot"}, {"temperature": 1, "bins": [3]}, {"median": "low"}],
)
def test_what_is_of_no_known_shape_is_passed_over(value):
    card = json.loads(json.dumps({"calibration": value, "domain": value}))
    assert read_calibration(card) is None
    assert read_log_probabilities(card) is None


# How sound the shelf is: every file hashed, unusable home listed with the reason, scores of all cards


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


# The corpora of the shelf: listed, counted, deleted once


@pytest.fixture
def texts(home):
    """A text and an encoded corpus."""
    place = home / "home" / "corpora" / "novel"
    place.mkdir(parents=True)
    (place / "one.txt").write_text("Ein Wort\nnoch eins\n\n\n...\nzwei drei\n", encoding="utf-8")
    (place / "two.txt").write_text("Ende", encoding="utf-8")
    (place / "source.json").write_text(json.dumps({"source": "https://example.org/novel"}))
    encode([place], home / "home" / "corpora" / "ids", EncodingConfig(min_count=1))
    return home


def test_corpora_are_listed_with_what_they_hold(texts):
    ids, novel = corpora()
    assert (ids.name, ids.kind, ids.text_size.words) == ("ids", "encoded", 7)
    assert (novel.kind, novel.files, novel.text_size) == ("text", 2, None)
    assert novel.source == "https://example.org/novel"
    assert novel.size == sum(file.stat().st_size for file in novel.path.glob("*.txt"))


def test_counting_agrees_with_encoding_whatever_the_blocks(texts, tmp_path):
    rng = np.random.default_rng(1)
    place = tmp_path / "text"
    place.mkdir()
    for name in ("a.txt", "b.txt"):
        lines = [" ".join(["wort"] * int(n)) for n in rng.integers(0, 4, size=3000)]
        (place / name).write_text("\n".join(lines))
    whole = encode([place], tmp_path / "ids", EncodingConfig(min_count=1))
    sizes = (len(whole.ids), len(whole.sentence_bounds) - 1, len(whole.document_bounds) - 1)
    assert count_files([place], lower=False).size == TextSize(*sizes)


def test_a_corpus_is_deleted_once(texts):
    delete_corpus("novel")
    assert [corpus.name for corpus in corpora()] == ["ids"]
    with pytest.raises(InputError, match="no corpus of yours called “novel” any more"):
        delete_corpus("novel")


@pytest.mark.parametrize("name", ["", ".", "..", "../models", "a/b"])
def test_only_corpora_are_deleted(texts, name):
    with pytest.raises(InputError, match="no corpus of yours"):
        delete_corpus(name)
    assert len(corpora()) == 2
