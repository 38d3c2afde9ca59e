"""One cache rule: a model that is replaced, renamed or updated while the server runs is seen at once.

A page is opened, the model behind it changes, and the same session is run again: it must show what
a session on a shelf that never had the old model shows.
"""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from app import shelf_models
from embeddings import shelf
from embeddings.files import sha256, write_json
from embeddings.model_card import build_card
from embeddings.shelf.own_models import add_model
from embeddings.vectors.cooccurrence_table import save_cooccurrence
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors
from tests.app import visits
from tests.app.conftest import ROOT, counted_cooccurrences, words_of
from tests.small_translators import write_translator

SENTENCE = "the dog walks over the snow"
NAME = "mine"
PAIRS = ("Two dogs run.", "Zwei Hunde laufen.", "A man walks over the snow.", "Ein Mann im Schnee.")


def write_static(folder, seed):
    """Vectors of the planted words with counts; another seed, other vectors and counts."""
    words = words_of("en")
    matrix = np.random.default_rng(seed).normal(size=(len(words), 16)).astype(np.float32)
    counts = np.arange(len(words), 0, -1) + seed
    vectors = Vectors(words, matrix, counts, language="en", method="glove")
    table = counted_cooccurrences(vectors)
    card = build_card(vectors, corpus={"name": f"corpus {seed}"}, settings={"seed": seed})
    write_native(vectors, folder, card=card, extra=lambda new: save_cooccurrence(table, new))


def rewrite_card(folder, **changes):
    """Write the card anew, with the checksums of the files as they are."""
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    files = {file.name: sha256(file) for file in folder.iterdir() if file.name != "card.json"}
    write_json(folder / "card.json", {**card, **changes, "files": files})


@pytest.fixture(scope="session")
def versions(tmp_path_factory, network_folder, planted_classifier):
    """Folders of two models of each kind: what lies on the shelf, and what comes in its place."""
    made = tmp_path_factory.mktemp("versions")
    for number in (1, 2):
        write_static(made / f"static-{number}", number)
        place = made / f"translation-{number}"
        write_translator(place, [*PAIRS, SENTENCE], 120, number, {"seed": number})
        network = network_folder(f"version-{number}", intermediate_size=40 + 8 * number)
        shutil.copytree(network, made / f"network-{number}")
        shutil.copytree(planted_classifier.folder, made / f"classifier-{number}")
    config = made / "classifier-2" / "config.json"
    settings = json.loads(config.read_text(encoding="utf-8"))
    settings["labels"], settings["names"] = settings["labels"][::-1], ["chill", "warmth"]
    config.write_text(json.dumps(settings))
    rewrite_card(made / "classifier-2")
    return made


@pytest.fixture
def data(tmp_path, monkeypatch):
    """What ships, without a model."""
    shutil.copytree(ROOT / "data" / "contexts", tmp_path / "data" / "contexts")
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)


@pytest.fixture
def shelves(data, tmp_path, versions, tiny_bert, monkeypatch):
    """A function that makes a shelf with one model, and what a classifier and a comparison need beside it."""

    def make(name, kind, version):
        models = tmp_path / name / "models"
        monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / name))
        add_model(versions / f"{kind}-{version}", NAME)
        if kind == "classifier":
            shutil.copytree(tiny_bert, models / tiny_bert.name)
        if kind == "static":
            write_static(models / "other", 3)
        return models / NAME

    return make


def delete_and_place(folder, new):
    shelf.delete(NAME)
    add_model(new, NAME)


def rename_another_to_the_name(folder, new):
    add_model(new, "next")
    shelf.rename(NAME, "before")
    shelf.rename("next", NAME)
    shelf.delete("before")


def rewrite_in_place(folder, new):
    for file in sorted(new.iterdir(), key=lambda file: file.name == "card.json"):
        (folder / file.name).write_bytes(file.read_bytes())


