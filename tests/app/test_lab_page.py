"""The page Lab, headless, over the experiments that were run; its figures, asserted on their data."""

import json

import pytest

from app.figures.experiment_drawings import COLOURS, lab_figure, series_looks
from app.figures.palette import GREY
from app.views.lab.experiment_sections import term
from app.wording import wording
from embeddings.errors import MissingFileError
from embeddings.lab import NAMES, experiment_files, read_experiment
from embeddings.lab.experiment import Drawing, Series
from embeddings.shelf import locations
from tests.app.plotly_figures import checked
from tests.app.visits import LANGUAGES, open_page, page_text, printed

lab_figure = checked(lab_figure)


def alone(drawing, names, axes):
    """The figure of a drawing that no other is shown next to."""
    return lab_figure(drawing, names, axes, series_looks([drawing]))


def were_run():
    """Names of the experiments whose results are here."""
    names = []
    for name in NAMES:
        try:
            read_experiment(name)
        except MissingFileError:
            continue
        names.append(name)
    return names


RUN = were_run()


def open_experiment(name, language="en", view="verdicts"):
    return open_page("lab", lang=language, lab_experiment=name, view=view)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_experiment_is_told_in_one_of_the_languages(language):
    app, say = open_experiment(RUN[0], language), wording(language)
    for name in RUN[list(LANGUAGES).index(language) :: len(LANGUAGES)]:
        experiment = read_experiment(name)
        assert experiment.question == wording("en")(f"lab_question.{name}")
        app.segmented_control(key="view").set_value("verdicts").run()
        app.segmented_control(key="lab_experiment").set_value(name).run()
        assert app.title[0].value == say("lab.title")
        assert app.header[0].value == say(f"lab_question.{name}")
        texts = page_text(app)
        assert say(f"lab_look.{name}") in texts
        assert all(say(f"lab_mark.{claim.verdict}") in texts for claim in experiment.claims)
        assert not app.table
        assert not app.get("plotly_chart")
        app.segmented_control(key="view").set_value("curves").run()
        assert len(app.get("plotly_chart")) == len(experiment.drawings)
        assert not app.table
        app.segmented_control(key="view").set_value("numbers").run()
        assert all(command in page_text(app) for command in experiment.commands)
        for shown, table in zip(app.table, experiment.tables, strict=True):
            assert len(shown.value) == len(table.rows)
            assert len(set(shown.value.columns)) == len(table.columns)


@pytest.mark.bookkeeping
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", RUN)
def test_every_claim_has_its_sentences_and_every_code_of_a_result_has_words(name, language):
    say, experiment = wording(language), read_experiment(name)
    for claim in experiment.claims:
        assert say.get(f"lab_claim.{claim.name}")
        assert say.get(f"lab_here.{claim.sentence or claim.name}")
        assert str(int(claim.source.partition(",")[0][-4:])) in say(f"lab_source.{claim.name}")
    codes = []
    for table in experiment.tables:
        for column, values in zip(table.columns, zip(*table.rows, strict=True), strict=True):
            assert say.get(f"lab_column.{column.name}"), column.name
            codes += [value for value in values if column.kind == "term" and value]
    for drawing in experiment.drawings:
        for series in drawing.series:
            codes += [series.name, *(series.x if drawing.kind != "lines" else ())]
    for part in {part for code in codes for part in str(code).split("|")}:
        assert "_" not in term(say, part), part


def test_a_missing_result_names_its_command_a_damaged_one_says_where(monkeypatch, tmp_path):
    path = locations.experiments() / "warm_start.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    value["drawings"][0]["series"][0]["y"][1] = "many"
    monkeypatch.setattr(experiment_files, "experiments", lambda: tmp_path)
    app = open_experiment("depth", "de")
    assert "; KLYUCH_MIRROR=FOLDER python -m benchmarks.depth" in app.info[0].value.replace(
        "\\", ""
    )
    assert app.header[0].value == wording("de")("lab_question.depth")
    (tmp_path / "warm_start.json").write_text(json.dumps(value), encoding="utf-8")
    app.segmented_control(key="lab_experiment").set_value("warm_start").run()
    info = app.info[0].value.replace("\\", "")
    assert "drawings[0].series[0].y[1]" in info
    assert "beschädigt" in info


