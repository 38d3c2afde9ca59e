"""Small models of the three languages, on a shelf of their own."""

import shutil
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from plotly.io import to_json

from app.figures.palette import ink
from app.loaders import shelf_models
from app.widgets import outputs
from embeddings import shelf
from embeddings.vectors.cooccurrence_table import CooccurrenceTable, save_cooccurrence
from embeddings.vectors.formats import build_card, write_native
from embeddings.vectors.table import Vectors
from tests.app.figure_contrast import unreadable
from tests.app.plotly_figures import as_plotly

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


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Folder of the nine small models."""
    home = tmp_path_factory.mktemp("home")
    for language in ROYAL:
        for seed, method in enumerate(METHODS):
            vectors = planted_vectors(language, method, seed)
            settings = {"vector_size": 16, "window": 5, "seed": seed}
            card = build_card(vectors, corpus={"name": "planted"}, settings=settings)
            extra = None
            if method == "glove":
                table = counted_cooccurrences(vectors)
                extra = lambda folder, table=table: save_cooccurrence(table, folder)  # noqa: E731
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
def networks(tiny_bert, small_shelf, monkeypatch):
    """The app with one tiny BERT (2 layers, 3 heads, 64 tokens) beside the small models."""
    small = (shelf.Entry(tiny_bert.name, "network", "bert", "de+en+ru", tiny_bert),)
    monkeypatch.setattr(shelf_models, "networks", lambda: small)
    return small


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
def payload_calls(monkeypatch):
    """What a page gives the attention view, of each run: panels, view state and what else."""
    from app.components import attention_component as component

    calls, payload = [], component.payload

    def record(panels, view_state, heads, **options):
        calls.append((panels, view_state, {**options, "heads": list(heads)}))
        return payload(panels, view_state, heads, **options)

    monkeypatch.setattr(component, "payload", record)
    return calls


@pytest.fixture
def home(networks, models, tmp_path, monkeypatch):
    """A home of one's own, with the small models."""
    folder = tmp_path / "home"
    shutil.copytree(models / "models", folder / "models")
    monkeypatch.setenv("KLYUCH_HOME", str(folder))
    return folder
