"""The view "Switched off" of the page Attention, headless, on a tiny BERT."""

import pytest

from app.views.attention import attention_views
from app.wording import wording
from embeddings.probing.ablated_answers import ablate
from embeddings.probing.network import open_reader
from embeddings.probing.network_answers import Parts, Replacement
from embeddings.shelf.locations import sentence_pairs
from tests.app import visits


def open_off(**address):
    return visits.open_page("attention", view="off", **address)


def guesses(app):
    """The table of guesses, a list a column."""
    table = next(frame.value for frame in app.dataframe if len(frame.value.columns) == 5)
    return [table[column].tolist() for column in table.columns]


def test_a_head_that_is_turned_off_changes_the_guesses_in_each_language(networks, tiny_bert):
    app, say = open_off(lang="ru", text="ru"), wording("ru")
    assert say("off.nothing_off") in [item.value for item in app.info]
    before, share, left, after, share_now = guesses(app)
    assert (before, share) == (after, share_now)
    assert share == left
    app.multiselect(key="off_heads").set_value(["1.2", "2.3"]).run()
    assert not app.exception
    assert visits.value(app, "off_heads") == "1.2,2.3"
    pair = next(p for p in sentence_pairs() if p["language"] == "ru")
    text = pair["first"].replace(pair["blank"], "[MASK]", 1)
    parts = Parts(heads=((1, 2), (2, 3)))
    (mask,) = ablate(open_reader(tiny_bert), text, parts, only_words=True).masks
    _, _, left, after, share_now = guesses(app)
    assert after == [guess.token for guess in mask.after]
    assert share_now == pytest.approx([guess.probability for guess in mask.after], rel=1e-4)
    assert left == pytest.approx(list(mask.before_again), rel=1e-4)
    assert share_now != share


def test_a_link_opens_parts_words_replacement_and_question(networks, tiny_bert):
    text, other = "The cat sat.", "The sat cat."  # the same tokens in another order
    app = open_off(
        lang="en", attention_first=text, off_question="vector", off_attention="2,9",
        off_feed_forward="1", off_words="2", off_how="patch", off_other=other,
    )  # fmt: skip
    assert app.multiselect(key="off_words").value == ["2"]
    assert app.multiselect(key="off_attention").value == ["2"]  # there is no ninth layer
    parts = Parts(attention=(2,), feed_forward=(1,), words=(2,))
    expected = ablate(open_reader(tiny_bert), text, parts, Replacement("patch", (other,)))
    cosine = wording("en").number(expected.cosine, 4)
    assert expected.cosine < 0.999
    assert any(cosine in item.value for item in app.markdown)
    app.text_input(key="off_other").set_value("Cat.").run()
    assert "tokens" in app.info[0].value


def test_nothing_is_computed_before_it_is_asked_for_or_an_earlier_address_asks(
    networks, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(attention_views, "ask_in_queue", None)
        assert not visits.open_page("attention", lang="en").multiselect
    app = visits.open_page("attention", lang="en", off=1, off_heads="1.2")
    assert visits.value(app, "view") == "off"
    assert app.multiselect(key="off_heads").value == ["1.2"]


def test_its_python_prints_what_the_page_shows(networks, tiny_bert, capsys):
    text = "The old man opened the door."
    app = open_off(lang="en", attention_first=text, off_word="door", off_heads="1.2")
    parts, masked = Parts(heads=((1, 2),)), text.replace("door", "[MASK]")
    expected = ablate(open_reader(tiny_bert), masked, parts, only_words=True)
    assert guesses(app)[3] == [guess.token for guess in expected.masks[0].after]
    printed, lines = visits.pasted(app, networks[0])
    first = expected.masks[0]
    assert [
        "1", first.before[0].token, f"{first.before[0].probability:.4f}", f"{first.before_again[0]:.4f}",
        first.after[0].token, f"{first.after[0].probability:.4f}",
    ] in lines  # fmt: skip
    assert f"cosine of the sentence vectors: {expected.cosine:.4f}" in printed


def test_a_token_is_shown_without_the_sign_of_its_beginning():
    assert attention_views.written("\u2581door") == "door"
    assert attention_views.written("\u2581") == "\u2581"  # nothing would be left
