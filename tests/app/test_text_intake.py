"""A text brought to Contexts is chosen, and its form closes."""

from embeddings.shelf.own_corpora import corpus_names
from tests.app.visits import open_page

TEXT = "\n".join(f"The key number {n} opens the door of the house." for n in range(6))


def test_a_stored_text_is_chosen_and_its_form_closes_so_that_nobody_stores_it_twice(
    networks, tmp_path, monkeypatch
):
    language = "ru"
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    address = {"contexts_source": "corpus", "contexts_intake": "paste", "contexts_asked": "key"}
    app = open_page("contexts", timeout=120, lang=language, text="en", **address)
    app.text_area(key="contexts_pasted").set_value(TEXT).run()
    opened = next(e for e in app.expander if app.text_area(key="contexts_pasted") in e.text_area)
    app.text_input(key="contexts_corpus_name").set_value("keys").run()
    app.button(key="contexts-take").click().run()
    assert not app.exception
    assert corpus_names("text") == ["keys"]
    assert app.selectbox(key="contexts_corpus").value == "keys"
    closed = next(e for e in app.expander if app.text_area(key="contexts_pasted") in e.text_area)
    assert not closed.proto.expanded
    assert closed.proto.id != opened.proto.id  # to a browser it is another form
