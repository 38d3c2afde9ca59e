"""Save as a file: the file holds the numbers of the page."""

from html import unescape

import pytest

from app.wording import wording
from tests.app import visits
from tests.saved_page.contract import cells, data_of


@pytest.fixture
def saved(monkeypatch):
    """Return a function that opens a page and gives it and the file that it offers."""
    made = visits.deferred_files(monkeypatch)

    def save(page, **asked):
        app = visits.open_page(page, boxes=(), **asked)
        label = wording(asked["lang"])("common.save_file")
        (button,) = [b for b in app.get("download_button") if b.proto.label == label]
        return app, made[button.proto.deferred_file_id]()

    return save


@pytest.mark.parametrize(("lang", "fold"), [("de", 0), ("ru", 1)])
def test_a_file_of_explore_has_the_numbers_of_the_page_to_the_last_digit(
    small_shelf, saved, lang, fold
):
    app, page = saved("explore", lang=lang, text=lang, fold=fold, n=4)
    data, say = data_of(page), wording(lang)
    assert f'<html lang="{lang}">' in page
    shown = app.dataframe[0].value
    assert [table["title"] for table in data["tables"]] == list(shown.columns)
    for table in data["tables"]:
        rows = cells(data, table["rows"])
        listed = [cell.split(" ", 1)[1] for cell in shown[table["title"]] if cell]
        written = []
        for word, cosine in rows[: len(listed)]:
            value = float(cosine.replace(",", ".").replace("−", "-"))
            written.append(f"{word} {say.number(value, 2)}")
        assert written == listed
        assert len(rows) > len(listed)
    cited = [line for code in app.code for line in code.value.splitlines() if "sha256" in line]
    assert cited
    assert all(line in unescape(page) for line in cited)


def column(data, number, table=0):
    return [row[number] for row in cells(data, data["tables"][table]["rows"])]


def test_a_file_of_analogies_has_the_answers_and_the_plane(saved):
    app, page = saved("analogies", lang="en", text="en", formula="king - man + woman")
    data, rows = data_of(page), app.dataframe[0].value
    listed = [cell.split("  ") for name in rows for cell in rows[name] if cell]
    written = zip(column(data, 2), column(data, 3), strict=True)
    assert [[word, f"{float(score):.2f}"] for word, score in written] == listed
    points = data["figure"]["points"]
    assert {"king", "man", "woman", "queen"} <= {data["items"][point[0]] for point in points}
    ends = [[data["items"][points[end][0]] for end in line] for line in data["figure"]["lines"]]
    assert {frozenset(line) for line in ends} >= {frozenset(("man", "king"))}


def test_files_of_associations_and_compare_have_the_numbers_in_large_letters(saved):
    for page in ("associations", "compare"):
        app, text = saved(page, lang="de", text="de")
        data_of(text)
        for metric in app.metric:
            assert f": {metric.value}</p>" in unescape(text), metric.label


def test_a_file_of_contexts_links_a_sentence_with_its_point(saved):
    _, page = saved("contexts", lang="ru", text="ru")
    data = data_of(page)
    groups = [name for name, _ in data["figure"]["groups"]]
    drawn = {data["items"][point[0]]: groups[point[3]] for point in data["figure"]["points"]}
    listed = dict(zip(column(data, 0), column(data, 2), strict=True))
    assert drawn == listed
    assert len(listed) > 30
    assert all("[" in sentence for sentence in column(data, 1))
    assert '<p class="about" dir="auto">ключ</p>' in page


def test_a_file_of_change_has_the_table_as_it_is_written(saved):
    app, page = saved("change", lang="de", text="en")
    data, rows = data_of(page), app.dataframe[0].value
    assert column(data, 0) == list(rows.iloc[:, 0])
    say = wording("de")
    assert column(data, 1) == [say.number(value, 4) for value in rows.iloc[:, 1]]
    assert {float(p.replace(",", ".")) for p in column(data, 3)} == {
        float(f"{p:.1e}") for p in rows.iloc[:, 3]
    }


def test_a_file_of_grammar_adds_up_to_the_sums_of_the_page(saved):
    _, page = saved("grammar", lang="en", text="en")
    data = data_of(page)
    for side in set(column(data, 0)):
        rows = zip(column(data, 0), column(data, 3), strict=True)
        total = sum(float(n.replace("−", "-")) for name, n in rows if name == side)
        assert wording("en").number(total, 2) in page


def test_files_of_fill_and_classify_begin_with_the_answer(saved):
    _, page = saved("fill", lang="en", text="en")
    assert f"[{column(data_of(page), 2)[0]}]" in page
    app, page = saved("classify", lang="en", text="en")
    assert all(f": {metric.value}</p>" in page for metric in app.metric)
    assert column(data_of(page), 1)


def test_an_answer_too_large_for_a_file_is_cut_and_says_so(monkeypatch, small_shelf, saved):
    monkeypatch.setattr("app.widgets.saved_files.ROWS", (4, 2))
    _, page = saved("analogies", lang="en", text="en")
    assert len(data_of(page)["tables"][0]["rows"]) == 4
    assert wording("en")("common.save_cut", rows=4) in page


def test_ranges_of_several_trainings_are_error_bars(saved):
    _, page = saved("explore", lang="de", text="en", view="reliability")
    table = data_of(page)["tables"][0]
    mean, low, high = (
        table["columns"].index(wording("de")(f"spread.{name}"))
        for name in ("mean", "lowest", "highest")
    )
    for _, written, bar in table["rows"]:
        assert bar[1] <= bar[0] <= bar[2]
        assert [written[at] for at in (mean, low, high)] == [
            wording("de").number(value, 4) for value in bar
        ]


def test_a_page_without_an_answer_offers_no_file():
    app = visits.open_page("change", lang="en", text="en", view="whatif", whatif_documents="1")
    assert any("whatif" in code.value for code in app.code)  # the question has its Python already
    label = wording("en")("common.save_file")
    assert label not in {button.proto.label for button in app.get("download_button")}


def test_settings_that_are_switched_are_yes_or_no_in_the_language_of_the_screen(saved):
    for lang, yes, no in (("en", "yes", "no"), ("ru", "да", "нет"), ("de", "ja", "nein")):
        for inputs, said in ((1, yes), (0, no)):
            _, page = saved("analogies", lang=lang, text="en", inputs=inputs)
            label = wording(lang)("inputs.label")
            assert f"<dt>{label}</dt><dd>{said}</dd>" in page
