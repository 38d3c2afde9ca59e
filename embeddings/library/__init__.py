"""The shelf: what ships in ``data``, the user's own models and corpora under ``KLYUCH_HOME``.

A model is a folder with a ``card.json``. Nothing is written into ``data/``. An own model stands
before a shipped one of the same name.
"""

from embeddings.library.corpora import corpora, count_text, delete_corpus, find_corpus
from embeddings.library.entries import Entry, find, list_models, load_vectors, read_card
from embeddings.library.exporting import export_formats, export_model, export_size, folder_size
from embeddings.library.importing import About, import_model
from embeddings.library.manage import (
    check_name,
    delete,
    free_name,
    is_own,
    own_folder,
    place,
    rename,
)
from embeddings.library.places import data, home
from embeddings.library.seen import seen_count
from embeddings.library.states import damaged, model_scores, shelf_models, verify_model

__all__ = [
    "About",
    "Entry",
    "check_name",
    "corpora",
    "count_text",
    "damaged",
    "data",
    "delete",
    "delete_corpus",
    "export_formats",
    "export_model",
    "export_size",
    "find",
    "find_corpus",
    "folder_size",
    "free_name",
    "home",
    "import_model",
    "is_own",
    "list_models",
    "load_vectors",
    "model_scores",
    "own_folder",
    "place",
    "read_card",
    "rename",
    "seen_count",
    "shelf_models",
    "verify_model",
]
