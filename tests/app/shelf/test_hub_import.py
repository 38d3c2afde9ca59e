"""Networks of the Hugging Face Hub on the Shelf: looked up, described with their size, downloaded when that is confirmed."""

import pytest

from app import access
from tests.app.shelf.visits import model_names, open_page
from tests.app.visits import page_text
from tests.shelf.hub_networks import NAME, tiny_files
from tests.shelf.hub_server import COMMIT, running


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A Hub with one network, and an empty shelf."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    with running(monkeypatch, {NAME: tiny_files(tmp_path / "tiny")}) as state:
        yield state


def look_up(name, **choices):
    return look_up_in(open_page(shelf_part="bring", **choices), name)


def look_up_in(app, name):
    app.text_input(key="shelf_hub_name").set_value(name)
    app.button(key="shelf-hub-look-up").click().run()
    return app


def test_a_network_is_described_with_its_size_and_comes_when_that_is_confirmed(hub):
    app = look_up(f"hf:{NAME}", lang="en")
    table = "\n".join(str(item.value) for item in app.markdown) + str([t.value for t in app.table])
    for fact in (COMMIT, "mit", "Russian, English", "2 × 8", "model.safetensors"):
        assert fact in table
    assert "tiny-bert" not in model_names()
    download = app.button(key="shelf-hub-download")
    assert "kB)" in download.label
    download.click().run()
    assert "tiny-bert" in model_names()
    assert "“tiny-bert” is on the shelf" in page_text(app)


def test_what_the_hub_does_not_have_is_a_sentence_and_languages_are_named_in_that_of_the_screen(
    hub,
):
    app = look_up("someone/none", lang="ru")
    assert "someone/none" in page_text(app)
    assert "shelf-hub-download" not in [button.key for button in app.button]
    look_up_in(app, NAME)
    table = "\n".join(str(item.value) for item in app.markdown) + str([t.value for t in app.table])
    assert "русский, английский" in table


def test_a_suggestion_fills_the_field(hub):
    app = open_page(lang="en", shelf_part="bring")
    options = app.selectbox(key="shelf_hub_suggested").options
    assert len(options) == 14
    assert "cointegrated/rubert-tiny2 · Russian · BERT · 3 × 312" in options
    app.selectbox(key="shelf_hub_suggested").set_value("cointegrated/rubert-tiny2").run()
    assert app.text_input(key="shelf_hub_name").value == "cointegrated/rubert-tiny2"


def test_on_a_public_server_nothing_is_fetched(hub, monkeypatch):
    app = look_up(NAME, lang="en")
    monkeypatch.setenv(access.PUBLIC, "1")
    app.button(key="shelf-hub-download").click().run()
    assert "shelf-hub-download" not in [button.key for button in app.button]
    assert "tiny-bert" not in model_names()


def test_a_server_for_others_sends_no_token_of_its_owner(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret_of_the_owner")
    monkeypatch.setattr(access, "is_shared", lambda: True)
    look_up(NAME, lang="en")
    assert {request[3] for request in hub.requests} == {None}
