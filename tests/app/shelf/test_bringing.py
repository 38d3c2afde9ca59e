"""Files that are brought to the shelf, and those that cannot be."""

import numpy as np

from embeddings import Vectors, shelf
from embeddings.vectors.formats import write
from tests.app.shelf.visits import TEXT, model_names, open_page, upload_models


def test_an_upload_comes_on_the_shelf_and_can_be_looked_at(home):
    app = upload_models(
        open_page(lang="en", shelf_part="bring"),
        ("v.vec", TEXT),
        shelf_import_language="de",
        shelf_import_method="glove",
    )
    entry = shelf.find("v")
    assert (entry.language, entry.method) == ("de", "glove")
    assert shelf.read_card(entry)["origin"]["source"] == "v.vec"
    app.button(key="shelf-look").click().run()
    assert app.selectbox(key="shelf_model").value == "v"


def test_several_files_of_one_model_are_imported_together(home, tmp_path):
    write(Vectors(["a", "b"], np.eye(2, dtype=np.float32)), tmp_path / "x.npy")
    files = [(name, (tmp_path / name).read_bytes()) for name in ("x.npy", "x.txt")]
    upload_models(open_page(lang="en", shelf_part="bring"), *files, name="array")
    assert shelf.load_vectors("array").words == ("a", "b")


NO_MODELS = (
    ("w.model", b"\x80\x04\x95" + b"\0" * 40),
    ("cc.bin", b"\xba\x16\x4f\x2f" + b"\0" * 40),
    ("v.txt", b"2 2\na 1 0\nb x 2\n"),
    ("v.txt", "schön 1 2\nb 3 4\n".encode("latin-1")),
    ("v.zip", b"PK\x03\x04 no zip"),
    ("v.txt", b""),
)


def test_what_cannot_be_imported_is_a_sentence_without_paths(home):
    app = open_page(lang="ru", shelf_part="bring")
    for file in NO_MODELS:
        upload_models(app, file)
        assert len(app.info) == 1
        assert "klyuch-upload" not in app.info[0].value
        assert "/tmp" not in app.info[0].value
    upload_models(app, ("v.vec", TEXT), name="mine")
    assert "mine-2" in app.info[0].value  # the name is taken, that one is free
    assert model_names() == ["mine", "other", "ships"]
