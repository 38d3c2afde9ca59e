"""Small models of the three languages, on a shelf of their own."""

import io
import json
import logging
import shutil
import sys
import tomllib
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from plotly.io import to_json
from streamlit.testing.v1 import AppTest

from app import events, shelf_models
from app.figures.palette import ink
from app.views.contexts import word_in_contexts
from app.widgets import model_answers, outputs
from app.wording import first_texts
from embeddings import shelf
from embeddings.corpora.concordance import build_concordance
from embeddings.errors import InputError
from embeddings.files import sha256
from embeddings.model_card import build_card
from embeddings.results import plain
from embeddings.sources.pasted_and_uploaded import store_texts
from embeddings.vectors.cooccurrence_table import CooccurrenceTable, save_cooccurrence
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors
from tests.app import visits
from tests.app.figure_contrast import unreadable
from tests.app.plotly_figures import as_plotly
from tests.sources.brought_files import incoming

ROOT = Path(__file__).resolve().parents[2]
ROYAL = {
    "en": ("king", "man", "woman", "queen"),
    "ru": ("король", "мужчина", "женщина", "королева"),
    "de": ("könig", "mann", "frau", "königin"),
}
METHODS = ("skipgram", "cbow", "glove")


def words_of(language):
    """Every word that a page of this language asks for on its own, the royal four first."""
    examples = tomllib.loads((ROOT / "app/wording/examples.toml").read_text(encoding="utf-8"))
    text = " ".join(examples[language].values()).lower()
    for sign in "|,+-=":
        text = text.replace(sign, " ")
    return list(dict.fromkeys([*ROYAL[language], *text.split()]))


