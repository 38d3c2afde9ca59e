"""The page Fill the blank, headless, on a tiny BERT; its figures on made-up results."""

from functools import partial

import numpy as np
import pytest

from app.figures.palette import BLUE, VERMILION
from app.figures.shares import (
    FULL_SIZE_LETTERS,
    MAX_LETTERS,
    RANKS,
    SIZE,
    guess_bars_figure,
    layer_guesses_figure,
)
from app.views.fill.blank_answers import show_moved_guess
from app.widgets.outputs import plain
from app.wording import wording
from embeddings.errors import InputError
from embeddings.probing.attribution import attribute_guess
from embeddings.probing.fill_mask import fill
from embeddings.probing.network import open_reader
from embeddings.probing.sentence_answers import Filled, FilledMask, Guess, RequestedWord
from embeddings.shelf.locations import sentence_pairs
from tests.app import visits
from tests.app.plotly_figures import checked
from tests.app.visits import LANGUAGES, page_text

guess_bars_figure, layer_guesses_figure = checked(guess_bars_figure), checked(layer_guesses_figure)
open_page = partial(visits.open_page, "fill")


@pytest.fixture
def fill_calls(networks, monkeypatch):
    """What the page asks the network, of each run, and a shelf with the tiny BERT."""
    return visits.calls_of(monkeypatch, "app.shelf_models.ask")


def filled_mask(guesses=(("milk", 0.5), ("tea", 0.25)), hidden=(), layers=2):
    """A blank with the same guesses at every layer."""
    row = tuple(Guess(word, p) for word, p in guesses)
    trace = np.array([[g.probability for g in row]] * (layers + 1))
    words = tuple(RequestedWord(word, (word,), p, 9, ()) for word, p in hidden)
    return FilledMask(0, 6, 0, row, (row,) * (layers + 1), trace, np.zeros(layers + 1), words)


def test_without_a_guess_there_is_none_to_explain():
    filled = Filled("[MASK]", "", (filled_mask(()),), ())
    assert show_moved_guess(wording("en"), None, None, filled) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_hides_the_example_s_own_word_on_first_load(fill_calls, language):
    app = open_page(lang=language, text=language)
    say = wording(language)
    pair = next(p for p in sentence_pairs() if p["language"] == language)
    assert fill_calls[-1].arguments[2] == pair["first"].replace(pair["blank"], "[MASK]", 1)
    asked = {"second": "", "words": (pair["blank"],), "only_words": True}
    assert asked.items() <= fill_calls[-1].named.items()
    assert len(app.get("plotly_chart")) == 1
    assert f"**{pair['blank']}**" in page_text(app)
    assert say("fill.small") in page_text(app)


def test_a_click_on_a_word_hides_it_and_underscores_dots_and_masks_are_blanks(fill_calls):
    app = open_page(lang="en", fill_first="The cat sat by the stove.")
    assert fill_calls[-1].arguments[2] == "The cat sat by the [MASK]."
    app.button_group(key="fill_hidden").set_value("1").run()
    assert fill_calls[-1].arguments[2] == "The [MASK] sat by the stove."
    assert fill_calls[-1].named["words"] == ("cat",)
    for blank in ("___.", "… .", "... ."):
        app.text_input(key="fill_first").set_value(f"The cat sat by the {blank}").run()
        assert fill_calls[-1].arguments[2].startswith("The cat sat by the [MASK]")
        assert fill_calls[-1].named["words"] == ()
    app.text_input(key="fill_first").set_value("The [MASK] sat by the [MASK].").run()
    assert fill_calls[-1].arguments[2] == "The [MASK] sat by the [MASK]."
    assert fill_calls[-1].named["words"] == ()
    assert len(app.subheader) == len(app.get("plotly_chart")) == 2
    assert all(group.key != "fill_hidden" for group in app.button_group)  # no word is offered
    assert wording("en")("fill.blank", number=2, total=2) in page_text(app)


def test_the_word_s_own_probability_and_rank_are_the_network_s_or_it_is_read_in_parts(
    fill_calls, tiny_bert, small_wordpiece
):
    app = open_page(lang="en", fill_first="He sat by the river.", fill_hidden="3")
    mask = fill(open_reader(tiny_bert), "He sat by [MASK] river.", words=["the"]).masks[0]
    word = mask.requested[0]
    assert word.tokens == ("the",)
    share = f"{100 * word.probability:.2f}" if word.probability >= 1e-3 else "0.0"
    line = next(m.value for m in app.markdown if "**the**" in m.value)
    assert share in line
    assert f"rank {word.rank} " in line
    tokens = small_wordpiece.encode("grandmother").tokens[1:-1]
    assert len(tokens) > 1
    app = open_page(lang="en", fill_first="My grandmother.", fill_hidden="1")
    line = next(m.value for m in app.markdown if "**grandmother**" in m.value)
    assert " + ".join(tokens).replace("#", "\\#") in line


