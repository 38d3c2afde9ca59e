"""Save as a file: the file holds the numbers of the page."""

import hashlib
import json
import re
from html import unescape

import numpy as np
import pyarrow as pa
import pytest

import embeddings
from app.wording import wording
from tests.app import visits
from tests.saved_page.contract import cells, data_of


@pytest.fixture
def saved(monkeypatch):
    """Return a function that opens a page and gives it and the file that it offers."""
    made = visits.deferred_files(monkeypatch)

    def save(page, **asked):
        app = visits.open_page(page, **asked)
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
    listed = [cell.lstrip("○● ").rsplit(" ", 1) for name in rows for cell in rows[name] if cell]
    written = zip(column(data, 2), column(data, 3), strict=True)
    assert [[word, f"{float(score):.2f}"] for word, score in written] == listed
    points = data["figure"]["points"]
    assert {"king", "man", "woman", "queen"} <= {data["items"][point[0]] for point in points}
    assert not any(name for name, _ in data["figure"]["groups"])  # each point has its label
    ends = [[data["items"][points[end][0]] for end in line] for line in data["figure"]["lines"]]
    assert {frozenset(line) for line in ends} >= {frozenset(("man", "king"))}


RESULTS = {  # sentences of a page with numbers of the answer
    "associations": ("spread.of_runs",),
    "compare": ("compare.runs",),
    "contexts": ("contexts.ari", "contexts.b_cubed"),
    "fill": ("fill.own",),
    "grammar": ("grammar.sums",),
    "classify": ("classify.sum", "classify.bias", "classify.reliable"),
}
WITHOUT_TABLE = ("associations", "fill")  # their lines are in the file alone


def displayed(frame):
    """The cells of a table as a browser shows them, by line."""
    written = pa.ipc.open_stream(frame.proto.arrow_data.styler.display_values).read_pandas()
    gaps = frame.value.isna().to_numpy()
    return np.where(gaps, "–", written.to_numpy()).tolist()


def read(text):
    """A number as it is written in a language, and half of its last digit."""
    text = text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
    scale = 0.01 if text.endswith("%") else 1
    plain = text.removesuffix("%").strip().replace(",", ".")
    return float(plain) * scale, 0.5 * scale * 10 ** -len(plain.partition(".")[2])


def is_number(text):
    """Whether a text is one number, with or without a percent sign."""
    return isinstance(text, str) and re.fullmatch(r"[+−]?\d+([.,]\d+)?([ \xa0]%)?", text)


def results(app, say, keys):
    """The sentences of a page with numbers of the answer, without Markdown."""
    for key in keys:
        form = re.sub(r"\\\{\w+\\\}", ".+?", re.escape(say.get(key)))
        form = re.sub(r"\*+", "", form.replace("\\*", "*"))
        texts = [re.sub(r"\\(.)|\*+", r"\1", t.value) for t in (*app.markdown, *app.caption)]
        said = [found for text in texts for found in re.findall(f"{form}(?= |$)", text)]
        assert said, key
        yield from said


def labels_of_bars(app):
    """The words of the page's bars, and the numbers written on them."""
    for chart in app.get("plotly_chart"):
        for trace in json.loads(chart.proto.spec)["data"]:
            if trace["type"] != "bar":
                continue
            for label, of in zip(
                trace.get("text") or (), trace.get("customdata") or (), strict=False
            ):
                if is_number(label):
                    yield of[0] if isinstance(of, list) else of, label


CASES = (
    *(("fill", "de", 10), ("grammar", "en", 13), ("contexts", "ru", 0), ("associations", "en", 0)),
    *(("compare", "en", 40), ("classify", "en", 9), ("change", "de", 0), ("analogies", "ru", 0)),
)  # with the bars at least that have a number


@pytest.mark.parametrize(("page", "lang", "bars"), CASES)
def test_every_number_that_a_page_shows_is_in_its_file_to_the_last_digit(saved, page, lang, bars):
    app, text = saved(page, lang=lang, text=lang)
    data, say = data_of(text), wording(lang)
    header = unescape(re.search(r"<header>(.*?)</header>", text, re.S)[1])
    assert all(f": {metric.value}" in header for metric in app.metric)
    assert all(sentence in header for sentence in results(app, say, RESULTS.get(page, ())))
    listed = {tuple(table["columns"]): cells(data, table["rows"]) for table in data["tables"]}
    compared = 0
    for frame in app.dataframe:
        names = list(frame.value.columns)
        for columns in (columns for columns in listed if {*columns} <= {*names}):
            at = [names.index(name) for name in columns]
            assert [[line[n] for n in at] for line in displayed(frame)] == listed[columns]
            compared += 1
    assert compared == (page not in WITHOUT_TABLE)
    rows, drawn = [line for lines in listed.values() for line in lines], list(labels_of_bars(app))
    assert len(drawn) >= bars
    for word, label in drawn:
        shown, half = read(label)
        near = [read(cell) for line in rows if word in line for cell in filter(is_number, line)]
        assert any(abs(value - shown) <= half + other + 1e-9 for value, other in near), word


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


