"""The shelf: what ships in ``data``, the user's own models and corpora under ``KLYUCH_HOME``.

A model is a folder with a ``card.json``. Nothing is written into ``data/``. An own model stands
before a shipped one of the same name.
"""

from embeddings.shelf.association_sets import association_tests, find_association_test
from embeddings.shelf.card_checks import damaged, verify_model
from embeddings.shelf.change_reports import change_report
from embeddings.shelf.companions import model_scores, shelf_models
from embeddings.shelf.entries import Entry, find, list_models, load_vectors, read_card, seen_count
from embeddings.shelf.exporting import export_formats, export_model, folder_size
from embeddings.shelf.hub_models import import_from_address
from embeddings.shelf.importing import About, import_model
from embeddings.shelf.loading import (
    contexts_entry,
    find_spread,
    open_concordance,
    open_contexts,
    open_model,
    open_spread,
    run_overlap,
    score_ranges,
)
from embeddings.shelf.locations import data, home
from embeddings.shelf.neighbour_indexes import (
    build_index,
    open_index,
)
from embeddings.shelf.own_corpora import (
    corpora,
    corpus_names,
    delete_corpus,
    find_corpus,
)
from embeddings.shelf.own_models import (
    add_model,
    check_name,
    delete,
    free_name,
    is_own,
    own_folder,
    rename,
)
