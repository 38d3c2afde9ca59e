"""The shelf in three languages: cards, checks, names, deletion, import, export, scores, corpora."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app import renewal
from app.figures.shelf_scores import shelf_scores_figure
from app.views.sections import shelf_export
from app.wording import wording
from embeddings import Vectors, library
from embeddings.results.shelf import ModelScore
from embeddings.vectors.formats import build_card, read, write, write_native

MAIN = str(Path(__file__).resolve().parents[2] / "app/main.py")
LANGUAGES = ("en", "ru", "de")
PARTS = ("models", "bring", "scores", "corpora")
SCORES = {
    "pairs.tsv": {"spearman": 0.5, "covered": 2, "total": 4},
    "set.txt": {"accuracy": 0.25, "covered": 8, "total": 9},
}
SAY = wording("en")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A shelf with the shipped model «ships» and the own models «mine» and «other»; a corpus."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    rows = np.random.default_rng(1).normal(size=(30, 8)).astype(np.float32)
    words = [f"word{number}" for number in range(30)]
    table = Vectors(words, rows, np.arange(30, 0, -1), language="en", method="cbow")
    corpus = {"name": "c", "title": "Letters <b>", "licence": "CC0", "words": 12345}
    card = build_card(table, corpus=corpus, settings={"seed": 7}, scores=SCORES, command="klyuch x")
    write_native(table, tmp_path / "data" / "models" / "ships", card=card)
    for name in ("mine", "other"):
        write_native(table, tmp_path / "home" / "models" / name, card={**card, "name": name})
    (tmp_path / "home" / "corpora" / "novel").mkdir(parents=True)
    (tmp_path / "home" / "corpora" / "novel" / "a.txt").write_text("One two\nthree\n")
    real = Path(__file__).resolve().parents[2] / "data" / "catalogue.toml"
    (tmp_path / "data" / "catalogue.toml").write_bytes(real.read_bytes())
    renewal.renew_shelf()
    yield tmp_path
    renewal.renew_shelf()


def opened(**address):
    """The page as a link opens it."""
    app = AppTest.from_file(MAIN, default_timeout=60)
    app.query_params.update({name: str(v) for name, v in address.items() if name == "lang"})
    app.run()
    app.query_params.update({name: str(value) for name, value in address.items()})
    app.switch_page("views/shelf.py").run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def said(app):
    """All sentences on the page in one string."""
    kinds = (app.title, app.header, app.subheader, app.markdown, app.caption, app.info)
    texts = [str(item.value) for kind in (*kinds, app.success, app.warning) for item in kind]
    return "\n".join([*texts, *(code.value for code in app.code)])


def names():
    return [entry.name for entry in library.shelf()]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_part_speaks_each_language_and_shows_something(home, language, part):
    app = opened(lang=language, shelf_part=part)
    assert app.title[0].value == wording(language)("shelf.title")
    assert app.dataframe or app.file_uploader


def test_an_empty_shelf_says_so(home, tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "nothing"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "nothing"))
    renewal.renew_shelf()
    assert SAY("shelf.empty") in said(opened(lang="en"))


def test_every_model_stands_in_the_table_with_what_its_card_says(home):
    table = opened(lang="en").dataframe[0].value
    assert list(table["name"]) == ["mine", "other", "ships"]
    assert list(table["whose"]) == ["your own", "your own", "shipped"]
    assert set(table["trained on"]) == {"Letters <b>"}
    assert list(table["words"]) == [30] * 3
    folder = home / "data" / "models" / "ships"
    assert table["size"].iloc[2] == sum(file.stat().st_size for file in folder.iterdir())


def test_the_card_of_the_chosen_model_is_shown(home):
    app = opened(lang="en", shelf_model="ships")
    facts = app.table[0].value.iloc[:, 0]
    assert facts["corpus: licence"] == "CC0"
    assert facts["command"] == "klyuch x"
    assert facts["seed"] == "7"
    scores = app.table[1].value
    assert list(scores.index) == ["pairs.tsv", "set.txt"]
    assert list(scores["covered"]) == ["2 / 4", "8 / 9"]


@pytest.mark.parametrize(
    ("language", "fact", "value"),
    [("de", "Korpus: Wörter", "12.345"), ("ru", "корпус: слов", "12\u00a0345")],
)
def test_the_corpus_on_a_card_is_told_in_the_screen_s_language(home, language, fact, value):
    facts = opened(lang=language, shelf_model="ships").table[0].value.iloc[:, 0]
    assert facts[fact] == value


def test_the_code_on_the_page_runs(home, capsys):
    code = next(c.value for c in opened(lang="en", shelf_model="ships").code if "import" in c.value)
    exec(code, {})
    printed = capsys.readouterr().out
    assert "30 words" in printed
    assert "sound" in printed


def test_files_are_checked_when_asked_and_damage_is_named(home):
    app = opened(lang="en", shelf_model="mine")
    assert SAY("shelf_files.unchecked") in said(app)
    app.button(key="shelf-verify").click().run()
    assert "all 3 files" in app.success[0].value
    words = home / "home" / "models" / "mine" / "words.txt"
    words.write_bytes(words.read_bytes()[:-2] + b"9\n")
    app.button(key="shelf-verify").click().run()
    assert "words\\.txt" in app.warning[0].value or "words.txt" in app.warning[0].value
    assert "changed" in list(app.dataframe[-1].value["state"])


def test_an_own_model_gets_another_name_and_stays_in_view(home):
    app = opened(lang="en", shelf_model="mine")
    app.text_input(key="shelf_new_name").set_value("yours")
    app.button(key="shelf-rename").click().run()
    assert not app.exception
    assert "yours" in app.success[0].value
    assert names() == ["other", "ships", "yours"]
    assert app.selectbox(key="shelf_model").value == "yours"


@pytest.mark.parametrize("name", ["ships", "", "../x", "a b"])
def test_a_name_that_cannot_be_had_is_a_sentence(home, name):
    app = opened(lang="en", shelf_model="mine")
    app.text_input(key="shelf_new_name").set_value(name)
    app.button(key="shelf-rename").click().run()
    assert len(app.info) == 1
    assert names() == ["mine", "other", "ships"]


def test_deleting_asks_twice(home):
    app = opened(lang="en", shelf_model="mine")
    app.button(key="shelf-delete").click().run()
    assert names() == ["mine", "other", "ships"]
    app.button(key="shelf-delete-no").click().run()
    app.button(key="shelf-delete").click().run()
    app.button(key="shelf-delete-yes").click().run()
    assert names() == ["other", "ships"]
    assert "mine" in app.success[0].value
    assert app.selectbox(key="shelf_model").value == "other"


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_two_windows_that_delete_a_model_the_second_gets_a_sentence(home, language):
    first, second = (opened(lang=language, shelf_model="mine") for _ in range(2))
    for app in (first, second):
        app.button(key="shelf-delete").click().run()
    first.button(key="shelf-delete-yes").click().run()
    second.button(key="shelf-delete-yes").click().run()
    assert not second.exception
    assert "mine" in second.info[0].value
    assert names() == ["other", "ships"]


def test_a_shipped_model_offers_neither_name_nor_deletion(home):
    app = opened(lang="en", shelf_model="ships")
    assert SAY("shelf_change.shipped") in said(app)
    keys = {button.key for button in app.button}
    assert not keys & {"shelf-delete", "shelf-rename"}


def test_a_damaged_folder_is_named_and_can_be_deleted(home):
    (home / "home" / "models" / "broken").mkdir()
    (home / "home" / "models" / "broken" / "card.json").write_text("{")
    app = opened(lang="en")
    assert "broken" in app.warning[0].value
    app.button(key="shelf-damaged-broken").click().run()
    app.button(key="shelf-damaged-broken-yes").click().run()
    assert not (home / "home" / "models" / "broken").exists()
    assert not app.warning


# Import


def brought(app, *files, name="", **choices):
    app.file_uploader(key="shelf_files").set_value([(n, c, "") for n, c in files]).run()
    for key, value in choices.items():
        app.segmented_control(key=key).set_value(value)
    if name:
        app.text_input(key="shelf_import_name").set_value(name)
    app.button(key="shelf-import").click().run()
    assert not app.exception, [error.message for error in app.exception]
    return app


TEXT = b"2 2\na 1 0\nb 0 2\n"


def test_an_upload_comes_on_the_shelf_and_can_be_looked_at(home):
    app = brought(
        opened(lang="en", shelf_part="bring"),
        ("v.vec", TEXT),
        shelf_import_language="de",
        shelf_import_method="glove",
    )
    entry = library.find("v")
    assert (entry.language, entry.method) == ("de", "glove")
    assert library.read_card(entry)["origin"]["source"] == "v.vec"
    app.button(key="shelf-look").click().run()
    assert app.selectbox(key="shelf_model").value == "v"


def test_several_files_of_one_model_are_imported_together(home, tmp_path):
    write(Vectors(["a", "b"], np.eye(2, dtype=np.float32)), tmp_path / "x.npy")
    files = [(name, (tmp_path / name).read_bytes()) for name in ("x.npy", "x.txt")]
    brought(opened(lang="en", shelf_part="bring"), *files, name="array")
    assert library.load_vectors("array").words == ("a", "b")


def test_a_zip_of_a_folder_is_imported(home):
    packed = shelf_export.build(library.find("ships"), "native")
    brought(opened(lang="en", shelf_part="bring"), ("m.zip", packed), name="again")
    assert library.load_vectors("again").words[:2] == ("word0", "word1")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("w.model", b"\x80\x04\x95" + b"\0" * 40),
        ("cc.bin", b"\xba\x16\x4f\x2f" + b"\0" * 40),
        ("v.txt", b"2 2\na 1 0\nb x 2\n"),
        ("v.txt", "schön 1 2\nb 3 4\n".encode("latin-1")),
        ("v.zip", b"PK\x03\x04 no zip"),
        ("v.txt", b""),
    ],
)
def test_what_cannot_be_imported_is_a_sentence_without_paths(home, language, file, content):
    app = brought(opened(lang=language, shelf_part="bring"), (file, content))
    assert len(app.info) == 1
    assert "klyuch-upload" not in app.info[0].value
    assert "/tmp" not in app.info[0].value
    assert names() == ["mine", "other", "ships"]


def test_a_taken_name_is_a_sentence_with_a_free_one(home):
    app = brought(opened(lang="en", shelf_part="bring"), ("v.vec", TEXT), name="mine")
    assert "mine-2" in app.info[0].value


def test_a_shelf_that_cannot_be_written_is_a_sentence(home, monkeypatch):
    from embeddings.library import importing

    def full(*_, **__):
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr(importing, "write_native", full)
    app = brought(opened(lang="en", shelf_part="bring"), ("v.vec", TEXT))
    assert "the disk is full" in app.info[0].value


# Export


@pytest.mark.parametrize("format", library.exporting.STATIC)
def test_each_format_is_built_and_named(home, tmp_path, format):
    entry = library.find("ships")
    name, data = shelf_export.filename(entry, format), shelf_export.build(entry, format)
    path = tmp_path / "got" / name
    path.parent.mkdir()
    path.write_bytes(data)
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert {inner.split("/")[0] for inner in archive.namelist()} == {"ships"}
        if format == "tables":
            return
        assert library.load_vectors(library.import_model(path).name).words[0] == "word0"
    else:
        assert read(path).words[0] == "word0"


@pytest.mark.parametrize("format", library.exporting.STATIC)
def test_each_format_says_what_opens_it_and_offers_the_file(home, format):
    app = opened(lang="de", shelf_model="ships", shelf_format=format)
    assert wording("de")(f"shelf_format.{format.replace('-', '_')}_opens") in said(app)
    assert [button.key for button in app.get("download_button")].count("shelf-export") == 1


def test_a_word_that_a_format_cannot_hold_is_said_beforehand(home):
    table = Vectors(["ice cream", "b"], np.eye(2, dtype=np.float32))
    write_native(table, home / "home" / "models" / "spaced")
    renewal.renew_shelf()
    app = opened(lang="en", shelf_model="spaced", shelf_format="glove")
    assert "ice cream" in app.info[0].value
    assert "shelf-export" not in {button.key for button in app.get("download_button")}


def test_a_large_export_goes_by_the_command_line_and_its_size_is_said(home, monkeypatch):
    monkeypatch.setattr(shelf_export, "MOST", 100)
    app = opened(lang="en", shelf_model="ships", shelf_format="parquet")
    assert "kB" in app.info[0].value
    assert "klyuch models export ships ships.parquet --format parquet" in said(app)


# Scores and corpora


def test_scores_of_all_models_stand_with_their_coverage(home):
    app = opened(lang="en", shelf_part="scores")
    table = app.table[0].value
    assert list(table.columns) == ["mine", "other", "ships"]
    assert list(table["mine"]) == ["0.500 · 50 %", "0.250 · 89 %"]
    assert app.get("plotly_chart")


def test_the_figure_has_a_dot_a_score(home):
    who = ("static", "cbow", "en")
    scores = [
        ModelScore("a", *who, "s", "accuracy", 0.5, 1, 2),
        ModelScore("b", "static", "glove", "en", "p", "spearman", -0.25),
    ]
    words = {"accuracy": "A", "spearman": "S", "covered": "c"}
    figure = shelf_scores_figure(scores, words)
    assert [list(trace.x) for trace in figure.data] == [[0.5], [-0.25]]
    assert [list(trace.y) for trace in figure.data] == [[1], [0]]
    assert [trace.marker.symbol[0] for trace in figure.data] == ["circle", "diamond"]
    assert figure.data[0].text[0] == "a: A, c 1/2"
    assert figure.layout.xaxis.range[0] <= -0.25


def test_a_corpus_is_counted_and_deleted_asked_twice(home):
    app = opened(lang="en", shelf_part="corpora")
    assert list(app.dataframe[0].value["name"]) == ["novel"]
    app.button(key="shelf-count").click().run()
    row = app.dataframe[0].value.iloc[0]
    assert (row["words"], row["sentences"], row["documents"]) == (3, 2, 1)
    app.button(key="shelf-corpus-delete").click().run()
    app.button(key="shelf-corpus-yes").click().run()
    assert "novel" in app.success[0].value
    assert library.corpora() == ()


def test_a_corpus_that_is_gone_is_a_sentence(home):
    app = opened(lang="en", shelf_part="corpora")
    app.button(key="shelf-corpus-delete").click().run()
    library.delete_corpus("novel")
    app.button(key="shelf-corpus-yes").click().run()
    assert "novel" in app.info[0].value


def test_what_the_models_have_read_is_told_once_a_corpus(home):
    table = opened(lang="en", shelf_part="corpora").dataframe[1].value
    assert table.to_numpy().tolist() == [["Letters <b>", "CC0", "en", "mine, other, ships"]]


def test_strange_cards_do_not_break_the_page(home):
    card = home / "home" / "models" / "mine" / "card.json"
    told = json.loads(card.read_text())
    odd = {"scores": [1], "corpus": "text", "settings": 5, "seed": {"a": 1}, "origin": [2]}
    card.write_text(json.dumps({**told, **odd}))
    renewal.renew_shelf()
    for part in PARTS:
        opened(lang="en", shelf_model="mine", shelf_part=part)
