"""What a card says is text: nothing in it loads anything, and one that is damaged breaks no page."""

import re

import pytest

from embeddings.files import read_json, write_json
from tests.app.shelf.visits import model_names, open_page
from tests.hostile.cases_of_json import CARDS, put

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


@pytest.fixture
def hostile(home):
    """The model «mine» whose card holds pictures wherever it can."""
    folder = home / "home" / "models" / "mine"
    card = read_json(folder / "card.json")
    score = {"spearman": 0.5, "covered": 2, "total": 4}
    write_json(
        folder / "card.json",
        {
            **card,
            **dict.fromkeys(("method", "command", "machine", "note", "created"), PICTURE),
            "corpus": {"title": PICTURE, "licence": PICTURE, PICTURE: PICTURE},
            "origin": {"source": PICTURE, PICTURE: PICTURE},
            "settings": {PICTURE: PICTURE},
            "scores": {PICTURE: score, "b": {"accuracy": 0.5}},
        },
    )
    return home


@pytest.mark.parametrize("part", ["models", "scores"])
def test_a_picture_on_a_card_is_shown_as_text(hostile, part):
    app = open_page(lang="en", shelf_part=part, shelf_model="mine")
    assert not app.exception
    texts = written(app)
    assert any("elsewhere" in text for text in texts)
    assert not [text for text in texts if LIVE.search(text)]


@pytest.mark.parametrize("name", CARDS)
def test_a_damaged_card_breaks_no_page_and_the_sound_models_stay(home, name):
    put(home / "home" / "models" / "broken" / "card.json", CARDS[name])
    app = open_page(lang="en")
    assert not app.exception
    assert {"mine", "other", "ships"} <= set(model_names())