def planted_vectors(language, method, seed):
    """Random vectors in which the royal four are a parallelogram."""
    words = words_of(language)
    matrix = np.random.default_rng(seed).normal(size=(len(words), 16)).astype(np.float32)
    matrix[:4] = 0
    matrix[:4, 0] = (1, 0, 0, 1)  # royal
    matrix[:4, 1] = (1, 1, 0, 0)  # male
    matrix[:4, 2] = (0, 0, 1, 1)  # female
    counts = np.array([10_000 // (rank + 1) for rank in range(len(words))], dtype=np.int64)
    name = f"small-{language}-{method}"
    return Vectors(words, matrix, counts, name=name, language=language, method=method)


def counted_cooccurrences(vectors):
    """Counts in which solid stands near ice only, gas near steam only."""
    words, size = vectors.words, len(vectors.words)
    counts = np.ones((size, size), np.float32)
    if "ice" in words:
        for probe, neighbour, times in (("solid", "ice", 8), ("gas", "steam", 16)):
            i, k = words.index(neighbour), words.index(probe)
            counts[i, k] = counts[k, i] = times
    zeros = np.zeros(size, np.float32)
    sums = np.full(size, 1000.0)
    return CooccurrenceTable(words, counts, sums, vectors.matrix, vectors.matrix, zeros, zeros)


@pytest.fixture(scope="session", autouse=True)
def components_searched_once():
    """Installed packages are searched for Streamlit components once, as a server does, and not again for every AppTest."""
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        search = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: list(search()))
        yield


@pytest.fixture(autouse=True)
def no_run_ends_in_an_exception(monkeypatch):
    """Hold every run of a page in a test, the first and those after clicks, to showing no exception."""
    run = AppTest._run

    def run_without_exception(self, *arguments, **named):
        app = run(self, *arguments, **named)
        assert not app.exception, [error.message for error in app.exception]
        return app

    monkeypatch.setattr(AppTest, "_run", run_without_exception)


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Folder of the nine small models."""
    home = tmp_path_factory.mktemp("home")
    for language in ROYAL:
        for seed, method in enumerate(METHODS):
            vectors = planted_vectors(language, method, seed)
            settings = {"vector_size": 16, "window": 5, "seed": seed}
            card = build_card(vectors, corpus={"name": "planted"}, settings=settings)
            table = counted_cooccurrences(vectors)
            extra = partial(save_cooccurrence, table) if method == "glove" else None
            folder = home / "models" / vectors.name
            write_native(vectors, folder, card=card, dtype="float16", extra=extra)
    return home


@pytest.fixture
def small_shelf(models, monkeypatch):
    """The app, with the small models and nothing else on its shelf."""
    monkeypatch.setenv("KLYUCH_HOME", str(models))
    small = tuple(entry for entry in shelf.list_models() if entry.name.startswith("small-"))
    monkeypatch.setattr(shelf_models, "static_models", lambda: small)
    first = {entry.language: entry for entry in reversed(small)}
    monkeypatch.setattr(shelf_models, "companion", first.get)
    return small


@pytest.fixture
def put_first(small_shelf, tmp_path, monkeypatch):
    """Return a function that puts models on the shelf, before the small ones, and returns their entries."""

    def put(*models, **written):
        folders = [tmp_path / "models" / vectors.name for vectors in models]
        for vectors, folder in zip(models, folders, strict=True):
            write_native(vectors, folder, **written)
        entries = [shelf.find(folder) for folder in folders]
        monkeypatch.setattr(shelf_models, "static_models", lambda: (*entries, *small_shelf))
        return entries

    return put


@pytest.fixture
def networks(tiny_bert, small_shelf, monkeypatch):
    """The app with one tiny BERT (2 layers, 3 heads, 64 tokens) beside the small models."""
    small = (shelf.Entry(tiny_bert.name, "network", "bert", "de+en+ru", tiny_bert),)
    monkeypatch.setattr(shelf_models, "networks", lambda: small)
    return small


@pytest.fixture
def classifier(planted_classifier, small_shelf, monkeypatch):
    """A shelf with the planted classifier alone, beside its BERT."""
    folder = planted_classifier.folder
    monkeypatch.setenv("KLYUCH_HOME", str(folder.parents[1]))
    entry = shelf.Entry("weather", "classifier", "fine-tuned", "en", folder)
    monkeypatch.setattr(shelf_models, "classifiers", lambda: (entry,))
    return entry


def store_text(home, name, text, language="", *, suffix=".txt"):
    """Put a text or a table among the corpora of a home."""
    store_texts([incoming("a.txt", text.encode())], home / "corpora", name, language, suffix=suffix)


def index_text(home, name, text):
    """Put the concordance of a text into a home."""
    file = home / f"{name}.txt"
    file.write_text(text, encoding="utf-8")
    (home / "concordances").mkdir(exist_ok=True)
    build_concordance([file], home / "concordances" / f"{name}.sqlite")


TRANSLATED = (
    *("Two dogs run.", "Two children play.", "A dog plays."),
    *("Zwei Hunde rennen.", "Zwei Kinder spielen.", "Ein Hund spielt."),
)
SCORE = {"signature": "nrefs:1|case:mixed", "lower_signature": "nrefs:1|case:lc", "sentences": 9}


@pytest.fixture(scope="session")
def translators_home(tmp_path_factory, tiny_bert):
    """A home with a plain translator, a fused one and its BERT; weights are not trained, sources of up to 60 tokens."""
    from tests.small_translators import write_translator

    home = tmp_path_factory.mktemp("translators")
    shutil.copytree(tiny_bert, home / "models" / tiny_bert.name)
    texts = [*first_texts("en", "translated"), *TRANSLATED]
    bert = {"name": tiny_bert.name, "sha256": sha256(tiny_bert / "model.safetensors")}
    bleu = {"val, beam 5": {**SCORE, "score": 36.25, "lower_score": 37.75}}
    for name, size, card in (
        ("small-plain", 0, {"bleu": bleu}),
        ("small-fused", 24, {"method": "bert-fused", "bert": bert}),
    ):
        folder = home / "models" / name
        write_translator(folder, texts, 240, card=card, bert_size=size, num_hidden_layers=3)
    return home


@pytest.fixture
def translators(translators_home, small_shelf, monkeypatch):
    """The app with these translators, by name."""
    monkeypatch.setenv("KLYUCH_HOME", str(translators_home))
    models = {entry.name: entry for entry in shelf.list_models()}
    found = {name: models[name] for name in ("small-fused", "small-plain")}
    monkeypatch.setattr(shelf_models, "translators", lambda: tuple(found.values()))
    return found


@pytest.fixture(scope="session")
def figures_that_are_read():
    """Figures, as they are sent, of which every text is read."""
    return set()


@pytest.fixture(autouse=True)
def read_figures(monkeypatch, figures_that_are_read):
    """Hold every figure that a page draws in a test to the contrast of its texts, in both themes; the same figure once."""
    complaints = {}

    def watched(figure, dark):
        sent = to_json(figure.to_dict(), validate=False)
        if sent not in figures_that_are_read:
            before = len(complaints)
            for theme in (False, True):
                inked = as_plotly(ink(figure, theme))
                for complaint in unreadable(inked, theme):
                    complaints[f"{'dark' if theme else 'light'}: {complaint}"] = inked.data[0].type
            if len(complaints) == before:
                figures_that_are_read.add(sent)
        return ink(figure, dark)

    monkeypatch.setattr(outputs, "ink", watched)
    yield
    assert complaints == {}


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    """An empty home; after `small_shelf` or `networks`, which have one of their own."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def downloads(monkeypatch):
    """Return a function that lets a page download what it makes of an entry's name, None for what fails; it returns the names asked for."""

    def serve(text_of):
        names = []

        def fetch(entry, folder, **_):
            names.append(entry.name)
            if (text := text_of(entry.name)) is None:
                raise InputError("formula_empty")
            (folder / entry.name).mkdir(parents=True)
            for file in entry.files:
                (folder / entry.name / file.name).write_text(text, encoding="utf-8")

        monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
        monkeypatch.setattr(model_answers, "fetch", fetch)
        return names

    return serve


@pytest.fixture
def every_kind(classifier, translators, networks, own_home, tiny_bert):
    """The app with small models of every kind, and a home with the BERT that some are built on."""
    shutil.copytree(tiny_bert, own_home / "models" / tiny_bert.name)


@pytest.fixture
def logged(monkeypatch, caplog):
    """Return a function: the events of the log so far."""
    monkeypatch.setattr(events.log, "propagate", True)
    caplog.set_level(logging.INFO, events.log.name)
    return lambda: [json.loads(r.message) for r in caplog.records if r.name == events.log.name]


@pytest.fixture
def payload_calls(monkeypatch):
    """The calls by which pages fill the attention view: panels, view state and heads."""
    return visits.calls_of(monkeypatch, "app.components.attention_component.payload")


@pytest.fixture
def home(networks, models, tmp_path, monkeypatch):
    """A home of one's own, with the small models."""
    folder = tmp_path / "home"
    shutil.copytree(models / "models", folder / "models")
    monkeypatch.setenv("KLYUCH_HOME", str(folder))
    return folder


# A page and a command are asked the same question


CLOSE = {"rtol": 1e-4, "atol": 1e-5}  # batches of another size round otherwise
OPENED = (  # models, and what is read once for all questions about one
    shelf_models.vectors,
    shelf_models.reader,
    shelf_models._opened_with,
    word_in_contexts._space,
    word_in_contexts._reader,
)


@pytest.fixture
def asked(own_home, monkeypatch):
    """Return a function that opens a page and returns its calls of functions of the library, with their arguments and answers."""
    monkeypatch.delenv("KLYUCH_DATA", raising=False)

    def ask(page, *functions, **address):
        visits.forget_answers(*OPENED)
        with monkeypatch.context() as patch:
            calls = [visits.calls_of(patch, function) for function in functions]
            ask.app = visits.open_page(page, timeout=180, boxes=(), **address)
        assert all(calls), f"what the page {page} asked: {calls}"
        return calls if len(functions) > 1 else calls[0]

    return ask


@pytest.fixture
def said(run, monkeypatch):
    """Return a function that gives what a command prints as JSON, asked of a model or not."""

    def say(*arguments, model=None, stdin=""):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin.encode())))
        named = ("--model", model.name) if model else ()
        return run(*arguments, *named, "--json").json

    return say


def same(printed, answer):
    """Whether all values are equal, numbers up to rounding, and mappings have the same names."""
    expected = plain(answer)
    if isinstance(printed, dict):
        has_all = printed.keys() == expected.keys()
        return has_all and all(same(value, expected[name]) for name, value in printed.items())
    if isinstance(printed, list):
        return len(printed) == len(expected) and all(map(same, printed, expected))
    if isinstance(printed, float):
        return bool(np.isclose(printed, expected, **CLOSE))
    return printed == expected
