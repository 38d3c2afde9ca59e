"""The shelf of models: what ships in ``data/models``, the user's own in ``KLYUCH_HOME/models``.

A model is a folder with a ``card.json``. Nothing is written into ``data/``. An own model stands
before a shipped one of the same name.
"""

from embeddings.library.entries import Entry, find, load_vectors, read_card, shelf
from embeddings.library.manage import check_name, delete, free_name, is_own, place, rename
from embeddings.library.places import data, home
from embeddings.library.seen import seen_count

__all__ = [
    "Entry",
    "check_name",
    "data",
    "delete",
    "find",
    "free_name",
    "home",
    "is_own",
    "load_vectors",
    "place",
    "read_card",
    "rename",
    "seen_count",
    "shelf",
]
