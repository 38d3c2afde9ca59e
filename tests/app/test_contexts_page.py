"""The page Contexts, headless, on a tiny network with random weights."""

import gc
import re
import shutil
import threading
import weakref
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from app import shelf_models
from app.views.contexts import layer_maps, one_context, word_in_contexts
from app.views.contexts.chosen_contexts import (
    FIRST_WORDS,
    HARD_WORDS,
    shipped_contexts,
)
from app.views.contexts.word_in_contexts import Question
from app.widgets import outputs
from app.widgets.network_inputs import by_language
from app.wording import wording
from embeddings import shelf
from embeddings.analysis.context_answers import SenseInduction
from embeddings.analysis.sense_induction import adjusted_rand_index, b_cubed
from embeddings.corpora.concordance import build_concordance
from embeddings.corpora.sense_contexts import Context
from embeddings.probing import contexts as context_module
from embeddings.probing import network
from embeddings.probing.sentence_answers import VECTORS, NearWord
from embeddings.shelf.own_corpora import corpus_names
from tests.app import visits
from tests.app.conftest import index_text
from tests.app.visits import page_text

open_page = partial(visits.open_page, "contexts", timeout=180)


@pytest.mark.parametrize("language", FIRST_WORDS)
def test_cosines_of_the_first_word_stand_next_to_those_of_random_words(networks, language):
    app, say = open_page(lang=language, view="pairs"), wording(language)
    assert app.selectbox(key="contexts_word").value == FIRST_WORDS[language]
    table = app.table[0].value
    assert list(table.index) == [say("contexts.plain"), say("contexts.centred")]
    assert say("contexts.random") in table.columns


def test_addresses_from_before_another_word_or_the_views_open_what_they_name(networks):
    app = open_page(lang="en", contexts_word="bank", contexts_one="3")
    assert app.selectbox(key="contexts_word").value == "bank"
    assert app.selectbox(key="contexts_word").options[:2] == ["rock", "bank (hard case)"]
    assert visits.value(app, "view") == "one"
    assert app.selectbox(key="contexts_one").value == "3"


@pytest.mark.parametrize("count", [1, 2])
def test_one_and_two_sentences_show_substitutes_and_neighbours_and_two_their_cosine(
    networks, count
):
    lines = ["The bank lends money.", "They sat on the bank of the river."][:count]
    app = open_page(lang="en", contexts_source="own", contexts_lines="\n".join(lines))
    say, text = wording("en"), page_text(app)
    assert text.count(say("contexts.substitutes")) == count
    assert text.count(say("contexts.near")) == count
    contexts = tuple(
        Context(str(n), "bank", "", "", ((line.index("bank"), line.index("bank") + 4),), line)
        for n, line in enumerate(lines, 1)
    )
    word = word_in_contexts.in_contexts(Question(networks[0], "en", contexts, "word"))
    vectors = word.states("word").vectors[:, -1]
    cosine = np.dot(*vectors) / np.prod(np.linalg.norm(vectors, axis=1)) if count == 2 else None
    shown = [item.value for item in app.subheader if "osine" in item.value]
    assert len(shown) == count - 1
    assert all(f": {cosine:.2f} " in title for title in shown)


def test_the_map_says_which_layer_it_shows_of_which_vector(networks):
    app, say = open_page(lang="en"), wording("en")
    best = app.slider(key="contexts_layer").value
    assert say("contexts.layer_by_gold", layer=best) in page_text(app)
    other = (best + 1) % 3
    app.slider(key="contexts_layer").set_value(other).run()
    assert say("contexts.layer_by_hand", layer=other, best=best) in page_text(app)
    assert app.segmented_control(key="contexts_vector").value == "word"


