"""Models imported by a path on this machine and by an address; on a server for others neither is asked for."""

import pytest

from app import access
from app.wording import wording
from embeddings.errors import InputError
from embeddings.shelf.hub_models import import_from_address
from tests.app.shelf.visits import SAY, TEXT, model_names, open_page
from tests.app.visits import page_text


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    return tmp_path


def test_a_file_on_this_machine_is_imported_by_its_path(home):
    path = home / "mine.vec"
    path.write_bytes(TEXT)
    app = open_page(lang="en", shelf_part="bring")
    app.text_input(key="shelf_import_place").set_value(str(path))
    app.button(key="shelf-import").click().run()
    assert "mine" in model_names()
    assert path.exists()


def test_a_file_at_an_address_is_imported(home, served):
    (served.folder / "tiny vectors.txt").write_bytes(TEXT)
    app = open_page(lang="en", shelf_part="bring")
    app.text_input(key="shelf_import_place").set_value(f"{served.address}/tiny%20vectors.txt")
    app.text_input(key="shelf_import_name").set_value("fetched")
    app.button(key="shelf-import").click().run()
    assert "fetched" in model_names()
    app.button(key="shelf-look").click().run()
    assert app.selectbox(key="shelf_model").value == "fetched"


def test_what_an_address_does_not_have_is_a_sentence(home, served):
    app = open_page(lang="en", shelf_part="bring")
    app.text_input(key="shelf_import_place").set_value(f"{served.address}/none.vec")
    app.button(key="shelf-import").click().run()
    assert "answers with the error 404" in page_text(app)
    assert "embeddings.shelf.hub_models.import_from_address(" in page_text(app)


@pytest.mark.parametrize(
    ("place", "sentence"),
    [("", SAY("shelf_bring.nothing")), ("/no/such/file.vec", "does not exist")],
)
def test_nothing_and_what_is_not_there_are_sentences(home, place, sentence):
    app = open_page(lang="en", shelf_part="bring")
    app.text_input(key="shelf_import_place").set_value(place)
    app.button(key="shelf-import").click().run()
    assert sentence in page_text(app)


@pytest.mark.parametrize(
    "address", ["ftp://a/b", "http://", "https://example.org/", "file:///etc/passwd"]
)
def test_what_is_no_address_of_a_file_is_refused(home, address):
    with pytest.raises(InputError):
        import_from_address(address)


def test_on_a_server_for_others_no_path_is_asked_for(home, monkeypatch):
    monkeypatch.setattr(access, "is_shared", lambda: True)
    app = open_page(lang="en", shelf_part="bring")
    assert not [field for field in app.text_input if field.key == "shelf_import_place"]
    assert wording("en")("shelf_bring.start") in [button.label for button in app.button]