CHANGES = {
    "deleted and imported": delete_and_place,
    "renamed": rename_another_to_the_name,
    "updated": rewrite_in_place,
}
PAGES = {
    "fill": ("network", "fill", {"fill_first": "The dog walks over the [MASK]."}),
    "attention": ("network", "attention", {"attention_first": SENTENCE}),
    "contexts": ("network", "contexts", {}),
    "inside": ("network", "inside", {"inside_text": SENTENCE, "inside_step": "weights"}),
    "explore": ("static", "explore", {"models": NAME}),
    "analogies": ("static", "analogies", {"models": NAME}),
    "compare": ("static", "compare", {"models": f"{NAME},other"}),
    "ratios": ("static", "ratios", {"models": NAME}),
    "classify": ("classifier", "classify", {"classify_text": SENTENCE}),
    "translate": ("translation", "translate", {"translate_text": "Two dogs run."}),
    "decoder": ("translation", "inside", {"inside_half": "decoder", "decoder_text": "Two dogs"}),
    "shelf": ("static", "shelf", {"shelf_model": NAME}),
}
EACH_KIND = ("fill", "explore", "classify", "translate")  # a page of each kind of model
OTHERS = [page for page in PAGES if page not in EACH_KIND]
CASES = [
    *((page, "deleted and imported") for page in EACH_KIND),
    *(
        pytest.param(page, change, marks=pytest.mark.slow)
        for change in CHANGES
        for page in (OTHERS if change == "deleted and imported" else EACH_KIND)
    ),
]


def shown(app):
    """All numbers and sentences of a page without dates: its charts, tables, metrics and texts."""
    kinds = (app.subheader, app.markdown, app.caption, app.info, app.metric, app.code)
    texts = [str(item.value) for kind in kinds for item in kind]
    tables = [table.value.to_csv() for kind in (app.dataframe, app.table) for table in kind]
    charts = [chart.proto.spec for chart in app.get("plotly_chart")]
    return [re.sub(r"\d{4}-\d\d-\d\d", "", text) for text in (*texts, *tables, *charts)]


@pytest.mark.parametrize(("page", "change"), CASES)
def test_every_page_shows_the_new_model_and_nothing_of_the_old(shelves, versions, page, change):
    kind, name, address = PAGES[page]
    folder = shelves("server", kind, 1)
    app = visits.open_page(name, lang="en", text="en", **address)
    old = shown(app)
    CHANGES[change](folder, versions / f"{kind}-2")
    new = shown(app.run())
    shelves("fresh", kind, 2)
    assert new == shown(visits.open_page(name, lang="en", text="en", **address))
    assert new != old


@pytest.mark.parametrize("page", EACH_KIND)
def test_a_damaged_replacement_is_a_sentence_and_of_a_deleted_model_nothing_is_shown(shelves, page):
    kind, name, address = PAGES[page]
    folder = shelves("server", kind, 1)
    app = visits.open_page(name, lang="en", text="en", **address)
    assert "is damaged" not in " ".join(info.value for info in app.info)
    weights = folder / ("vectors.safetensors" if kind == "static" else "model.safetensors")
    weights.write_bytes(weights.read_bytes()[:-8])
    app.run()
    assert "is damaged" in app.info[0].value
    for entry in shelf.list_models():
        shelf.delete(entry.name)
    app.run()
    assert len(app.info) == 1
    assert not app.get("plotly_chart")


def test_a_classifier_needs_its_bert_as_long_as_it_is_asked(shelves, tiny_bert):
    shelves("server", "classifier", 1)
    app = visits.open_page("classify", lang="en", classify_text=SENTENCE)
    answer = app.subheader[0].value
    shelf.rename(tiny_bert.name, "elsewhere")
    assert app.run().subheader[0].value == answer
    shelf.delete("elsewhere")
    assert tiny_bert.name in app.run().info[0].value.replace("\\", "")


def test_a_model_that_is_not_touched_is_opened_once(shelves):
    shelves("server", "static", 1)
    entry = shelf.find(NAME)
    table = shelf_models.vectors(entry)
    assert shelf_models.vectors(shelf.find(NAME)) is table
    rewrite_card(entry.path, seed=9)
    assert shelf_models.vectors(entry) is not table
    assert shelf_models.card(entry)["seed"] == 9


def test_only_the_one_decorator_keeps_values_and_nothing_is_told_to_forget():
    kept = []
    for file in Path(ROOT / "app").rglob("*.py"):
        found = re.findall(r"cache_(?:resource|data)|ttl=|\.clear\(\)", file.read_text("utf-8"))
        kept += [(str(file.relative_to(ROOT)), name) for name in found]
    assert kept == [("app/components/__init__.py", "cache_resource")]  # each component once
