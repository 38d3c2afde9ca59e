"""What pages give back: tables as files that are made when a person asks for them, and lazy expanders."""

from streamlit import runtime
from streamlit.testing.v1 import AppTest

from app.wording import wording
from tests.app import visits


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
    """What a click on the button gives: the file that Streamlit's own server would send."""
    made = {}
    manager = runtime.media_file_manager.MediaFileManager
    kept = manager.add_deferred

    def noted(self, make, *args, **options):
        file_id = kept(self, make, *args, **options)
        made[file_id] = make
        return file_id

    monkeypatch.setattr(manager, "add_deferred", noted)
    app.run()
    (button,) = app.get("download_button")
    assert button.proto.ignore_rerun
    assert not button.proto.url
    return made[button.proto.deferred_file_id]()


def test_a_table_is_saved_whole_and_as_it_stands_after_a_change(monkeypatch):
    app = AppTest.from_function(page, default_timeout=30)
    first = downloaded(app, monkeypatch)
    assert first.startswith(b"\xef\xbb\xbf")
    assert first.decode("utf-8-sig").splitlines()[1:] == [
        f"größer,{1 / 3!r}",
        f"key,{1 / 6!r}",
    ]
    app.text_input(key="words").set_value("a,b")
    assert downloaded(app, monkeypatch).decode("utf-8-sig").splitlines()[1:] == [
        f"a,{1 / 3!r}",
        "b,1.0",
    ]


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