def test_a_file_of_fill_begins_with_the_sentence_and_its_likeliest_word(saved):
    _, page = saved("fill", lang="en", text="en")
    assert f"[{column(data_of(page), 2)[0]}]" in page


def test_an_answer_too_large_for_a_file_is_cut_and_says_so(monkeypatch, small_shelf, saved):
    monkeypatch.setattr("app.widgets.saved_files.TABLE_ROW_LIMITS", (4, 2))
    _, page = saved("analogies", lang="en", text="en")
    assert len(data_of(page)["tables"][0]["rows"]) == 4
    assert wording("en")("common.save_cut", rows=4) in page


def test_ranges_of_several_trainings_are_error_bars(saved):
    _, page = saved("explore", lang="de", text="en", view="reliability")
    say, table = wording("de"), data_of(page)["tables"][0]
    ends = [table["columns"].index(say(f"spread.{name}")) for name in ("mean", "lowest", "highest")]
    for _, written, bar in table["rows"]:
        assert bar[1] <= bar[0] <= bar[2]
        assert [written[at] for at in ends] == [say.number(value, 4) for value in bar]


def test_a_page_without_an_answer_offers_no_file():
    app = visits.open_page("change", lang="en", text="en", view="whatif", whatif_documents="1")
    assert any("leave_out" in code.value for code in app.code)  # the Python is there already
    label = wording("en")("common.save_file")
    assert label not in {button.proto.label for button in app.get("download_button")}


def test_settings_that_are_switched_are_yes_or_no_in_the_language_of_the_screen(saved):
    for lang, yes, no in (("en", "yes", "no"), ("ru", "да", "нет"), ("de", "ja", "nein")):
        _, page = saved("analogies", lang=lang, text="en", inputs=1, analogies_fold=0)
        for key, said in (("inputs", yes), ("analogies_fold", no)):
            assert f"<dt>{wording(lang)(f'{key}.label')}</dt><dd>{said}</dd>" in page


@pytest.mark.parametrize(
    ("page", "asked", "most"),
    [
        ("explore", {"word": "wort000"}, 201),
        ("associations", {"pair": "wort000,wort001", "between": "wort002"}, 40),
        ("analogies", {"formula": "wort000 - wort001 + wort002"}, 40),
    ],
)
def test_a_file_of_a_private_model_names_it_and_has_no_word_but_those_of_the_answer(
    tmp_path, monkeypatch, saved, page, asked, most
):
    home, corpus = tmp_path / "home", tmp_path / "letters-to-a-lawyer"
    monkeypatch.setenv("KLYUCH_HOME", str(home))
    corpus.mkdir()
    words = [f"wort{number:03}" for number in range(400)]
    order = np.random.default_rng(0).permutation(np.repeat(words, 6)).reshape(-1, 12)
    (corpus / "private.txt").write_text("\n".join(" ".join(line) for line in order))
    embeddings.train(corpus, name="my-letters", language="de", vector_size=8, epochs=1, min_count=1)
    visits.forget_answers()
    app, text = saved(page, lang="de", text="de", models="my-letters", **asked)
    assert "my-letters" in app.query_params["models"]
    data = data_of(text)
    listed = [row for table in data["tables"] for row in cells(data, table["rows"])]
    answered = {*re.findall(r"wort\d{3}", f"{listed} {asked}")}
    assert set(re.findall(r"wort\d{3}", text)) == answered
    assert 2 < len(answered) <= most
    weights = (home / "models" / "my-letters" / "vectors.safetensors").read_bytes()
    footer = text[text.index("<footer>") :]
    assert f"sha256 {hashlib.sha256(weights).hexdigest()[:16]}" in footer
    assert "my-letters" in footer
    for secret in (str(tmp_path), "private.txt"):
        assert secret not in text