def code_prints(app):
    """What the code that the page offers prints, and the first two cells of its lines."""
    text = printed(next(c.value for c in app.code if c.value.startswith("from embeddings")))
    return text, [line.split()[:2] for line in text.splitlines()]


def test_the_offered_code_prints_every_claim_and_row():
    app = open_experiment("warm_start")
    _, lines = code_prints(app)
    assert ["warm_table", "yes"] in lines
    assert ["start_cbow", "0.0007"] in lines
    app.segmented_control(key="lab_experiment").set_value("static").run()
    (text, lines), experiment = code_prints(app), read_experiment("static")
    assert text.startswith(experiment.question)
    assert all([claim.name, claim.verdict] in lines for claim in experiment.claims)
    assert all(str(row[0]) in text for table in experiment.tables for row in table.rows)
    cited = "Experiment static; python -m benchmarks.research.trials; commit "
    assert app.code[-1].value.startswith(cited)


def test_lines_differ_in_colour_or_dash_and_the_rest_waits_in_the_legend():
    series = tuple(Series(f"s{n}", (1, 2), (3.0, n), main=n < 9) for n in range(12))
    figure = alone(Drawing("d", "lines", "x", "y", series, 1.5), str.upper, ("x", "y"))
    assert [list(trace.y) for trace in figure.data] == [[3.0, n] for n in range(12)]
    assert [trace.visible for trace in figure.data] == [True] * 9 + ["legendonly"] * 3
    styles = {(t.line.color, t.line.dash, t.marker.symbol) for t in figure.data}
    assert len(styles) == 12
    assert figure.data[0].name == "S0"
    assert figure.layout.shapes[0].y0 == 1.5


def test_bars_have_their_values_and_the_names_of_their_rows():
    series = Series("ratio", ("a|b", "c"), (4.0, 0.5))
    drawing = Drawing("d", "bars", "work", "ratio", (series,), 1)
    figure = alone(drawing, lambda code: code.replace("|", " <"), ("work", "ratio"))
    assert list(figure.data[0].x) == [4.0, 0.5]
    assert list(figure.layout.yaxis.ticktext) == ["a &lt;b", "c"]
    assert figure.layout.xaxis.title.text == "ratio"


def test_dots_stand_in_a_row_a_name():
    series = [
        Series(name, ("a", "b"), values) for name, values in (("s", (0.1, None)), ("t", (0.2, 0.3)))
    ]
    figure = alone(Drawing("d", "dots", "x", "y", tuple(series)), str.upper, ("x", "y"))
    assert [list(dots.x) for dots in figure.data] == [[0.1, None], [0.2, 0.3]]
    assert [list(dots.y) for dots in figure.data] == [[0, 1], [0, 1]]
    assert list(figure.layout.yaxis.ticktext) == ["A", "B"]
    assert len({dots.marker.symbol for dots in figure.data}) == 2


def test_a_spread_is_drawn_as_error_bars():
    series = Series("s", ("a", "b"), (60.0, 70.0), (1.0, 2.0))
    figure = alone(Drawing("d", "bars", "x", "y", (series,)), str, ("x", "y"))
    assert list(figure.data[0].error_x.array) == [1.0, 2.0]


@pytest.mark.parametrize("name", NAMES)
def test_a_series_of_the_lab_looks_the_same_in_every_figure_and_no_two_look_alike(name):
    drawings = read_experiment(name).drawings
    looks = series_looks(drawings)
    drawn = {}
    for drawing in drawings:
        figure = lab_figure(drawing, str, ("x", "y"), looks=looks)
        for series, trace in zip(drawing.series, figure.data, strict=True):
            drawn.setdefault(series.name, set()).add(trace.marker.color)
    assert drawn == {name: {colour} for name, (colour, _, _) in looks.items()}
    assert len({(colour, dash) for colour, dash, _ in looks.values()}) == len(looks)
    shown = {series.name for drawing in drawings for series in drawing.series if series.main}
    assert len({looks[series][0] for series in shown}) == min(len(shown), len(COLOURS))
    assert GREY not in COLOURS  # that of chance: error bars, and lines that are compared with
