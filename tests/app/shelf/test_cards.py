"""What the shelf tells of a model: its card, its files, the code that opens it."""

import re

import pytest

from app.wording import wording
from embeddings.files import read_json, write_json
from tests.app.shelf.visits import PARTS, SAY, open_page
from tests.app.visits import in_turn, page_text, printed
from tests.hostile.hostile_inputs import CARDS, put


def test_every_model_is_in_the_table_and_the_chosen_one_has_its_card_and_code(home):
    app = open_page(lang="en", shelf_model="ships")
    table = app.dataframe[0].value
    assert list(table["name"]) == ["mine", "other", "ships"]
    assert list(table["origin"]) == ["your own", "your own", "shipped"]
    assert set(table["trained on"]) == {"Letters <b>"}
    assert list(table["words"]) == [30] * 3
    folder = home / "data" / "models" / "ships"
    assert table["size"].iloc[2] == sum(file.stat().st_size for file in folder.iterdir())
    facts = app.table[0].value.iloc[:, 0]
    assert facts["corpus: licence"] == "CC0"
    assert facts["command"] == "klyuch x"
    assert facts["seed"] == "7"
    scores = app.dataframe[1].value
    assert list(scores["test set"]) == ["pairs.tsv", "set.txt"]
    assert list(scores["covered"]) == [2 / 4, 8 / 9]
    assert list(scores["in the set"]) == [4, 9]
    text = printed(next(c.value for c in app.code if "import" in c.value))
    assert "30 words" in text
    assert "sound" in text


@pytest.mark.parametrize(
    ("language", "fact", "value"),
    [("de", "Korpus: Wörter", "12.345"), ("ru", "корпус: слов", "12\u00a0345")],
)
def test_the_corpus_on_a_card_is_told_in_the_screen_s_language(home, language, fact, value):
    facts = open_page(lang=language, shelf_model="ships").table[0].value.iloc[:, 0]
    assert facts[fact] == value


def test_files_are_checked_when_asked_and_damage_is_named(home):
    app = open_page(lang="en", shelf_model="mine")
    assert SAY("shelf_files.unchecked") in page_text(app)
    app.button(key="shelf-verify").click().run()
    assert "all 3 files" in app.success[0].value
    words = home / "home" / "models" / "mine" / "words.txt"
    words.write_bytes(words.read_bytes()[:-2] + b"9\n")
    app.button(key="shelf-verify").click().run()
    assert "words\\.txt" in app.warning[0].value or "words.txt" in app.warning[0].value
    table = app.dataframe[-1].value.set_index("file")
    assert table.loc["words.txt", "state"] == "changed"
    assert table.loc["words.txt", "size"] == words.stat().st_size  # ordered as a number


# What a card says is text: nothing in it loads anything, and one that is damaged breaks no page


PICTURE = "![s](http://elsewhere.invalid/s.png)"


OWN = r"learn\?"  # the help's link to the glossary, a page of the app


LIVE = re.compile(rf"(?<!\\)!\[|(?<!\\)\]\((?!{OWN})")  # of a picture or link that would be one


def written(app):
    """All text of a page that is read as Markdown: sentences, labels, and cells of static tables."""
    kinds = (app.title, app.header, app.subheader, app.markdown, app.caption, app.info, app.warning)
    texts = [str(item.value) for kind in kinds for item in kind]
    for kind in ("metric", "button", "expander", "selectbox"):
        texts += [str(getattr(item, "label", "")) for item in app.get(kind)]
    for table in app.table:
        frame = table.value
        texts += [str(frame.index.name), *map(str, frame.index), *map(str, frame.columns)]
        texts += map(str, frame.to_numpy().ravel())
    return texts


def test_a_picture_on_a_card_is_shown_as_text_wherever_it_can_be(home):
    folder = home / "home" / "models" / "mine"
    card = read_json(folder / "card.json")
    score = {"spearman": 0.5, "covered": 2, "total": 4}
    card |= dict.fromkeys(("method", "command", "machine", "note", "created"), PICTURE)
    card |= {
        "corpus": {"title": PICTURE, "licence": PICTURE, PICTURE: PICTURE},
        "origin": {"source": PICTURE, PICTURE: PICTURE},
        "settings": {PICTURE: PICTURE},
        "scores": {PICTURE: score, "b": {"accuracy": 0.5}},
    }
    write_json(folder / "card.json", card)
    app = open_page(lang="en", shelf_part="models", shelf_model="mine")
    texts = written(app)
    assert any("elsewhere" in text for text in texts)
    assert not [text for text in texts if LIVE.search(text)]


def test_damaged_cards_break_no_page_and_the_sound_models_stay(home):
    for number, name in enumerate(CARDS):
        put(home / "home" / "models" / f"broken-{number}" / "card.json", CARDS[name])
    app = open_page(lang="en")
    assert {"mine", "other", "ships"} <= set(app.dataframe[0].value["name"])


# The page of the shelf in three languages, part by part


@pytest.mark.parametrize(("part", "language"), in_turn(PARTS))
def test_each_part_speaks_each_language_and_shows_something(home, language, part):
    app = open_page(lang=language, shelf_part=part)
    assert app.title[0].value == wording(language)("shelf.title")
    assert app.dataframe or app.file_uploader


def test_an_empty_shelf_says_so(home, tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "nothing"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "nothing"))
    assert SAY("shelf.empty") in page_text(open_page(lang="en"))