def test_what_follows_goes_along_as_context(fill_calls):
    app = open_page(lang="en", fill_second="She slept.")
    assert fill_calls[-1].named["second"] == "She slept."
    app.button(key="example-fill_first-1").click().run()
    pair = [p for p in sentence_pairs() if p["language"] == "en"][1]
    assert fill_calls[-1].named["second"] == pair["second"]
    assert fill_calls[-1].named["words"] == (pair["blank"],)


def test_another_script_is_met_with_a_warning(fill_calls):
    app = open_page(lang="de", text="de", fill_first="银行 [MASK].")
    expected = wording("de")("attention.unknown", words="银行")
    assert [warning.value for warning in app.warning] == [plain(expected)]
    app.text_input(key="fill_first").set_value("The [MASK] sat.").run()
    assert not app.warning
    app.text_input(key="fill_first").set_value("*A* [b](http://c) <i>sat</i> [MASK].").run()
    assert "\\*A\\*" in app.subheader[0].value  # what looks like markdown stays text
    assert "\\<i\\>" in app.subheader[0].value


def test_a_hidden_word_that_the_vocabulary_lacks_is_no_unk_unless_it_stands_once_more(fill_calls):
    app, say = open_page(lang="ru", text="ru"), wording("ru")
    for text, second, met in (
        ("银行", "", None),
        ("He saw 银行.", "", None),
        ("He saw 银行 and 银行.", "", "银行"),
        ("He saw 银行-ab, 银行.", "", "银行"),
        ("He saw 银行.", "The 银行 slept.", "银行"),
        ("The 猫 saw 银行.", "", "猫"),
        ("The 银行猫 saw 银行.", "", "银行猫"),
    ):
        app.text_input(key="fill_second").set_value(second)
        app.text_input(key="fill_first").set_value(text).run()
        app.button_group(key="fill_hidden").set_value(str(len(text.split()) - 1)).run()
        assert fill_calls[-1].named["words"] == ("银行",)
        assert say("fill.own_unknown", word="银行") in page_text(app)
        expected = [] if met is None else [plain(say("attention.unknown", words=met))]
        assert [warning.value for warning in app.warning] == expected


def test_a_sentence_without_a_word_or_too_long_is_met_with_what_to_type(fill_calls):
    app, say = open_page(lang="de", fill_first=" "), wording("de")
    assert app.info[0].value == say("fill.empty")
    app.text_input(key="fill_first").set_value("…!").run()
    assert app.info[0].value == say("fill.empty")
    app.text_input(key="fill_first").set_value("дверь " * 80 + "[MASK]").run()
    assert "64" in app.info[0].value
    assert "max" in app.info[0].value


def test_the_same_in_python_prints_what_the_page_shows(fill_calls, networks):
    app = open_page(lang="en")
    _, lines = visits.pasted(app, networks[0])
    mask = fill_calls[-1].value.masks[0]
    for guess in mask.guesses[:10]:
        assert ["1", guess.token, f"{guess.probability:.4f}"] in lines
    wanted = mask.requested[0]
    assert ["1", wanted.word, f"{wanted.probability:.4f}"] in lines


def test_bars_mark_the_hidden_word_where_it_stands_or_put_it_below():
    among = guess_bars_figure(filled_mask(hidden=[("tea", 0.25)]), "p").data[0]
    assert list(among.marker.color) == [BLUE, VERMILION]
    below = guess_bars_figure(filled_mask(hidden=[("gin", 1e-5)]), "p", ",.").data[0]
    assert list(below.customdata) == ["milk", "tea", "gin"]
    assert list(below.marker.color) == [BLUE, BLUE, VERMILION]
    assert list(below.text) == ["50,0 %", "25,0 %", "0,001 %"]