@pytest.mark.parametrize(("value", "verdict"), [(0.04, "overlap"), (0.2, "abstain")])
def test_groups_that_overlap_or_are_no_clearer_than_those_of_one_meaning_are_one_sense(
    networks, monkeypatch, value, verdict
):
    monkeypatch.setattr(SenseInduction, "silhouette", property(lambda _: value, lambda *_: None))
    if verdict == "abstain":
        monkeypatch.setattr(SenseInduction, "separates", False)
    app, say = open_page(lang="en"), wording("en")
    fields = {"value": say.number(value, 2), "bound": "0.05"}
    assert say(f"contexts.senses_{verdict}", **fields) in page_text(app)
    assert "groups**" not in page_text(app)
    assert page_text(app).count("**sense ") == 1
    gold = [c.gold for c in word_in_contexts.shipped("en") if c.word == "bank"]
    one = say.number(b_cubed(gold, [""] * len(gold)), 2)
    assert say("contexts.b_cubed", value=one, one=one) in page_text(app)


def test_neighbours_that_end_like_the_word_are_warned_of(networks, monkeypatch):
    words = ("rank", "tank", "sank", "thank", "book", "money")
    near = tuple(NearWord(word, 0.9, 0.8, 0.5, 0.0) for word in words)
    monkeypatch.setattr(one_context, "table_of", lambda *_: shelf_models.companion("en"))
    monkeypatch.setattr(one_context, "neighbours", lambda *_: near)
    app = open_page(lang="en", view="one")
    note = wording("en")("contexts.near_endings", count=5, total=6, ending="k")
    assert outputs.plain(note) in page_text(app)


def test_unattested_senses_are_named_and_scored_apart(networks):
    app = open_page(lang="ru")
    say = wording("ru")
    named = next(caption.value for caption in app.caption if "гаечный" in caption.value)
    assert "перед нотами" in named
    for key in ("contexts.ari", "contexts.ari_all"):
        assert say.get(key).split("{")[0] in named
    assert say("contexts.map_rings") in page_text(app)


def test_what_is_near_stands_beside_what_is_near_by_chance(own_home):
    """With the models that ship: centred, random words lie about 0; with the mean left in they have much in common."""
    template = re.escape(wording("en").get("contexts.near_random"))
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", template)
    captions = [
        caption.value.replace("\\", "") for caption in open_page(lang="en", view="one").caption
    ]
    (cosines,) = filter(None, (re.fullmatch(pattern, c) for c in captions))
    centred, random_centred, plain, random = (
        float(cosines[name].replace("\u2212", "-"))
        for name in ("centred", "random_centred", "plain", "random")
    )
    assert abs(random_centred) < 0.05 < 0.4 < centred
    assert 0.1 < random < plain <= 1


def test_every_colour_is_drawn_at_an_address_of_a_former_version_too(networks):
    app = open_page(lang="en", contexts_by="inside", contexts_vector="blank")
    for colour in ("marked", "found", "form"):
        app.segmented_control(key="contexts_colour").set_value(colour).run()
        assert len(app.get("plotly_chart")) == 1


def test_the_layer_follows_the_word_until_it_is_chosen(networks):
    app = open_page(lang="en", contexts_word="spring")
    best = {}
    for word in ("spring", "bat"):
        contexts = shipped_contexts("en", word).contexts
        question = Question(networks[0], "en", contexts, "word", shelf_models.companion("en"))
        golds = [context.gold for context in contexts]
        best[word] = word_in_contexts.in_contexts(question).separation(golds).best
    assert app.slider(key="contexts_layer").value == best["spring"]
    app.selectbox(key="contexts_word").set_value("bat").run()
    assert app.slider(key="contexts_layer").value == best["bat"]
    other_layer = (best["bat"] + 1) % 3
    app.slider(key="contexts_layer").set_value(other_layer).run()
    app.selectbox(key="contexts_word").set_value("spring").run()
    assert app.slider(key="contexts_layer").value == other_layer


PASTED = "Он потерял ключи.\nСтарым ключом отперли дверь; ключ сломался.\nЗдесь его нет.\nИз скалы бил ключ."


