"""The address of a page: what it holds, and when it is a link."""

import pytest

from app import shelf_models
from app.widgets import address, frame
from app.widgets.outputs import plain
from app.wording import examples, wording
from tests.app.visits import calls_of, open_page, value


def test_the_address_holds_every_setting_defaults_too(small_shelf):
    app = open_page(lang="en", n=5, dim=3)
    app.slider(key="n").set_value(10).run()
    settings = {name: value(app, name) for name in app.query_params}
    frame = {"lang": "en", "text": "en", "models": "small-en-skipgram,small-en-cbow,small-en-glove"}
    asked = {"word": "music", "n": "10", "pattern": "", "min": "0", "fold": "0"}
    drawn = {"space": "small-en-skipgram", "method_map": "pca", "dim": "3", "by": "model"}
    fitted = {"standardize": "1"}
    view = {"view": "map", "vocabulary_shown": "0"}  # an old address with dim=3 asks for the map
    assert settings == frame | asked | drawn | fitted | view


@pytest.mark.parametrize("page", ["explore", "analogies"])
def test_a_copied_address_means_the_same_after_defaults_have_changed(
    small_shelf, monkeypatch, page
):
    def seen(app):
        return (
            [item.value for item in (*app.text_input, *app.slider, *app.toggle, *app.selectbox)],
            [app.button_group(key="models").value, *(g.value for g in app.segmented_control)],
            [table.value.to_dict() for table in app.dataframe],
        )

    app = open_page(page, lang="en")
    copied = {name: value(app, name) for name in app.query_params}
    before = seen(app)
    monkeypatch.setattr(frame, "DEFAULTS", 1)
    changed = {"words": "wolf | dog", "formulas": "wolf - dog + cat | king"}
    monkeypatch.setattr(frame, "examples", lambda language: examples(language) | changed)
    fresh = open_page(page, lang="en")
    assert value(fresh, "models") == "small-en-skipgram"
    assert seen(fresh) != before
    assert seen(open_page(page, **copied)) == before


def test_a_link_to_a_network_names_it_where_there_is_no_network_at_all(small_shelf, monkeypatch):
    monkeypatch.setattr(shelf_models, "networks", lambda: ())
    app, say = open_page("contexts", lang="en", network="my-bert"), wording("en")
    sentence = say("frame.absent_none", asked="my-bert", setting=say("network.label"))
    assert plain(sentence) in [warning.value for warning in app.warning]
    assert say("network.none") in [info.value for info in app.info]


def test_a_link_to_a_model_that_is_not_here_names_it_until_another_is_chosen(small_shelf):
    say = wording("ru")
    app = open_page(lang="ru", text="en", models="small-en-cbow,my-own")
    shown = {"setting": say("frame.models"), "shown": "small-en-cbow"}
    assert [warning.value for warning in app.warning] == [
        plain(say("frame.absent", asked="my-own", **shown))
    ]
    app.slider(key="n").set_value(5).run()
    assert len(app.warning) == 1
    app.button_group(key="models").set_value(["small-en-glove"]).run()
    assert not app.warning


def test_a_link_to_settings_that_are_not_there_names_each(small_shelf):
    say, told = wording("en"), []
    for setting, asked, shown in (
        ("n", "90", "40"),
        ("by", "colour", "model"),
        ("dim", "4", "2-D"),
    ):
        named = {"asked": asked, "setting": say(f"{setting}.label"), "shown": shown}
        told.append(plain(say("frame.absent", **named)))
    app = open_page(lang="en", n="90", by="colour", dim="4")
    assert sorted(warning.value for warning in app.warning) == sorted(told)


def test_a_link_to_a_network_that_is_not_here_names_it(networks):
    app = open_page("attention", timeout=120, lang="en", network="my-bert")
    assert "“my-bert”" in app.warning[0].value
    assert networks[0].name in app.warning[0].value


def test_a_link_whose_settings_are_all_here_says_nothing(small_shelf):
    app = open_page(lang="en", models="small-en-cbow", n=12, word="a,b,c", pattern="^m", fold=1)
    assert not app.warning


