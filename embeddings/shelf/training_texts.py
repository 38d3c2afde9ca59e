"""Whether a concordance holds the text that a model was trained on, by the checksums of its files."""

from __future__ import annotations

from embeddings.corpora.concordance import Concordance
from embeddings.errors import InputError
from embeddings.results.context_sentences import OTHER, TRAINED, UNKNOWN
from embeddings.shelf.entries import Entry, read_card


def text_of_concordance(entry: Entry, concordance: Concordance) -> str:
    """Return whether a concordance was built from files that the model was trained on.

    Returns
    -------
    str
        "trained": from such files alone; "other": from files with other names and contents too; "unknown": the card or the concordance
        records no checksums.

    Raises
    ------
    InputError
        If a file of the same name had other contents when the model was trained.
    """
    corpus = read_card(entry).get("corpus")
    files = corpus.get("files") if isinstance(corpus, dict) else None
    if not isinstance(files, dict) or not files or not concordance.checksums:
        return UNKNOWN
    trained = {str(digest) for digest in files.values()}
    others = {name for name, digest in concordance.checksums.items() if digest not in trained}
    if changed := sorted(others & files.keys()):
        raise InputError(
            "concordance_changed", path=concordance.path, name=changed[0], model=entry.name
        )
    return OTHER if others else TRAINED