def test_pasted_sentences_give_a_point_for_each_form_and_those_without_or_cut_are_named(networks):
    long = "Он шел и шел по дороге. " * 30 + "Там лежал ключ. " + "А потом пошел дождь. " * 30
    lines, say = f"{PASTED}\n{long}", wording("ru")
    app = open_page(lang="ru", view="one", contexts_source="own", contexts_lines=lines)
    options = app.selectbox(key="contexts_one").options
    assert len(options) == 5
    assert "[ключом] отперли дверь; ключ сломался" in options[1]
    assert "ключом отперли дверь; [ключ] сломался" in options[2]  # each of two hits in turn
    lacking = say("contexts.lacking", word="ключ", lines=1)
    assert lacking in [expander.label.replace("\\", "") for expander in app.expander]
    assert "Здесь его нет" in page_text(app)
    assert say("contexts.cut", rows="5", count=1) in [w.value for w in app.warning]


def test_a_word_in_letters_that_the_network_lacks_is_warned_of(networks):
    lines = "Он взял 钥匙 и ушёл.\nГде 钥匙 от двери?\nУ двери лежал 钥匙."
    app = open_page(lang="ru", contexts_source="own", contexts_lines=lines, contexts_asked="钥匙")
    for vector in ("around", "word"):
        app.segmented_control(key="contexts_vector").set_value(vector).run()
        assert wording("ru")("contexts.unknown", rows="1, 2, 3") in [w.value for w in app.warning]


def test_too_little_is_met_with_what_to_do_and_sentences_without_the_word_are_listed(networks):
    app = open_page(lang="ru", contexts_source="own", contexts_lines="", contexts_asked="ключ")
    assert wording("ru")("contexts.empty")[:20] in page_text(app)
    app.text_area(key="contexts_lines").set_value("Hello world.\nNothing here.").run()
    assert "Nothing here" in page_text(app)
    assert not app.get("plotly_chart")
    app.text_input(key="contexts_asked").set_value(" ").run()
    assert wording("ru")("contexts.empty")[:20] in page_text(app)


def test_without_a_concordance_the_page_says_how_to_build_one_and_shows_what_ships(
    networks, own_home
):
    app = open_page(lang="en", contexts_source="corpus")
    assert "klyuch concordance build" in app.info[0].value
    assert wording("en")("sample_sentences.note") in page_text(app)
    assert "bank (" in page_text(app)
    assert app.get("plotly_chart")


def test_the_corpus_that_opens_is_in_the_language_of_the_models(home):
    english = home / "corpora" / "a-novel" / "novel.txt"
    english.parent.mkdir(parents=True)
    english.write_text("The bank was closed and they sat by the river.\n")
    build_concordance([english], home / "concordances" / "b-indexed.sqlite")
    app = open_page(lang="ru", contexts_source="corpus")
    own = wording("ru")("sample_sentences.name")
    assert app.selectbox(key="contexts_corpus").options == [own, "a-novel", "b-indexed"]
    assert app.get("plotly_chart")  # the word of the page is in them
    russian = home / "corpora" / "c-roman" / "roman.txt"  # has no concordance yet
    russian.parent.mkdir()
    russian.write_text("Он взял ключ и открыл дверь.\nГде ключ?\nКлюч лежал на столе.\n")
    app = open_page(lang="ru", contexts_source="corpus")
    options = ["c-roman", own, "a-novel", "b-indexed"]
    assert app.selectbox(key="contexts_corpus").options == options
    assert "(3)" in page_text(app)


def test_lines_of_a_concordance_are_shown_with_their_place(home):
    text = "The bank was closed.\n\nThey sat on the bank of the river.\nBanks lend money.\n"
    index_text(home, "novel", text + "Every bank has a door. " * 30)
    app = open_page(lang="en", contexts_source="corpus")
    assert "bank (3)" in page_text(app)
    assert "banks (1)" in page_text(app)
    assert wording("en")("contexts.excerpts", count=30) in page_text(app)  # every use of the last
    app.text_input(key="contexts_asked").set_value("zebra").run()
    assert any("zebra" in info.value for info in app.info)


