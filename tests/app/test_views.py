"""A page's row of views, in a page of two lines: which view is open, and what the address has to do with it; every view of every page."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from app.wording import examples, wording
from tests.app import visits
from tests.app.conftest import words_of
from tests.app.visits import value


def small_page(name):
    """Write the open view of a page of which three are offered."""
    import streamlit as st

    from app.widgets import address, inputs, outputs, views
    from app.widgets.frame import PageState
    from app.wording import wording

    say = wording("en")
    address.start()
    page = PageState(say, "en", (), (), name=st.session_state.get("page", name))
    opened = views.open_view(page, ["senses", "why", "reliability"])
    st.text(opened)
    if opened == "map":
        inputs.choice(say, "method_map", ["pca", "tsne"])
    outputs.say_absent(say, st.container())
    address.finish()


def opened(app):
    return app.text[0].value


def visit(page="explore", **address):
    app = AppTest.from_function(small_page, args=(page,), default_timeout=30)
    app.query_params.update(address)
    return app.run()


def test_the_first_view_opens_and_the_address_names_it():
    app = visit()
    assert opened(app) == "neighbours"
    assert value(app, "view") == "neighbours"
    app.segmented_control(key="view").set_value("map").run()
    assert opened(app) == "map"
    assert value(app, "view") == "map"


def test_an_unknown_view_opens_the_first_and_is_named_in_a_sentence():
    say, app = wording("en"), visit(view="nosuch", method_map="tsne")
    assert opened(app) == "neighbours"
    said = {"asked": "nosuch", "setting": say("view.label"), "shown": say("view.neighbours")}
    assert [warning.value for warning in app.warning] == [say("frame.absent", **said)]
    app.segmented_control(key="view").set_value("map").run()
    assert not app.warning


def test_settings_of_a_closed_view_wait_until_it_is_opened():
    app = visit(view="neighbours", method_map="tsne")
    assert opened(app) == "neighbours"
    app.run()
    app.segmented_control(key="view").set_value("map").run()
    assert app.segmented_control(key="method_map").value == "tsne"


def test_each_page_remembers_its_own_view():
    app = visit("translate", view="off")
    app.session_state["page"] = "classify"  # it has a view of that name too
    app.run()
    assert opened(app) == "moved"
    app.segmented_control(key="view").set_value("scores").run()
    app.session_state["page"] = "translate"
    app.run()
    assert opened(app) == "off"


# Every view of every page


FIGURES = {  # keys of the figures of each view
    "analogies": {"answer": "plane", "steps": "", "reliability": "", "sets": ""},
    "associations": {"axes": "axis", "list": "matrix", "test": "weat-targets"},
    "attention": {"heads": "", "word": "attention-word", "off": "head-effects"},
    "change": {"report": "change", "texts": "", "periods": "", "whatif": ""},
    "classify": {"moved": "classify-words-figure", "off": "head-effects", "scores": "classify-confusion-0"},
    "compare": {"words": "compare-words compare-map", "differ": "compare-moved", "sets": ""},
    "contexts": {"senses": "contexts", "layers": "contexts-layers contexts-sweep", "pairs": "contexts-matrix", "one": "",
                 "annotation": "contexts-tree"},
    "explore": {"neighbours": "map", "map": "map", "senses": "", "why": "", "sentences": "", "reliability": ""},
    "fill": {"answer": "fill-1", "moved": "attribution-words-figure", "layers": "fill-layers-1"},
    "grammar": {"tokens": "grammar-tokens", "layers": "grammar-layers", "own": "", "benchmarks": ""},
    "ratios": {"": "ratios"},
    "translate": {"step": "translate-candidates translate-looked", "beam": "translate-beam", "heads": "",
                  "moved": "translate-moved-source translate-moved-target", "off": "head-effects", "scores": ""},
}  # fmt: skip
FIELDS = {  # keys of fields and buttons, and the views that have them
    "change_report": ["change report"],
    "sides-start": ["change texts", "change periods"],
    "whatif-start": ["change whatif"],
    "compare-score": ["compare sets"],
    "off_heads": ["attention off", "classify off"],
    "questions": ["analogies sets"],
    "score|get-set": ["analogies sets"],
}
EMPTY = {  # of the small models, which keep nothing of these
    "analogies reliability": "analogies.unmeasured",
    "explore senses": "senses.none",
    "explore why": "explore.no_contexts",
    "explore reliability": "explore.no_spread",
}
OF_WORDS = ("analogies", "associations", "compare", "explore", "ratios")
VIEWS = [f"{page} {view}" for page, views in FIGURES.items() for view in views]


@pytest.mark.parametrize(("opened", "language"), visits.in_turn(VIEWS))
def test_every_view_opens_in_each_language_and_draws_nothing_of_the_others(
    every_kind, opened, language
):
    (page, view), say = opened.split(" "), wording(language)
    asked = {"view": view, "translate_text": "Two dogs run."} if view else {}
    if page == "associations":
        words = words_of(language)
        lists = {
            f"weat_{name}": ", ".join(words[2 * n : 2 * n + 2]) for n, name in enumerate("xyab")
        }
        asked |= {"weat": "own", **lists}
    app = visits.open_page(page, timeout=180, lang=language, text=language, **asked)
    assert [title.value for title in app.title] == [say(f"{page}.title")]
    line, _, rest = say(f"{page}.lead").partition(". ")
    (lead,) = [text for text in app.markdown if text.value == f"{line}."]
    assert lead.proto.help == rest
    assert not view or value(app, "view") == view
    assert {figure.key for figure in app.get("plotly_chart")} == {*FIGURES[page][view].split()}
    fields = (app.button, app.selectbox, app.multiselect, app.button_group)
    keys = [field.key for kind in fields for field in kind]
    shown = {name for name in FIELDS if any(re.fullmatch(name, str(key)) for key in keys)}
    assert shown == {name for name, views in FIELDS.items() if opened in views}
    if page in OF_WORDS and opened != "compare sets":  # others warn of what random networks say
        infos = [info.value for info in app.info if "klyuch corpus get" not in info.value]
        word = app.session_state["word"] if page == "explore" else ""
        assert infos == [say(key, word=word) for name, key in EMPTY.items() if name == opened]
        assert not app.warning


# Addresses of former versions, which name no view: pages showed everything, Explore also pairs of words, Compare also what changed


PAIRS = {name: examples("en")[name] for name in ("pair", "odd", "ends", "between")}
PAIRS |= {"word": "music", "weat": "flowers-insects"}
OPENED = [  # by the page of an address and what it asks for: page, view and the settings that are kept
    ("explore", {"n": 5, "pattern": "^m"}, "explore neighbours", "n pattern"),
    ("explore", {"method_map": "tsne"}, "explore map", "method_map"),
    ("explore", {"vocabulary_shown": 1}, "explore map", "vocabulary_shown"),
    ("explore", {"sentences_order": "left"}, "explore sentences", "sentences_order"),
    ("explore", {"sentences_near": "a", "sentences_window": 7}, "explore sentences", "sentences_near sentences_window"),
    ("explore", PAIRS | {"pair": "king, queen"}, "associations axes", "pair"),
    ("explore", PAIRS | {"ends": "man, woman"}, "associations axes", "ends"),
    ("explore", PAIRS | {"weat": "own"}, "associations test", "weat"),
    ("analogies", {"questions": "own"}, "analogies sets", "questions"),
    ("attention", {"off": 1, "off_heads": "1.2"}, "attention off", "off_heads"),
    ("compare", {"sides_way": "periods", "sides_first": "paste"}, "change periods", ""),
    ("compare", {"sides_way": "texts", "sides_first": "upload"}, "change texts", "sides_first"),
    ("compare", {"whatif_word": "key"}, "change whatif", "whatif_word"),
    ("compare", {"change_report": "ru-literature-news"}, "change report", "change_report"),
    ("compare", {"change_report": "en-fiction-wikipedia", "sides_way": "texts"}, "compare words", ""),
    ("compare", {"view": "words", "whatif_word": "key"}, "compare words", ""),
]  # fmt: skip
KING = PAIRS | {"word": "king"}
LINKED = [  # also names words of the page: what the link to the rest is called and asks for
    ("explore", KING | {"pair": "king, queen"}, [("explore.moved", "pair=king")]),
    ("explore", KING, []),
    ("compare", {"compared": "king", "whatif_word": "key"}, [("compare.moved_page", "whatif_word=key")]),
]  # fmt: skip


@pytest.mark.parametrize(("page", "asked", "opened", "kept"), OPENED)
def test_an_old_address_opens_the_view_that_has_what_it_changes(
    every_kind, page, asked, opened, kept
):
    app = visits.open_page(page, lang="en", text="en", **asked)
    title, view = opened.split()
    assert app.title[0].value == wording("en")(f"{title}.title")
    assert value(app, "view") == view
    assert all(value(app, name) == str(asked[name]) for name in kept.split())


@pytest.mark.parametrize(("page", "asked", "linked"), LINKED)
def test_an_old_address_that_names_words_stays_and_links_to_the_rest(
    every_kind, page, asked, linked
):
    app, say = visits.open_page(page, lang="en", text="en", **asked), wording("en")
    assert app.title[0].value == say(f"{page}.title")
    links = [link.proto for link in app.get("page_link")]
    assert [link.label for link in links] == [say(label) for label, _ in linked]
    for link, (_, asked_for) in zip(links, linked, strict=True):
        assert asked_for in link.query_string


# What pages give back: tables as files that are made when a person asks for them, and lazy expanders


def page():
    """A page with a table of two words; those asked for in the address."""
    import pandas as pd
    import streamlit as st

    from app.widgets import outputs
    from app.wording import wording

    words = st.text_input("words", "größer,key", key="words").split(",")
    rows = pd.DataFrame({"word": words, "share": [1 / 3, 1 / len(words[0])]})
    outputs.table(wording("de"), rows, "shown", forms={"share": "{:.1f}".format}, shares=["share"])


def downloaded(app, monkeypatch):
    """The rows of the file that a click on the button gives, as Streamlit's own server would send it."""
    made = visits.deferred_files(monkeypatch)
    app.run()
    (button,) = app.get("download_button")
    assert button.proto.ignore_rerun
    assert not button.proto.url
    file = made[button.proto.deferred_file_id]()
    assert file.startswith(b"\xef\xbb\xbf")
    return file.decode("utf-8-sig").splitlines()[1:]


def test_a_table_is_saved_whole_and_as_it_stands_after_a_change(monkeypatch):
    app = AppTest.from_function(page, default_timeout=30)
    assert downloaded(app, monkeypatch) == [f"größer,{1 / 3!r}", f"key,{1 / 6!r}"]
    app.text_input(key="words").set_value("a,b")
    assert downloaded(app, monkeypatch) == [f"a,{1 / 3!r}", "b,1.0"]


def test_what_is_in_a_closed_box_is_drawn_once_it_is_opened(small_shelf):
    closed = visits.open_page("analogies", boxes=(), lang="en", text="en")
    title = wording("en")("common.as_table")
    assert title in [box.label for box in closed.expander]
    ranked = wording("en")("common.rank")
    assert not [table for table in closed.dataframe if ranked in table.value]
    closed.session_state["box-analogy"] = True
    opened = closed.run()
    assert len([table for table in opened.dataframe if ranked in table.value]) == 1
    opened.session_state["box-analogy"] = False
    assert not [table for table in opened.run().dataframe if ranked in table.value]
