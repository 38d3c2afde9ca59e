"""What pages give back: tables beside pandas' own styles, files that are made when they are asked for and stay until they are there."""

from io import BytesIO

import pandas as pd
import pyarrow as pa
import pytest
from streamlit import runtime
from streamlit.elements.lib.pandas_styler_utils import marshall_styler
from streamlit.proto.ArrowData_pb2 import ArrowData
from streamlit.testing.v1 import AppTest

from app.widgets import made_files
from app.widgets.written_cells import WrittenTable
from app.wording import wording
from tests.app import visits


def read(table):
    """The table in an Arrow stream."""
    return pa.ipc.open_stream(BytesIO(table)).read_pandas()


def grounds(sent):
    """The ground of each cell, by the cell's name."""
    rules = [rule.split("{") for rule in sent.styler.styles.split("}") if rule.strip()]
    return {name.strip(): look.strip() for names, look in rules for name in names.split(",")}


@pytest.mark.parametrize("index", [None, [7, 3, 5]])
def test_written_cells_are_sent_as_a_styler_of_pandas_sends_them(index):
    rows = pd.DataFrame(
        {
            "word": ["key", None, "<b>"],
            "share": [0.25, 1.0, 0.0],
            "count": [1200.0, None, 3.0],
            "rank": [1, 2, 3],
            "is_known": [True, False, True],
        },
        index=index,
    )
    forms = {"share": "{:.1%}".format, "count": "n = {:.0f}".format, "rank": "№ {}".format}
    colour = "background-color: rgba(0, 114, 178, {:.3f})"
    styler = (
        rows.style.set_uuid("7").format(forms).map(lambda v: colour.format(v / 2), subset=["share"])
    )
    sent, expected = ArrowData(), ArrowData()
    marshall_styler(sent, WrittenTable(rows, forms, ["share"]), "7")
    marshall_styler(expected, styler, "7")
    assert sent.styler.uuid == "7"
    pd.testing.assert_frame_equal(
        read(sent.styler.display_values), read(expected.styler.display_values), check_dtype=False
    )
    assert len(grounds(expected)) == 3
    assert grounds(sent) == grounds(expected)


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


def page_of_a_click():
    """A page with a file, that is asked for while it is drawn; then the runs of others end, and a run of its own begins."""
    from concurrent.futures import ThreadPoolExecutor

    import streamlit as st
    from streamlit import runtime

    from app.widgets import outputs

    outputs.download("Save", lambda: "größer", "words.csv", "save")
    files = runtime.get_instance().media_file_mgr
    (file_id,) = files._deferred_callables
    with ThreadPoolExecutor(1) as server:  # threads of the server have no session
        name = server.submit(files.execute_deferred, file_id).result().rpartition("/")[2]
    for _ in range(3):
        files.remove_orphaned_files()
    st.text(files.read_file(name).content.decode())
    files.clear_session_refs()
    for _ in range(2):
        files.remove_orphaned_files()
    st.text(files.read_file(name))


def test_a_file_that_was_made_stays_until_its_page_is_drawn_anew_whoever_draws_pages():
    app = AppTest.from_function(page_of_a_click, default_timeout=30).run()
    assert not app.exception
    assert [text.value for text in app.text] == ["größer", "None"]


def page_of_a_late_browser():
    """A page with a file that was asked for; nobody comes for it while others draw their pages."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    import streamlit as st
    from streamlit import runtime

    from app.widgets import outputs

    outputs.download("Save", lambda: b"large", "model.bin", "save")
    files = runtime.get_instance().media_file_mgr
    (file_id,) = files._deferred_callables
    with ThreadPoolExecutor(1) as server:
        name = server.submit(files.execute_deferred, file_id).result().rpartition("/")[2]
    until = time.monotonic() + 20
    while files.read_file(name) and time.monotonic() < until:
        files.remove_orphaned_files()
        time.sleep(0.01)
    st.text(files.read_file(name))


def test_a_file_for_which_no_browser_comes_is_not_held_for_ever(monkeypatch):
    monkeypatch.setattr(made_files, "SECONDS", 0.0)
    app = AppTest.from_function(page_of_a_late_browser, default_timeout=60).run()
    assert not app.exception
    assert [text.value for text in app.text] == ["None"]


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