@pytest.mark.parametrize("wrong", ["king - man + womann", "king - (man", ""])
def test_a_link_that_stops_the_page_can_be_corrected(small_shelf, wrong):
    app = open_page("analogies", lang="en", formula=wrong)
    assert not app.subheader
    assert value(app, "formula") == wrong
    app.text_input(key="formula").set_value("king - man + woman").run()
    assert "queen" in app.subheader[0].value
    assert value(app, "formula") == "king - man + woman"
    app.text_input(key="formula").set_value(wrong).run()
    assert value(app, "formula") == wrong
    app.segmented_control(key="lang").set_value("de").run()
    assert app.title[0].value == wording("de")("analogies.title")
    assert app.text_input(key="formula").value == wrong


def test_a_click_on_a_suggestion_that_still_brings_the_address_before_is_no_link(small_shelf):
    app = open_page("analogies", lang="en", formula="king - man + womann")
    app.segmented_control(key="lang").set_value("de").run()
    app.query_params["lang"] = "en"  # the browser had not heard of the new address yet
    next(b for b in app.button if b.label == "woman").click().run()
    assert app.title[0].value == wording("de")("analogies.title")
    assert app.text_input(key="formula").value == "king - man + woman"
    assert "queen" in app.subheader[0].value


def test_a_second_fast_click_is_no_link_to_what_the_first_one_wrote(small_shelf, monkeypatch):
    app = open_page(lang="en")
    app.slider(key="n").set_value(5).run()
    app.slider(key="n").set_value(6).run()
    monkeypatch.setattr(address, "LATE", 0)  # however slow the machine is
    app.query_params["n"] = "5"  # the browser has heard of the first answer alone
    app.slider(key="n").set_value(7).run()
    assert app.slider(key="n").value == 7
    assert value(app, "n") == "7"


SEND = "streamlit.runtime.state.QueryParamsProxy.from_dict"  # to the browser


def sent_values(sent, name):
    """What the addresses that were sent have for a setting."""
    return [call.arguments[1][name] for call in sent]


@pytest.mark.parametrize("late", [0, 60])
def test_going_back_is_a_link_again_however_fast(small_shelf, monkeypatch, late):
    app = open_page(lang="en")
    app.slider(key="n").set_value(5).run()
    app.slider(key="n").set_value(6).run()
    monkeypatch.setattr(address, "LATE", late)
    monkeypatch.setattr(address, "is_history_navigation", lambda: True)
    app.query_params["n"] = "5"
    app.run()
    assert app.slider(key="n").value == 5
    assert value(app, "n") == "5"


def test_going_back_leaves_no_late_answer_in_the_address_and_writes_none_to_a_path_without_settings(
    small_shelf, monkeypatch
):
    app = open_page(lang="en")
    app.slider(key="n").set_value(5).run()
    sent = calls_of(monkeypatch, SEND)
    monkeypatch.setattr(address, "is_history_navigation", lambda: True)
    app.query_params["n"] = "6"  # the browser may have been told of 5 once more since
    app.run()
    assert sent_values(sent, "n") == ["6"]
    sent.clear()
    app.query_params.clear()
    app.run()
    assert not sent  # so that one can go further back
    assert app.slider(key="n").value == 6
    monkeypatch.setattr(address, "is_history_navigation", lambda: False)
    app.run()  # as when a part of the page has arrived
    assert not sent
    app.slider(key="n").set_value(7).run()
    assert sent_values(sent, "n") == ["7"]


def test_another_page_writes_its_settings_though_one_went_back_to_a_path_without_any(
    small_shelf, monkeypatch
):
    app = open_page(lang="en")
    sent = calls_of(monkeypatch, SEND)
    monkeypatch.setattr(address, "is_history_navigation", lambda: True)
    app.query_params.clear()
    app.run()
    monkeypatch.setattr(address, "is_history_navigation", lambda: False)
    assert not sent
    app.switch_page("views/analogies/analogies.py").run()
    assert sent_values(sent, "lang") == ["en"]
    assert "formula" in sent[0].arguments[1]