@pytest.mark.parametrize("vector", VECTORS)
def test_what_a_point_is_is_said_and_the_same_in_python(networks, vector):
    app, say = open_page(lang="en", contexts_vector=vector), wording("en")
    static = shelf_models.companion("en").name
    assert outputs.plain(say(f"contexts.point_{vector}", static=static)) in page_text(app)
    with np.printoptions(suppress=True):
        printed, _ = visits.pasted(app, networks[0])
    layer = app.slider(key="contexts_layer").value
    contexts = shipped_contexts("en", FIRST_WORDS["en"]).contexts
    question = Question(networks[0], "en", contexts, vector, shelf_models.companion("en"))
    baseline = word_in_contexts.reader(question).baseline(vector)
    assert f"baseline {baseline.cosine[layer]:.4f}" in printed
    layer_map = word_in_contexts.in_contexts(question).maps(vector)[layer]
    assert str(layer_map.coordinates[0].round(4)[0]) in printed


def test_without_a_companion_a_point_is_what_the_network_has(networks, monkeypatch):
    monkeypatch.setattr(shelf_models, "static_models", lambda: ())
    monkeypatch.setattr(shelf_models, "companion", {}.get)
    app = open_page(lang="en", contexts_vector="both")
    assert app.button_group(key="contexts_vector").value == "word"
    assert outputs.plain(wording("en")("contexts.point_word")) in page_text(app)
    assert len(app.get("plotly_chart")) == 1


# A text that is brought is chosen, and its form closes


NUMBERED = "\n".join(f"The key number {n} opens the door of the house." for n in range(6))


def test_a_stored_text_is_chosen_and_its_form_closes_so_that_nobody_stores_it_twice(
    networks, own_home
):
    address = {"contexts_source": "corpus", "contexts_intake": "paste", "contexts_asked": "key"}
    app = open_page(lang="ru", text="en", **address)
    app.text_area(key="contexts_pasted").set_value(NUMBERED).run()
    opened = next(e for e in app.expander if app.text_area(key="contexts_pasted") in e.text_area)
    app.text_input(key="contexts_corpus_name").set_value("keys").run()
    app.button(key="contexts-take").click().run()
    assert corpus_names("text") == ["keys"]
    assert app.selectbox(key="contexts_corpus").value == "keys"
    closed = next(e for e in app.expander if app.text_area(key="contexts_pasted") in e.text_area)
    assert not closed.proto.expanded
    assert closed.proto.id != opened.proto.id  # to a browser it is another form


# Groups of contexts that do not separate are said not to, by the silhouette of the layer shown


def test_a_flat_silhouette_is_a_warning(monkeypatch):
    said = []
    monkeypatch.setattr(st, "warning", said.append)
    separation = SimpleNamespace(silhouette=np.array([0.3, 0.049, -0.2, np.nan]))
    for layer in range(4):
        layer_maps.say_if_not_apart(wording("en"), separation, layer)
    assert ["layer 1" in said[0], "layer 2" in said[1]] == [True] * len(said)


def agreement(language, word):
    """Adjusted Rand index of the senses that the page finds and the attested ones."""
    chosen = shipped_contexts(language, word)
    network = by_language(shelf_models.networks(), language)[0]
    static = shelf_models.companion(language)
    question = Question(network, language, chosen.contexts, "word", static)
    labels, _ = word_in_contexts.in_contexts(question).induction().division()
    pairs = [(chosen.contexts[row].gold, labels[row]) for row in chosen.attested_rows]
    return adjusted_rand_index(*zip(*pairs, strict=True))


@pytest.mark.parametrize("language", FIRST_WORDS)
def test_the_page_opens_on_a_word_that_the_network_separates_and_names_one_that_it_does_not(
    language,
):
    assert agreement(language, FIRST_WORDS[language]) == 1
    assert agreement(language, HARD_WORDS[language]) < 0.5


