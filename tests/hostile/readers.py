"""Readers of files of anybody's, by name: each takes a path and returns what it found, in a few words."""

import os

STATIC = {"epochs": 2, "vector_size": 2}  # settings of the checkpoint that is read
NETWORK = {"vocab_size": 6, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
NETWORK |= {"intermediate_size": 8, "max_position_embeddings": 16}


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
    from embeddings.sources.incoming_files import IncomingFile
    from embeddings.sources.intake import store_texts

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

    repository = look_up_local(HubName("a/net"), path)
    return "none" if repository is None else f"{check_network(repository).parameters} parameters"


def translator(path):
    from embeddings.probing.translator import open_translator

    opened = open_translator(path)
    return f"{opened.tokens('ab ' * 20)} tokens"


def classifier(path):
    from embeddings.probing.label_prediction import open_classifier

    return open_classifier(path / "head", path / "base").name


def wordpiece(path):
    from embeddings.text.wordpiece import WordPiece

    tokens = WordPiece.load(path).encode("ab " * 2000)
    return f"{sum(map(len, tokens.tokens))} characters"


def cooccurrence(path):
    from embeddings.vectors.cooccurrence_table import load_cooccurrence

    return f"{len(load_cooccurrence(path).words)} words"


def contexts(path):
    from embeddings.corpora.sense_contexts import read_contexts

    return f"{len(read_contexts(path))} contexts"


def prepared(path):
    from embeddings.pretraining.prepared_corpus import PreparedCorpus

    return f"{len(PreparedCorpus.open(path).ids)} ids"


def encoded(path):
    from embeddings.corpora.encoded_corpus import EncodedCorpus

    return f"{EncodedCorpus.open(path).count_of('seldom')} times"


def seen(path):
    from embeddings.shelf.entries import Entry, seen_count

    return f"{seen_count(Entry('m', 'static', '', '', path), 'key')} times"


def shelf(path):
    from embeddings import shelf as shelf_of_models
    from embeddings.jobs.job_folder import curve, jobs, log_tail, progress, trouble

    os.environ["KLYUCH_HOME"] = str(path)
    entries = shelf_of_models.list_models()
    for entry in entries:
        shelf_of_models.verify_model(entry)
    damages = shelf_of_models.damaged()
    described = (shelf_of_models.shelf_models(), shelf_of_models.model_scores())
    for job in jobs():
        described += (progress(job), curve(job), log_tail(job), trouble(job))
    return f"{len(entries)} models, {len(damages)} damaged, {str(described)[:0]}{len(jobs())} jobs"


def labelled(path):
    from embeddings.corpora.labelled import read_labelled

    return f"{len(read_labelled(path).texts)} sentences"


def blanks(path):
    from embeddings.corpora.evaluation_sets import read_blanks

    return f"{len(read_blanks(path))} sentences"


def minimal_pairs(path):
    from embeddings.corpora.evaluation_sets import read_minimal_pairs

    return f"{len(read_minimal_pairs(path))} pairs"


def word_in_context(path):
    from embeddings.corpora.evaluation_sets import read_word_in_context

    return f"{len(read_word_in_context(path))} pairs"


def dated(path):
    from embeddings.corpora.dated_texts import column_names, divide_by_year, documents_by_year

    columns = ("date", "documents")
    before, after = documents_by_year(path, 1800, columns, 9)
    undated = divide_by_year(path, 1800, columns).undated
    return f"{len(before)} and {len(after)} of {len(column_names(path))}, {undated} undated"


def analogies(path):
    from embeddings.analysis.evaluation import read_analogies

    return f"{len(read_analogies(path))} sections"


def word_pairs(path):
    from embeddings.analysis.evaluation import read_word_pairs

    return f"{len(read_word_pairs(path))} pairs"


def context_table(path):
    from embeddings.vectors.context_table import load_contexts

    return f"{len(load_contexts(path).words)} words"


def spread(path):
    from embeddings.analysis.stability import cosine_range, neighbour_spreads
    from embeddings.vectors.run_spread import load_spread

    loaded = load_spread(path)
    near = neighbour_spreads(loaded, loaded.words[0]) if len(loaded.neighbours) else ()
    span = cosine_range(loaded, *loaded.words[:2]) if len(loaded.words) > 1 else None
    return f"{len(near)} neighbours, {'no' if span is None else span.runs} runs"


def change_report(path):
    from embeddings.shelf.change_reports import read_report

    report, measured = read_report(path)
    return f"{len(report.changed())} of {measured} words"


def associations(path):
    from embeddings.shelf import find_association_test

    return f"{len(find_association_test(str(path), 'en').words)} lists"


def concordance(path):
    from embeddings.corpora.concordance import Concordance

    return f"{len(Concordance.open(path).find('key', 'en', 5))} sentences"


def static_checkpoint(path):
    from embeddings.static.static_checkpoint import StaticCheckpoint

    loaded = StaticCheckpoint(path, "word2vec", STATIC).load("c", "inputs", "outputs")
    return "none" if loaded is None else f"{len(loaded.losses)} epochs"


def training_checkpoint(path):
    import torch

    from embeddings.networks.bert import new_network
    from embeddings.networks.bert_config import NetworkConfig
    from embeddings.training.checkpoints import TrainingFolder

    network = new_network(NetworkConfig(**NETWORK))
    state = TrainingFolder(path, {"a": 1}).restore(network, torch.optim.AdamW(network.parameters()))
    return f"{state is not None}"


READERS = {
    reader.__name__: reader
    for reader in (
        *(vectors, model, text, network, translator, classifier, wordpiece, cooccurrence, contexts),
        *(prepared, encoded, seen, shelf, labelled, blanks, minimal_pairs, word_in_context, dated),
        *(analogies, word_pairs, context_table, concordance, static_checkpoint),
        *(training_checkpoint, hub_network, spread, change_report, associations),
    )
}


def import_readers():
    """Import what the readers import, so that only what a file takes is counted."""
    import pyarrow.parquet  # noqa: F401
    import torch
    import transformers  # noqa: F401
    from huggingface_hub import ModelCard  # noqa: F401

    import embeddings.analysis.evaluation
    import embeddings.analysis.stability
    import embeddings.corpora.concordance
    import embeddings.corpora.evaluation_sets
    import embeddings.corpora.labelled
    import embeddings.corpora.sense_contexts
    import embeddings.jobs.job_folder
    import embeddings.networks.encoder_decoder
    import embeddings.pretraining.prepared_corpus
    import embeddings.probing.label_prediction
    import embeddings.probing.translator
    import embeddings.shelf
    import embeddings.shelf.hub_models
    import embeddings.sources.intake
    import embeddings.training.checkpoints
    import embeddings.vectors.compiled_loops
    import embeddings.vectors.context_table
    import embeddings.vectors.cooccurrence_table
    import embeddings.vectors.run_spread  # noqa: F401

    torch.set_num_threads(1)
    with torch.device("meta"):
        torch.nn.Linear(1, 1)
