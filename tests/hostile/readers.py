"""Readers of files that a visitor of a server can bring, by name, and of models, which nobody imports where KLYUCH_PUBLIC is 1.

Each takes a path and returns what it found, in a few words.
"""

import os
from pkgutil import resolve_name


def vectors(path):
    from embeddings.vectors.formats import read

    table = read(path)
    composed = table.compose("seldom-seen")  # of its n-grams, where it has them
    return f"{len(table)} words, {'no' if composed is None else len(composed)} numbers"


def model(path):
    from embeddings.shelf import import_model

    return import_model(path).kind


def text(path):
    from embeddings.shelf.locations import home
    from embeddings.sources.pasted_and_uploaded import IncomingFile, store_texts

    encoding = "utf-16" if "utf-16" in path.name else "utf-8"
    with path.open("rb") as file:
        incoming = IncomingFile(path.name, file, path.stat().st_size)
        stored = store_texts([incoming], home() / "corpora", "brought", encoding=encoding)
    return f"{stored.size} bytes"


def network(path):
    from embeddings.probing.network import open_reader

    reader = open_reader(path)
    return f"{len(reader.wordpiece.encode('ab ' * 300).ids)} tokens"


def hub_network(path):
    from embeddings.shelf.hub_models import check_network
    from embeddings.sources.hub import HubName, look_up_local

    found = look_up_local(HubName("a/net"), path)
    return "none" if found is None else f"{check_network(*found).parameters} parameters"


def wordpiece(path):
    from embeddings.text.tokenizer import Tokenizer

    tokens = Tokenizer.load(path).encode("ab " * 2000)
    return f"{sum(map(len, tokens.tokens))} characters"


def shelf(path):
    from embeddings import shelf as shelf_of_models

    os.environ["KLYUCH_HOME"] = str(path)
    entries = shelf_of_models.list_models()
    for entry in entries:
        shelf_of_models.verify_model(entry)
    damages = shelf_of_models.damaged()
    described = (shelf_of_models.shelf_models(), shelf_of_models.model_scores())
    return f"{len(entries)} models, {len(damages)} damaged{str(described)[:0]}"


def dated(path):
    from embeddings.corpora.dated_texts import column_names, divide_by_year

    divided = divide_by_year(path, 1800, ("date", "documents"))
    return f"{len(divided.before)} and {len(divided.after)} of {len(column_names(path))}"


def associations(path):
    from embeddings.shelf import find_association_test

    return f"{len(find_association_test(str(path), 'en').words)} lists"


LISTS = {  # whose readers return something that has a length
    "contexts": "embeddings.corpora.sense_contexts.read_contexts",
    "labelled": "embeddings.corpora.labelled.read_labelled",
    "blanks": "embeddings.corpora.evaluation_sets.read_blanks",
    "minimal_pairs": "embeddings.corpora.evaluation_sets.read_minimal_pairs",
    "word_in_context": "embeddings.corpora.evaluation_sets.read_word_in_context",
    "analogies": "embeddings.analysis.evaluation.read_analogies",
    "word_pairs": "embeddings.analysis.evaluation.read_word_pairs",
}
READERS = {
    reader.__name__: reader
    for reader in (
        vectors,
        model,
        text,
        network,
        hub_network,
        wordpiece,
        shelf,
        dated,
        associations,
    )
} | {
    name: lambda path, reader=reader: f"{len(resolve_name(reader)(path))} entries"
    for name, reader in LISTS.items()
}


def import_readers():
    """Import what the readers import, so that only what a file takes is counted."""
    import pyarrow.parquet  # noqa: F401
    import torch
    import transformers  # noqa: F401
    from huggingface_hub import ModelCard  # noqa: F401

    import embeddings.analysis.evaluation
    import embeddings.corpora.evaluation_sets
    import embeddings.corpora.labelled
    import embeddings.corpora.sense_contexts
    import embeddings.shelf
    import embeddings.shelf.hub_models
    import embeddings.sources.pasted_and_uploaded
    import embeddings.vectors.compiled_loops  # noqa: F401

    torch.set_num_threads(1)
    with torch.device("meta"):
        torch.nn.Linear(1, 1)