# A question of Contexts goes a straight way: from the click on another word to the map it enters few packages and comes back to few


ROOT = Path(visits.MAIN).parents[1]
MOST_PACKAGES, MOST_RETURNS = 11, 14
IN_A_FUNCTION = 1  # CO_OPTIMIZED: neither a module's body nor a class's


def package_of(path):
    """The package of ours that a step lies in; "" for what every step may lean on: modules of the top, wording, plain values."""
    parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
    is_step = len(parts) > 2 and parts[0] in ("app", "embeddings") and parts[1] != "wording"
    is_value = parts[:1] == ("embeddings",) and path.stem.endswith("_answers")
    return "/".join(parts[:2]) if is_step and not is_value else ""


def test_a_question_of_contexts_enters_few_packages_and_returns_to_few():
    # the shipped models: a shelf that a test replaces is asked another way
    visits.forget_answers()
    app = visits.open_page("contexts", lang="en", contexts_word="spring")
    called = {}  # modules in the order in which a function of each is first called, up to the first figure

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_flags & IN_A_FUNCTION and "figure" not in called.values():
            path = Path(code.co_filename)
            is_figure = (path.name, code.co_name) == ("outputs.py", "figure")
            called.setdefault(path, "figure" if is_figure else package_of(path))

    threading.setprofile(note)
    try:
        app.selectbox(key="contexts_word").select("bat").run()
    finally:
        threading.setprofile(None)
    packages = [name for name, _ in groupby(filter(None, called.values()))]
    assert {"app/views", "embeddings/probing", "embeddings/analysis"} < set(packages)
    assert len(set(packages)) <= MOST_PACKAGES, packages
    assert len(packages) - len(set(packages)) <= MOST_RETURNS, packages


# Networks that are asked no more are closed


def test_of_many_networks_that_are_asked_the_first_is_closed_again(networks, tmp_path):
    first = weakref.ref(word_in_contexts.reader(Question(networks[0], "en", (), "word")).network)
    for number in range(6):
        folder = shutil.copytree(networks[0].path, tmp_path / f"bert-{number}")
        entry = replace(networks[0], name=folder.name, path=folder)
        word_in_contexts.reader(Question(entry, "en", (), "word"))
    gc.collect()
    assert first() is None


# A large network reads the contexts of a question once, with its progress, before the page asks anything of them


@pytest.fixture
def large(networks, monkeypatch):
    """A network of the shelf that counts as a large one."""
    monkeypatch.setattr(network, "LARGE", 0)
    monkeypatch.setattr(network, "has_bfloat16", lambda _: False)
    visits.forget_answers()
    yield networks[0]
    visits.forget_answers()


def test_a_large_network_has_one_number_format_on_pages_and_in_python(large, monkeypatch):
    monkeypatch.setattr(network, "has_bfloat16", lambda _: True)
    forms = shelf_models.reader(large).form, shelf.open_model(large).form
    assert forms == ("bfloat16", "bfloat16")


def test_once_a_question_is_read_with_its_progress_its_contexts_are_not_read_again(
    large, monkeypatch
):
    contexts = tuple(c for c in word_in_contexts.shipped("en") if c.word == "spring")
    question = Question(large, "en", contexts, "word")
    reports = []
    word_in_contexts.prepare(question, lambda progress: reports.append(progress))
    done = [report.done for report in reports]
    assert done == sorted(set(done))
    assert reports[-1].done == reports[-1].total == len({context.text for context in contexts})
    word_in_contexts.reader(question).random_words()
    monkeypatch.setattr(context_module, "word_states", None)  # from here on nothing is read
    answer = word_in_contexts.answer(question, tuple(range(len(contexts))))
    assert len(answer.maps[0].coordinates) == len(contexts)
    word_in_contexts.prepare(question, lambda _: pytest.fail("read a second time"))
