"""A session's state is looked up by key with the answers that Streamlit's own dictionary of it gives, and a run looks at the shelf once."""

import re
from pathlib import Path

import numpy as np
import pytest
import streamlit
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest
from threadpoolctl import threadpool_info

from app.loaders import caching
from app.loaders.caching import looked_up, one_look
from app.server import multiply_on_one_core
from app.session_lookups import StateByKey, look_up_by_key
from embeddings.shelf import Entry

PINS = Path(__file__).resolve().parents[2] / "requirements.txt"


def page():
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from app.session_lookups import StateByKey

    st.session_state["set"] = 3
    st.session_state["none"] = None
    st.text_input("Word", "dog", key="word")
    st.slider("Number", 1, 9, 4, key="number")
    st.button("Press")
    st.session_state["_shown"] = None
    session = get_script_run_ctx().session_state
    whole, by_key = session._state.filtered_state, StateByKey(session)
    asked = [*whole, *session._state._keys(), "missing", "$$STREAMLIT_INTERNAL_KEY_X"]
    for key in asked:
        assert (key in by_key) == (key in whole), key
        assert by_key.get(key) == whole.get(key), key
    assert dict(by_key) == whole
    assert {"set", "none", "word", "number"} <= set(whole)
    st.write(f"{len(asked)} keys")


def test_a_key_has_the_value_that_streamlits_dictionary_has():
    app = AppTest.from_function(page).run()
    assert not app.exception, app.exception
    app.text_input(key="word").set_value("cat").run()
    assert not app.exception, app.exception
    assert app.markdown[0].value.endswith("keys")


def test_a_missing_key_is_none_of_the_state():
    by_key = StateByKey(SafeSessionState(SessionState(), lambda: None))
    assert "word" not in by_key
    with pytest.raises(KeyError):
        by_key["word"]


def test_another_version_of_streamlit_keeps_its_own_state_and_the_pinned_one_is_replaced(
    monkeypatch,
):
    own = SafeSessionState.__dict__["filtered_state"]
    try:
        monkeypatch.setattr(streamlit, "__version__", "1.68.0")
        look_up_by_key()
        assert SafeSessionState.__dict__["filtered_state"] is own
        pinned = re.search(r"^streamlit==(.+)$", PINS.read_text(encoding="utf-8"), re.M)[1]
        monkeypatch.setattr(streamlit, "__version__", pinned)
        look_up_by_key()
        assert SafeSessionState.__dict__["filtered_state"].fget is StateByKey
    finally:
        SafeSessionState.filtered_state = own


def test_the_shelf_is_looked_at_once_a_run_and_anew_by_the_next(tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    entry = Entry("a", "static", "", "", tmp_path)
    with one_look():
        before = caching.model_key(entry)
        (tmp_path / "config.json").write_text('{"a": 1}', encoding="utf-8")
        assert caching.model_key(entry) == before
    after = caching.model_key(entry)
    assert after == entry.stamp != before
    with one_look():
        assert caching.model_key(entry) == after


def test_what_refuses_is_asked_again_in_the_same_run():
    asked = []

    @looked_up
    def refuse(name):
        asked.append(name)
        raise ValueError(name)

    with one_look():
        for _ in range(2):
            with pytest.raises(ValueError, match="a"):
                refuse("a")
    assert asked == ["a", "a"]


def test_the_servers_numpy_multiplies_on_one_core():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}
    try:
        multiply_on_one_core()
        assert {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"} == {1}
    finally:
        from threadpoolctl import ThreadpoolController

        for pool in ThreadpoolController().lib_controllers:
            pool.set_num_threads(before[pool.filepath])
