"""Change shows reports of change: words past the null, in three languages; damaged ones as a sentence."""

from dataclasses import replace

import numpy as np
import pytest

from app.views.change import chosen_report
from app.wording import wording
from embeddings.analysis.comparison_answers import ChangeReport, WordChange
from embeddings.analysis.model_comparison import corrected, null_p
from embeddings.shelf.change_reports import (
    change_reports,
    read_report,
    report_path,
    save_report,
)
from tests.app.visits import open_page, page_text

pytestmark = pytest.mark.usefixtures("small_shelf")


def report(kind="change", q=0.01):
    words = (
        WordChange("mouse", 0.6, 0.1, 0.0001, q, 50, 80, ("cat", "cheese"), ("keyboard",)),
        WordChange("dog", 0.12, 0.1, 0.4, 0.8, 90, 70, (), ("puppy",)),
    )
    return ChangeReport(
        kind, "old <b>", "new", (20, 30), (4_000, 5_000), 20, 4, words, {}, ((), ("modem",))
    )


def shown_words(app, say, name=""):
    """The table of words, once the report of that name is chosen."""
    if name:
        app.selectbox(key="change_report").set_value(name).run()
    return next(t.value for t in app.dataframe if say("change.q") in t.value.columns)


def test_words_past_the_null_are_listed_with_those_that_one_side_lacks(own_home):
    save_report(report(), report_path("mice"), {})
    save_report(replace(report(), first="new"), report_path("same"), {})
    save_report(replace(report(), alone=None), report_path("old"), {})
    left_out = replace(report("whatif"), second="3-4, “cat” → new", alone=(("cat",), ("modem",)))
    save_report(left_out, report_path("part"), {})
    say, page = wording("ru"), open_page("change", lang="ru", text="en", change_report="mice")
    table = shown_words(page, say)
    assert table[say("common.word")].tolist() == ["mouse"]
    assert table[say("change.gained")].tolist() == ["keyboard"]
    assert say("change.past", changed=1, measured=2, level=say.number(5)) in page_text(page)
    assert say("change.alone", side="new", words="modem") in [c.value for c in page.caption]
    assert "<b>" not in page_text(page).replace("\\<b\\>", "")
    # two texts of one name have a column of counts each
    assert shown_words(page, say, "same").iloc[0, -2:].tolist() == [50, 80]
    # made before words of one side were recorded
    assert shown_words(page, say, "old")[say("common.word")].tolist() == ["mouse"]
    assert read_report(report_path("old"))[0].alone is None
    # of a text with a part left out
    assert shown_words(page, say, "part")[say("change.count_changed")].tolist() == [80]
    assert "«cat» → new" in page_text(page)  # as Russian quotes
    captions = [caption.value for caption in page.caption]
    assert say("change.alone_whole", side="old \\<b\\>", words="cat") in captions
    assert say("change.alone_changed", words="modem") in captions


def test_where_nothing_is_significant_the_largest_shifts_have_both_p_values_and_the_page_says_what_could_be(
    own_home,
):
    save_report(report(q=0.9), report_path("nothing"), {})
    say = wording("de")
    app = open_page("change", lang="de", text="en")
    assert say("change.past", changed=0, measured=2, level="5") in page_text(app)
    assert say("change.candidates_change", words=2) in page_text(app)
    table = shown_words(app, say)
    assert table[say("common.word")].tolist() == ["mouse", "dog"]  # by falling shift
    assert table[say("change.p")].tolist() == [0.0001, 0.4]
    assert table[say("change.q")].tolist() == [0.9, 0.8]
    p, q = 1 / (1 + 2 * 20), 2 / (1 + 2 * 20)  # two words, twenty shuffles, none as large
    fields = {"trials": 20, "documents": 20, "measured": 2}
    fields |= {"p": say.number(p, 3), "q": say.number(q, 3)}
    assert say("change.power_change", **fields) in [caption.value for caption in app.caption]
    path = report_path("nothing")
    path.write_text(path.read_text().replace("mouse", "louse"))  # damaged
    assert "nothing.json" in "".join(info.value for info in app.run().info)


@pytest.mark.parametrize(("words", "trials"), [(1, 3), (40, 20), (700, 100)])
def test_the_smallest_p_of_a_report_is_that_of_a_word_beyond_all_null_movements(words, trials):
    rng = np.random.default_rng(words)
    null = rng.uniform(0.1, 0.2, (trials, words))
    observed = null.mean(axis=0)
    observed[0] = 1e6
    p = null_p(observed, null)
    smallest, alone = replace(report(), permutations=trials).smallest_p(words)
    assert smallest == pytest.approx(p[0])
    assert alone == pytest.approx(corrected(np.array([p[0], *[1.0] * (words - 1)]))[0])


def test_reports_of_the_models_language_come_first_even_before_ones_of_ones_own(own_home):
    for language in ("ru", "de"):
        save_report(report(), report_path(f"own-{language}"), {"language": language})
    for language, first in (("ru", "own-ru"), ("de", "own-de"), ("en", "en-fiction-wikipedia")):
        assert next(iter(chosen_report.reports_in_order(language))) == first


def test_without_a_report_the_page_says_how_to_make_one(own_home, monkeypatch):
    monkeypatch.setattr(chosen_report, "change_reports", dict)
    assert "klyuch words change" in page_text(open_page("change", lang="en"))


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en", "en-fiction-wikipedia"),
        ("ru", "ru-literature-news"),
        ("de", "de-literature-parliament"),
    ],
)
def test_the_first_visit_shows_the_report_that_ships_in_the_models_language(
    own_home, language, name
):
    say = wording(language)
    app = open_page("change", lang=language, text=language)
    picked = app.selectbox(key="change_report")
    assert picked.value == name
    assert picked.options[0] == say(f"change_name.{name}")
    report, measured = read_report(change_reports()[name])
    listed = shown_words(app, say)[say("common.word")].tolist()
    assert listed == [word.word for word in report.changed()]
    cut = say("change.past_cut", changed=len(report.words), measured=measured, level=say.number(5))
    assert (cut in page_text(app)) == (len(report.changed()) == len(report.words) < measured)
