"""What the shelf tells of a model: its card, its files, the code that opens it."""

import pytest

from tests.app.shelf.visits import SAY, open_page, page_text


def test_every_model_stands_in_the_table_with_what_its_card_says(home):
    table = open_page(lang="en").dataframe[0].value
    assert list(table["name"]) == ["mine", "other", "ships"]
    assert list(table["origin"]) == ["your own", "your own", "shipped"]
    assert set(table["trained on"]) == {"Letters <b>"}
    assert list(table["words"]) == [30] * 3
    folder = home / "data" / "models" / "ships"
    assert table["size"].iloc[2] == sum(file.stat().st_size for file in folder.iterdir())


def test_the_card_of_the_chosen_model_is_shown(home):
    app = open_page(lang="en", shelf_model="ships")
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
    facts = open_page(lang=language, shelf_model="ships").table[0].value.iloc[:, 0]
    assert facts[fact] == value


def test_the_code_on_the_page_runs(home, capsys):
    code = next(
        c.value for c in open_page(lang="en", shelf_model="ships").code if "import" in c.value
    )
    exec(code, {})
    printed = capsys.readouterr().out
    assert "30 words" in printed
    assert "sound" in printed


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
