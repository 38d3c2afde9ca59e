"""Models imported by a path on this machine and by an address; on a server for others neither is asked for."""

import pytest

from app import access
from app.wording import wording
from embeddings.errors import InputError
from embeddings.shelf.hub_models import import_from_address
from tests.app.shelf.visits import SAY, TEXT, model_names, open_page
from tests.app.visits import page_text


def import_place(app, place, name=""):
    app.text_input(key="shelf_import_place").set_value(place)
    app.text_input(key="shelf_import_name").set_value(name)
    app.button(key="shelf-import").click().run()
    return page_text(app)


def test_files_on_this_machine_and_at_an_address_are_imported_and_what_is_not_there_is_a_sentence(
    own_home, served
):
    (own_home / "mine.vec").write_bytes(TEXT)
    (served.folder / "tiny vectors.txt").write_bytes(TEXT)
    app = open_page(lang="en", shelf_part="bring")
    assert SAY("shelf_bring.nothing") in import_place(app, "")
    assert "does not exist" in import_place(app, "/no/such/file.vec")
    text = import_place(app, f"{served.address}/none.vec")
    assert "answers with the error 404" in text
    assert "shelf.import_from_address(" in text
    import_place(app, str(own_home / "mine.vec"))
    assert "mine" in model_names()
    assert (own_home / "mine.vec").exists()
    import_place(app, f"{served.address}/tiny%20vectors.txt", "fetched")
    assert "fetched" in model_names()
    app.button(key="shelf-look").click().run()
    assert app.selectbox(key="shelf_model").value == "fetched"


@pytest.mark.parametrize(
    "address", ["ftp://a/b", "http://", "https://example.org/", "file:///etc/passwd"]
)
def test_what_is_no_address_of_a_file_is_refused(own_home, address):
    with pytest.raises(InputError):
        import_from_address(address)


def test_on_a_server_for_others_no_path_is_asked_for(own_home, monkeypatch):
    monkeypatch.setattr(access, "is_shared", lambda: True)
    app = open_page(lang="en", shelf_part="bring")
    assert not [field for field in app.text_input if field.key == "shelf_import_place"]
    assert wording("en")("shelf_bring.start") in [button.label for button in app.button]
