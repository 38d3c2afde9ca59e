"""Each format of a model: what opens it, and when it cannot be had."""

import io
import zipfile

import numpy as np
import pytest

from app.views.shelf import model_table
from app.wording import wording
from embeddings import Vectors, shelf
from embeddings.vectors.formats import read, write_native
from tests.app.shelf.visits import open_page, page_text


@pytest.mark.parametrize("format", shelf.exporting.STATIC)
def test_each_format_is_built_and_named(home, tmp_path, format):
    entry = shelf.find("ships")
    name, data = model_table.export_filename(entry, format), model_table.build_export(entry, format)
    path = tmp_path / "got" / name
    path.parent.mkdir()
    path.write_bytes(data)
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert {inner.split("/")[0] for inner in archive.namelist()} == {"ships"}
        if format == "tables":
            return
        assert shelf.load_vectors(shelf.import_model(path).name).words[0] == "word0"
    else:
        assert read(path).words[0] == "word0"


@pytest.mark.parametrize("format", shelf.exporting.STATIC)
def test_each_format_says_what_opens_it_and_offers_the_file(home, format):
    app = open_page(lang="de", shelf_model="ships", shelf_format=format)
    assert wording("de")(f"shelf_format.{format.replace('-', '_')}_opens") in page_text(app)
    assert [button.key for button in app.get("download_button")].count("shelf-export") == 1


def test_a_word_that_a_format_cannot_hold_is_said_beforehand(home):
    table = Vectors(["ice cream", "b"], np.eye(2, dtype=np.float32))
    write_native(table, home / "home" / "models" / "spaced")
    app = open_page(lang="en", shelf_model="spaced", shelf_format="glove")
    assert "ice cream" in app.info[0].value
    assert "shelf-export" not in {button.key for button in app.get("download_button")}


def test_a_large_export_goes_by_the_command_line_and_its_size_is_said(home, monkeypatch):
    monkeypatch.setattr(model_table, "MAX_EXPORT", 100)
    app = open_page(lang="en", shelf_model="ships", shelf_format="parquet")
    assert "kB" in app.info[0].value
    assert "klyuch models export ships ships.parquet --format parquet" in page_text(app)
