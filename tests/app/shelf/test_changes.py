"""An own model gets another name or goes, and is asked about twice."""

import io
import zipfile

import numpy as np
import pytest

from app.views.shelf import shelf_tables
from app.wording import wording
from embeddings import Vectors, shelf
from embeddings.vectors.formats import read, write_native
from tests.app.shelf.visits import SAY, model_names, open_page
from tests.app.visits import page_text


def test_an_own_model_gets_another_name_and_stays_in_view(home):
    app = open_page(lang="en", shelf_model="mine")

    def rename(name):
        app.text_input(key="shelf_new_name").set_value(name)
        app.button(key="shelf-rename").click().run()

    for name in ("ships", "", "../x", "a b"):  # taken, or no name
        rename(name)
        assert len(app.info) == 1
        assert model_names() == ["mine", "other", "ships"]
    rename("yours")
    assert "yours" in app.success[0].value
    assert model_names() == ["other", "ships", "yours"]
    assert app.selectbox(key="shelf_model").value == "yours"


def test_deleting_asks_twice(home):
    app = open_page(lang="en", shelf_model="mine")
    app.button(key="shelf-delete").click().run()
    assert model_names() == ["mine", "other", "ships"]
    app.button(key="shelf-delete-no").click().run()
    app.button(key="shelf-delete").click().run()
    app.button(key="shelf-delete-yes").click().run()
    assert model_names() == ["other", "ships"]
    assert "mine" in app.success[0].value
    assert app.selectbox(key="shelf_model").value == "other"
    app.selectbox(key="shelf_model").set_value("ships").run()  # one that ships offers neither
    assert SAY("shelf_change.shipped") in page_text(app)
    assert not {button.key for button in app.button} & {"shelf-delete", "shelf-rename"}


def test_of_two_windows_that_delete_a_model_the_second_gets_a_sentence(home):
    first, second = (open_page(lang="de", shelf_model="mine") for _ in range(2))
    for app in (first, second):
        app.button(key="shelf-delete").click().run()
    first.button(key="shelf-delete-yes").click().run()
    second.button(key="shelf-delete-yes").click().run()
    assert "mine" in second.info[0].value
    assert model_names() == ["other", "ships"]


def test_a_damaged_folder_is_named_and_can_be_deleted(home):
    (home / "home" / "models" / "broken").mkdir()
    (home / "home" / "models" / "broken" / "card.json").write_text("{")
    app = open_page(lang="en")
    assert "broken" in app.warning[0].value
    app.button(key="shelf-damaged-broken").click().run()
    app.button(key="shelf-damaged-broken-yes").click().run()
    assert not (home / "home" / "models" / "broken").exists()
    assert not app.warning


# Each format of a model: what opens it, and when it cannot be had


@pytest.mark.parametrize("format", shelf.exporting.STATIC)
def test_each_format_is_built_and_named(home, tmp_path, format):
    entry = shelf.find("ships")
    name = shelf_tables.export_filename(entry, format)
    data = shelf_tables.build_export(entry, format)
    path = tmp_path / "got" / name
    path.parent.mkdir()
    path.write_bytes(data)
    if not name.endswith(".zip"):
        assert read(path).words[0] == "word0"
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {inner.split("/")[0] for inner in archive.namelist()} == {"ships"}
    if format != "tables":
        assert shelf.load_vectors(shelf.import_model(path).name).words[0] == "word0"


def test_each_format_says_what_opens_it_and_offers_the_file_unless_it_is_large(home, monkeypatch):
    app = open_page(lang="de", shelf_model="ships")
    for format in shelf.exporting.STATIC:
        app.selectbox(key="shelf_format").set_value(format).run()
        assert wording("de")(f"shelf_format.{format.replace('-', '_')}_opens") in page_text(app)
        assert [button.key for button in app.get("download_button")].count("shelf-export") == 1
    monkeypatch.setattr(shelf_tables, "MAX_EXPORT", 100)
    app.selectbox(key="shelf_format").set_value("parquet").run()
    assert "kB" in app.info[0].value
    assert "klyuch models export ships ships.parquet --format parquet" in page_text(app)


def test_a_word_that_a_format_cannot_hold_is_said_beforehand(home):
    table = Vectors(["ice cream", "b"], np.eye(2, dtype=np.float32))
    write_native(table, home / "home" / "models" / "spaced")
    app = open_page(lang="en", shelf_model="spaced", shelf_format="glove")
    assert "ice cream" in app.info[0].value
    assert "shelf-export" not in {button.key for button in app.get("download_button")}
