"""A visitor of a public server, and one who signs in without being an editor, look at the shelf and change nothing."""

import json
from string import Formatter

import pytest

from app import access
from app.widgets.outputs import plain
from app.wording import wording
from embeddings.errors import FormatError, messages
from embeddings.shelf import delete
from tests.app import visits
from tests.app.shelf.visits import SAY, model_names, open_page
from tests.app.visits import LANGUAGES, page_text

CHANGES = ("shelf-import", "shelf-rename", "shelf-delete", "shelf-corpus-delete")
EDITOR, READER = "ann@example.org", "bob@example.org"


@pytest.fixture
def public(monkeypatch):
    monkeypatch.setenv(access.PUBLIC, "1")


@pytest.fixture
def sign_in(monkeypatch):
    """A server with sign-in, one editor; returns a function that says who opens the next pages."""
    monkeypatch.setenv(access.EDITORS, "Ann@Example.org, other@example.org")
    monkeypatch.setattr(access, "has_sign_in", lambda: True)
    user = {"is_logged_in": False}
    monkeypatch.setattr(access.st, "user", user)

    def sign(address, *, verified=True):
        user.clear()
        user.update({"is_logged_in": bool(address), "email": address, "email_verified": verified})

    return sign


def offers(app):
    return {button.key for button in app.button} & set(CHANGES)


def test_a_public_shelf_shows_models_and_offers_no_change(home, public):
    say = wording("ru")
    app = open_page(lang="ru", shelf_model="mine", shelf_part="bring")  # a link to the import
    assert app.segmented_control(key="shelf_part").value == "models"
    assert not app.get("file_uploader")
    assert {"mine", "other", "ships"} <= set(app.selectbox(key="shelf_model").options)
    assert say("shelf.looking") in page_text(app)
    assert say("shelf.lead") not in page_text(app)
    assert not offers(app)
    assert {button.key for button in app.button} >= {"shelf-verify"}
    app.segmented_control(key="shelf_part").set_value("corpora").run()
    assert not offers(app)
    assert str(home) not in page_text(app)


def test_a_public_page_of_training_starts_nothing_and_writes_nothing(home, public):
    app = visits.open_page("train", lang="en", train_source="upload")
    assert SAY("train.looking") in page_text(app)
    assert [button.key for button in app.button if button.key] == []
    assert not app.get("file_uploader")
    assert not (home / "home" / "jobs").exists()
    assert not list((home / "home" / "corpora").glob("demonstration*"))


def test_a_refusal_on_a_public_page_names_no_folder_of_the_server(home, public):
    (home / "home" / "models" / "mine" / "vectors.safetensors").write_bytes(b"damaged")
    (home / "home" / "models" / "broken").mkdir()
    (home / "home" / "models" / "broken" / "card.json").write_text("{")
    app = visits.open_page(lang="en", text="en", models="mine")
    shelf = open_page(lang="en", shelf_model="mine")
    assert "vectors.safetensors" in page_text(app)
    assert "broken" in page_text(shelf)
    for page in (app, shelf):
        shown = page_text(page) + "".join(str(warning.value) for warning in page.warning)
        assert str(home) not in shown
        assert "/models/" not in shown


def test_a_card_on_a_public_shelf_shows_no_folder_of_the_server(home, public):
    path = home / "home" / "models" / "mine" / "card.json"
    card = json.loads(path.read_text())
    card.pop("self_sha256", None)
    path.write_text(json.dumps(card | {"command": f"klyuch x {home}/secret place/a.txt"}))
    app = open_page(lang="en", shelf_model="mine")
    shown = page_text(app) + "".join(table.value.to_string() for table in app.table)
    shown += "".join(item.value for item in app.json)
    assert "a.txt" in shown
    assert str(home) not in shown


FIELDS = {name for text in messages().values() for _, name, _, _ in Formatter().parse(text) if name}
PLACES = ("path", "source", "target", "first", "second", "mirror")


@pytest.mark.bookkeeping
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_keeps_a_folder_on_a_shared_server(language, public, monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "my home"))
    path = tmp_path / "my home" / "models" / "m" / "card.json"
    fields = dict.fromkeys(FIELDS, "3") | dict.fromkeys(PLACES, path)
    for code in (code for code, text in messages().items() if "{path}" in text):
        error = wording(language).error(FormatError(code, **fields))
        sentence = access.without_folders(error)
        assert "card.json" in sentence
        assert "my home" not in sentence
        assert str(tmp_path) not in sentence


def test_what_an_editor_is_offered_a_reader_is_not_and_its_buttons_do_nothing_for_one(
    home, sign_in
):
    sign_in(EDITOR)
    first = open_page(lang="en", shelf_model="mine")
    assert {"shelf-delete", "shelf-rename"} <= offers(first)
    first.button(key="shelf-delete").click().run()
    sign_in(READER)
    first.button(key="shelf-delete-yes").click().run()
    assert model_names() == ["mine", "other", "ships"]
    assert "not changed" in first.info[0].value
    second = open_page(lang="en", shelf_model="mine")
    assert not offers(second)
    assert plain(SAY("access.visitor", who=READER)) in page_text(second)
    assert SAY("train.looking") in page_text(visits.open_page("train", lang="en"))


@pytest.mark.parametrize(
    ("address", "verified"), [(READER, True), (EDITOR, False), ("", True), (EDITOR + "x", True)]
)
def test_only_a_verified_address_of_the_list_is_an_editor(sign_in, monkeypatch, address, verified):
    sign_in(address, verified=verified)
    assert not access.may_change()
    sign_in(EDITOR.upper())
    assert access.may_change()
    monkeypatch.delenv(access.EDITORS)  # without a list nobody is one
    assert not access.may_change()


def test_nobody_sees_a_page_before_the_sign_in(home, sign_in):
    app = open_page(lang="en", shelf_model="mine")
    assert [button.key for button in app.button if button.key] == ["sign-in"]
    assert "mine" not in page_text(app)


def test_a_person_at_this_machine_may_change_all(home, monkeypatch):
    monkeypatch.delenv(access.PUBLIC, raising=False)
    assert access.may_change()
    assert access.without_folders(f"{home}/a/b.txt") == f"{home}/a/b.txt"
    delete("mine")


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("true", True), ("0", False), ("", False), ("no", False)])  # fmt: skip
def test_the_setting_of_a_public_server_is_read_as_people_write_it(monkeypatch, value, expected):
    monkeypatch.setenv(access.PUBLIC, value)
    assert access.is_public() == expected


def test_the_host_s_procfile_is_public():
    assert "KLYUCH_PUBLIC=1" in (visits.Path(visits.MAIN).parents[1] / "Procfile").read_text()
