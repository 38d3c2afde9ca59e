"""Names on the shelf: which can be had, placing, renaming, deleting; two windows at once."""

import errno
import json
import shutil
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import embeddings
from embeddings import Vectors, shelf
from embeddings.errors import CheckpointError, InputError, MissingFileError
from embeddings.shelf import add_model, check_name, delete, free_name, list_models, rename
from embeddings.vectors.formats import write_native

TABLE = Vectors(["a", "b"], np.eye(2, dtype=np.float32), language="en")


@pytest.fixture
def home(home):
    """A shelf with the shipped model «ships» and the own model «mine»."""
    write_native(TABLE, home / "data" / "models" / "ships")
    write_native(TABLE, home / "home" / "models" / "mine")
    return home


def names():
    return [entry.name for entry in list_models()]


@pytest.mark.parametrize("name", ["a", "x.y-2_z", "Модель-1", "ключ", "a" * 100, " padded "])
def test_sound_names_are_taken_as_they_are(home, name):
    assert check_name(name) == name.strip()


def test_a_name_is_put_in_nfc(home):
    assert check_name("и\N{COMBINING BREVE}од") == "йод"


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "../a", "a/b", ".hidden", "-flag", "a b", "a" * 101, "ы" * 101, "a\0"],
)
def test_names_that_cannot_name_a_folder_are_refused(home, name):
    with pytest.raises(InputError, match="cannot name a model"):
        check_name(name)


@pytest.mark.parametrize("name", ["mine", "ships", "MINE", "Ships"])
def test_a_taken_name_is_refused_with_a_free_one(home, name):
    with pytest.raises(InputError, match=f"called “{name}”.* as {name}-2"):
        check_name(name)


@pytest.mark.parametrize(
    ("wish", "free"),
    [("mine", "mine-2"), ("new", "new"), ("my model (1)", "my-model-1-"), ("///", "model")],
)
def test_a_free_name_is_made_of_a_wish(home, wish, free):
    assert free_name(wish) == free
    assert check_name(free) == free


def test_a_placed_model_is_on_the_shelf_under_its_name(home):
    write_native(TABLE, home / "made")
    entry = add_model(home / "made", "new")
    assert entry.path == home / "home" / "models" / "new"
    assert json.loads((entry.path / "card.json").read_text())["name"] == "new"
    assert shelf.load_vectors("new").words == ("a", "b")
    assert (home / "made" / "card.json").exists()


def test_a_model_that_differs_from_its_card_is_not_placed(home):
    write_native(TABLE, home / "made")
    (home / "made" / "words.txt").write_text("c\nd\n")
    with pytest.raises(CheckpointError, match="damaged"):
        add_model(home / "made", "new")
    assert sorted(path.name for path in (home / "home" / "models").iterdir()) == ["mine"]


def test_a_folder_without_a_card_is_not_placed(home):
    (home / "made").mkdir()
    with pytest.raises(MissingFileError, match=r"card\.json does not exist"):
        add_model(home / "made", "new")


def test_of_two_that_place_the_same_name_the_second_gets_a_sentence(home, monkeypatch):
    write_native(TABLE, home / "made")
    real = shelf.own_models.verify

    def slow(*given):
        write_native(TABLE, home / "home" / "models" / "new")  # another window is faster
        return real(*given)

    monkeypatch.setattr(shelf.own_models, "verify", slow)
    with pytest.raises(InputError, match="called “new” on the shelf already"):
        add_model(home / "made", "new")
    assert names() == ["mine", "new", "ships"]


def test_renaming_changes_folder_and_card(home):
    entry = rename("mine", "yours")
    assert names() == ["ships", "yours"]
    assert shelf.read_card(entry)["name"] == "yours"
    assert shelf.load_vectors("yours").words == ("a", "b")


@pytest.mark.parametrize("card", ["{}", "{"])
def test_deleting_leaves_nothing_also_of_a_damaged_model(home, card):
    (home / "home" / "models" / "mine" / "card.json").write_text(card)
    delete("mine")
    assert names() == ["ships"]
    assert list((home / "home" / "models").iterdir()) == []


@pytest.mark.parametrize("act", [delete, lambda name: rename(name, "other")])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("ships", "ships with Klyuch and stays"),
        ("gone", "no model of yours called “gone” any more"),
        ("../data/models/ships", "no model of yours"),
        ("", "no model of yours"),
        (".", "no model of yours"),
    ],
)
def test_only_own_models_that_are_there_are_changed(home, act, name, sentence):
    with pytest.raises(InputError, match=sentence):
        act(name)
    assert names() == ["mine", "ships"]


def test_the_second_of_two_that_delete_a_model_gets_a_sentence(home, monkeypatch):
    real = shelf.own_models.tempfile.mkdtemp

    def slow(**options):
        shutil.rmtree(home / "home" / "models" / "mine")  # another window is faster
        return real(**options)

    monkeypatch.setattr(shelf.own_models.tempfile, "mkdtemp", slow)
    with pytest.raises(InputError, match="“mine” any more"):
        delete("mine")
    assert list((home / "home" / "models").iterdir()) == []


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(errno.ENOSPC, "the disk is full"), (errno.EACCES, "Get permission for it")],
)
def test_what_the_system_refuses_is_a_sentence_and_leaves_nothing(
    home, monkeypatch, number, sentence
):
    write_native(TABLE, home / "made")
    refused = OSError(number, "refused", "new")
    monkeypatch.setattr(shutil, "copy2", Mock(side_effect=refused))
    with pytest.raises(InputError, match=sentence):
        add_model(home / "made", "new")
    assert [path.name for path in (home / "home" / "models").iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["a" * 300, "/tmp/" + "ключ" * 100])
def test_a_name_that_no_disk_can_have_is_refused_with_the_reason(home, name):
    with pytest.raises(InputError, match=f"{name}.*cannot be read or written: File name too long"):
        shelf.find(name)


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"model_type": "bert"}, "network"),
        ({"model_type": "classification"}, "classifier"),
        ({"model_type": "translation"}, "translation"),
        ({"format": "klyuch-vectors-1"}, "static"),
        ({}, "network"),
        (None, "static"),
    ],
)
def test_the_kind_of_a_folder_whose_card_says_none_is_that_of_its_settings(home, settings, kind):
    (home / "bare").mkdir()
    if settings is not None:
        (home / "bare" / "config.json").write_text(json.dumps(settings))
    assert shelf.find(home / "bare").kind == kind  # without a card
    (home / "bare" / "card.json").write_text("{}")
    assert shelf.find(home / "bare").kind == kind


@pytest.mark.parametrize("name", ["en-sst2", "en-de-bert-fused", "ru-lemmas"])
def test_a_model_that_needs_its_card_is_neither_opened_nor_imported_without_it(home, name):
    shipped = Path(__file__).parents[2] / "data" / "models" / name
    shutil.copytree(shipped, home / "bare", ignore=shutil.ignore_patterns("card.json"))
    for ask in (embeddings.load, shelf.import_model):
        with pytest.raises(MissingFileError, match=r"bare/card\.json does not exist"):
            ask(home / "bare")
    assert names() == ["mine", "ships"]


def test_a_translator_without_its_card_opens_but_is_not_imported(home):
    shipped = Path(__file__).parents[2] / "data" / "models" / "en-de-transformer"
    shutil.copytree(shipped, home / "bare", ignore=shutil.ignore_patterns("card.json"))
    assert isinstance(embeddings.load(home / "bare"), embeddings.Translator)
    with pytest.raises(MissingFileError, match=r"bare/card\.json does not exist"):
        shelf.import_model(home / "bare")
    assert names() == ["mine", "ships"]