def test_each_layer_has_a_row_of_its_likeliest_words():
    guesses = [(f"w{i}", 0.1 / (i + 1)) for i in range(8)]
    figure = layer_guesses_figure(filled_mask(guesses, layers=3), ["input", "1", "2", "3"])
    assert [*figure.data[0].z[0]] == [p for _, p in guesses[:RANKS]]
    assert len(figure.layout.annotations) == 4 * RANKS
    # numbers: a text would be a category
    placed = {(a.x, a.y): a.text for a in figure.layout.annotations}
    cells = figure.data[0]
    for row, words in zip(cells.y, cells.text, strict=True):
        assert [placed[column, row] for column in cells.x] == [*words]
    assert set(map(type, cells.x)) == {int}
    assert list(figure.layout.yaxis.ticktext) == ["input", "1", "2", "3"]


def test_a_long_guess_of_a_layer_stays_in_its_cell():
    words = ["kurz", "необязательно", "Donaudampfschiff"]
    mask = filled_mask([(word, 0.1) for word in words], layers=0)
    notes = layer_guesses_figure(mask, ["input"]).layout.annotations
    assert [note.text for note in notes] == ["kurz", "необязательно", "Donaudampfsc…"]
    assert notes[0].font.size == SIZE
    for note in notes:
        assert note.font.size * len(note.text) <= SIZE * FULL_SIZE_LETTERS + 1e-9
    assert len(notes[2].text) == MAX_LETTERS


def test_words_that_look_like_html_stay_words_in_the_figures():
    nasty = filled_mask([("<b>x", 0.5)], hidden=[("<i>", 0.1)])
    assert guess_bars_figure(nasty, "p").data[0].customdata[0] == "&lt;b&gt;x"
    assert layer_guesses_figure(nasty, ["<u>", "", ""]).layout.annotations[0].text == "&lt;b&gt;x"


def test_words_that_moved_the_chosen_guess_are_those_of_the_library(fill_calls, networks):
    text = "The cat sat by [MASK] stove."
    app = open_page(lang="en", fill_first=text, fill_moved="1")
    guesses = app.selectbox(key="fill_guess").options
    app.selectbox(key="fill_guess").set_value(guesses[1]).run()
    assert visits.value(app, "fill_guess") == guesses[1]
    attribution = attribute_guess(open_reader(networks[0].path), text, token=guesses[1])
    assert [share.word for share in attribution.words[:5]] == ["The", "cat", "sat", "by", "stove"]
    visits.assert_words_moved(app, attribution.words, networks[0])


def test_the_masked_word_and_another_blank_can_be_followed(fill_calls):
    text = "[MASK] cat sat by the [MASK]."
    app = open_page(lang="de", fill_first=text, fill_moved="1", fill_blank="2")
    assert app.selectbox(key="fill_blank").value == "2"
    assert visits.value(app, "view") == "moved"  # an address from before the views
    assert len(app.dataframe[0].value) > 4
    app.text_input(key="fill_first").set_value("[MASK]").run()
    refused = plain(wording("de").error(InputError("attribution_no_words")))
    assert refused in [info.value for info in app.info]


def test_layers_are_read_by_the_lens_that_is_chosen(networks, own_home):
    visits.forget_answers()  # a lens that another test computed
    address = {"lang": "en", "fill_first": "The cat sat by [MASK] stove.", "view": "layers"}
    plain_lens = open_page(**address)
    assert visits.value(plain_lens, "lens") == "logit"
    assert len(plain_lens.dataframe) == 0  # nothing is stored yet, and no agreement is claimed
    app = open_page(**address, lens="jacobian")
    assert not (own_home / "lenses").exists()  # computed on request alone
    assert f"klyuch fill lens --model {networks[0].name}" in page_text(app).replace("\\", "")
    lens = open_reader(networks[0].path).lens()
    again = open_page(**address, lens="jacobian")
    table = again.dataframe[0].value
    np.testing.assert_allclose(table.iloc[:, 1:3].T, lens.kl, atol=1e-5)
    np.testing.assert_allclose(table.iloc[:, 3:].T, 100 * lens.same, atol=1e-3)
    assert "lens=network.lens()" in page_text(again)
    _, lines = visits.pasted(again, networks[0])
    expected = fill(open_reader(networks[0].path), "The cat sat by [MASK] stove.", only_words=True)
    assert any(expected.masks[0].guesses[0].token in line for line in lines)


def test_a_damaged_lens_is_an_error_on_the_page(networks, own_home):
    lens = open_reader(networks[0].path).lens()
    path = own_home / "lenses" / f"{lens.weights}.safetensors"
    path.write_bytes(path.read_bytes()[:-9])
    visits.forget_answers()  # another test has read it
    app = open_page(lang="de", text="en", view="layers", lens="jacobian")
    assert any("Jacobi-Linse" in info.value and "Löschen" in info.value for info in app.info)
    assert len(app.get("plotly_chart")) == 1
