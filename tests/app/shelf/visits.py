"""The page Shelf as a link opens it, its text, and uploads of models."""

from functools import partial

from app.wording import wording
from embeddings import shelf
from tests.app import visits

PARTS = ("models", "bring", "scores", "corpora")
SAY = wording("en")
TEXT = b"2 2\na 1 0\nb 0 2\n"
open_page = partial(visits.open_page, "shelf")


def model_names():
    return [entry.name for entry in shelf.list_models()]


def upload_models(app, *files, name="", **choices):
    app.file_uploader(key="shelf_files").set_value([(n, c, "") for n, c in files]).run()
    for key, value in choices.items():
        app.segmented_control(key=key).set_value(value)
    if name:
        app.text_input(key="shelf_import_name").set_value(name)
    app.button(key="shelf-import").click().run()
    return app
