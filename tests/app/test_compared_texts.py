"""Change starts a comparison of two texts or periods: sizes are said before, bad requests are sentences, the report opens at the end."""

from dataclasses import replace

import pytest

from app.views.change.compared_texts import RUNNING, free_report, is_comparison, report_of
from app.wording import wording
from embeddings.errors import InputError
from embeddings.jobs import control, recipes, speed_sample
from embeddings.jobs.job_answers import SpeedSample
from embeddings.jobs.job_folder import ENDED, jobs, mark
from embeddings.results import plain
from embeddings.shelf import corpora
from embeddings.shelf.change_reports import own_report, read_report
from tests.app.conftest import same, store_text
from tests.app.visits import open_page, page_text
from tests.cli.test_change_commands import documents

FEWER = {"retrainings": 3, "workers": 1}  # what is left out suits the texts


def run_as_the_command_does(run, job, *asked, **fewer):
    """Run a job with fewer trainings and return its report, which is what a command prints that is asked no more than the page."""
    recipes.run_job(replace(job, call=job.call | fewer), None)
    report, measured = read_report(report_of(job))
    options = [f"--{name}={value}" for name, value in fewer.items()]
    printed = run("words", *asked, *options, "--json").json
    assert (len(printed["words"]), printed["changed"]) == (measured, len(report.changed()))
    printed["words"] = printed["words"][: len(report.words)]  # the report has the most significant
    expected = plain(report)
    assert same({name: printed[name] for name in expected}, expected)
    return report


def planted_text(number, seed, home):
    """Documents in which «wave» stands among the words of the group ``home``."""
    return "\n\n".join(documents(number, seed, home))


@pytest.fixture
def home(small_shelf, no_job_left, own_home, monkeypatch):
    """An empty home, in which no job is left; the machine is as fast as that of the benchmarks."""
    sample = SpeedSample(1.0, 1, 1.0)
    monkeypatch.setattr(speed_sample, "speed_sample", lambda *_: sample)
    return own_home


def columns(app):
    """The columns of dates and of texts."""
    return app.selectbox(key="sides_date").value, app.selectbox(key="sides_column").value


def sentences(app):
    """What the page refuses."""
    return [info.value.replace("\\", "").replace("\u2060", "") for info in app.info]


def test_what_the_page_starts_measures_a_planted_change_and_its_report_opens(
    home, run, monkeypatch
):
    monkeypatch.setattr(control, "_launch", lambda *_: None)  # it runs here, with fewer trainings
    say = wording("en")
    thrice = "\n\nthrice" * 3  # common enough for a text of this size
    store_text(home, "before", planted_text(48, 1, "sea") + thrice)
    app = open_page("change", lang="en", sides_first="corpus", sides_second="paste")
    app.text_area(key="sides_second_pasted").set_value(planted_text(48, 2, "law") + thrice)
    app.text_input(key="sides_second_corpus_name").set_value("after")
    app.button(key="sides_second-take").click().run()
    text = page_text(app)
    assert "and are measured: **50**" in text  # four groups of twelve, «wave» and «thrice»
    assert "trained 25 times: once as they are, 4 times with other seeds, 20 times" in text
    app.button(key="sides-start").click().run()
    (job,) = jobs()
    name = report_of(job).stem
    assert name == "before-after-1"
    assert job.call["permutations"] == 20
    texts = (home / "corpora" / "before", home / "corpora" / "after")
    report = run_as_the_command_does(run, job, "change", *texts, permutations=3, **FEWER)
    chosen = [report.settings[name] for name in ("vector_size", "epochs", "min_count", "least")]
    assert chosen == [40, 100, 2, 3]
    mark(job.folder / ENDED, code=0, name="")
    app.session_state[RUNNING] = job.job_id
    app.run()
    assert (report.first, report.second) == ("before", "after")
    assert report.documents == (51, 51)
    assert report.words[0].word == "wave"
    assert all(word.startswith("law") for word in report.words[0].gained)
    assert app.selectbox(key="change_report").value == name
    table = next(t.value for t in app.dataframe if say("change.q") in t.value.columns)
    assert table[say("common.word")].tolist()[0] == "wave"


def test_a_comparison_is_there_after_a_reload_keeps_its_name_and_is_cancelled_without_a_trace(home):
    store_text(home, "first", planted_text(60, 1, "sea"))
    store_text(home, "second", planted_text(19, 2, "law"))
    address = {"lang": "en", "sides_first": "corpus", "sides_second": "corpus"}
    app = open_page("change", **address, sides_permutations=100)
    assert wording("en")("sides.few_documents") in [caption.value for caption in app.caption]
    app.button(key="sides-start").click().run()
    (job,) = jobs()
    assert is_comparison(job)
    assert "train-cancel" in [button.key for button in app.button]  # at once
    assert report_of(job) == own_report("first-second-1")
    assert free_report("first-second") == own_report("first-second-2")
    reloaded = open_page("change", lang="en")
    reloaded.button(key="train-cancel").click().run()
    shown = sentences(reloaded)  # it may have stopped by then
    assert control.wait(job.job_id, 60).state == "cancelled"
    assert not own_report("first-second-1").exists()
    assert not list(job.folder.glob(".temporary"))
    reloaded.run()
    assert wording("en")("comparison.cancelled") in [*shown, *sentences(reloaded)]


def test_a_pasted_table_of_dated_texts_is_divided_at_a_year(home, run, monkeypatch):
    monkeypatch.setattr(control, "_launch", lambda *_: None)  # it waits
    texts = planted_text(60, 1, "sea").split("\n\n")
    rows = [f"{1800 + n}\t{text}".replace("\n", " ") for n, text in enumerate(texts)]
    app = open_page("change", lang="de", text="de", sides_way="periods", sides_table="paste")
    app.text_area(key="sides_table_pasted").set_value("\n".join(["Jahr\tText", *rows, "?\tx"]))
    app.button(key="sides_table-take").click().run()
    assert columns(app) == ("jahr", "text")
    app.text_input(key="sides_year").set_value("1820").run()
    text = page_text(app)
    assert "900 Token in 20 Dokumenten gegen 1.800 Token in 40 Dokumenten" in text
    assert wording("de")("sides.undated", undated=1) in text
    app.button(key="sides-start").click().run()
    (job,) = jobs()
    table = home / "corpora" / "table"
    dated = {"first": str(table), "at": 1820, "date_column": "jahr", "text_column": "text"}
    assert (dated | {"output": str(own_report("table-1820-1"))}).items() <= job.call.items()
    asked = ("change", table, "--at=1820", "--date-column=jahr", "--text-column=text")
    report = run_as_the_command_does(run, job, *asked, permutations=3, **FEWER)
    assert report.tokens == (900, 1_800)
    app = open_page("train", lang="de")
    assert "table" not in [o for box in app.selectbox for o in box.options]  # it is no text


def test_an_uploaded_table_is_stored_as_a_table_and_one_in_another_encoding_is_refused(home):
    app = open_page("change", lang="ru", sides_way="periods", sides_table="upload")
    table = "год;текст\n1700;ключ\n1900;дверь\n"
    uploader = app.file_uploader(key="sides_table_files")
    uploader.upload("letters.csv", table.encode("cp1251"), "text/csv").run()
    app.button(key="sides_table-take").click().run()
    assert any("WINDOWS-1251" in sentence for sentence in sentences(app))
    assert not (home / "corpora").exists() or not any((home / "corpora").iterdir())
    app.selectbox(key="sides_table_encoding").set_value("windows-1251").run()
    app.button(key="sides_table-take").click().run()
    assert (home / "corpora" / "letters" / "letters.tsv").read_text(encoding="utf-8") == table
    assert [corpus.kind for corpus in corpora()] == ["table"]
    assert app.selectbox(key="sides_date").options == ["год", "текст"]


LETTERS = "\n\n".join(f"key door number{n}" for n in range(6))
DATED = {"sides_way": "periods", "sides_table": "corpus", "sides_table_corpus": "dates"}


FEW_WAYS = {"first": 3, "second": 3, "ways": 20, "permutations": 20}


def dated(*dates):
    """A table with a text for each date."""
    return "date\ttext" + "".join(f"\n{date}\tkey door" for date in dates)


@pytest.mark.parametrize(
    ("year", "table", "code", "fields"),
    [
        ("", "One <b>. Two", "dates_one_column", {"named": "one <b>. two"}),
        ("1800", dated("1.3.1850"), "dates_none", {"name": "date", "value": "1.3.1850"}),
        ("1", dated(1700, 1850), "dates_year", {"year": 1, "low": 100, "high": 9999}),
        ("1800", dated(1700, 1750), "dates_side", {"before": 2, "after": 0, "year": 1800}),
        ("1800", dated(*[1700] * 5, 1850), "change_documents", {"first": 5, "second": 1}),
        ("1800", dated(*[1700] * 3, *[1850] * 3), "change_deals", FEW_WAYS),
    ],
)
def test_a_table_that_cannot_divide_texts_is_a_sentence_and_no_job(home, table, year, code, fields):
    store_text(home, "dates", table, suffix=".tsv")
    app = open_page("compare", lang="ru", text="ru", sides_year=year, **DATED)
    path = home / "corpora" / "dates" / "a.tsv"
    assert wording("ru").error(InputError(code, path=path, **fields)) in sentences(app)
    assert "sides-start" not in [button.key for button in app.button]
    assert app.segmented_control(key="view").value == "periods"  # the rest of the page is there
    assert not jobs()


def test_a_column_named_as_markup_is_shown_as_it_is_and_texts_are_guessed(home):
    store_text(home, "dates", "<b>when</b>\tpage\ttext\n1700\t1\tkey\n", suffix=".tsv")
    app = open_page("change", lang="en", **DATED)
    assert app.selectbox(key="sides_date").options == ["<b>when</b>", "page", "text"]
    assert app.selectbox(key="sides_column").value == "text"
    assert "<b>" not in page_text(app)


def test_the_column_beside_the_dates_is_another_one(home):
    store_text(home, "dates", "novel\tyear\n1700 keys\t1700\nA door\t1900\n", suffix=".tsv")
    app = open_page("change", lang="en", sides_column="year", **DATED)
    assert columns(app) == ("year", "novel")
    app.selectbox(key="sides_date").set_value("novel").run()
    assert app.selectbox(key="sides_column").options == ["year"]


def test_what_is_not_there_yet_is_said_on_the_button(home):
    app, say = open_page("change", lang="ru", view="texts"), wording("ru")
    for view, code in (("texts", "change_missing"), ("periods", "change_table_missing")):
        app.segmented_control(key="view").set_value(view).run()
        app.button(key="sides-start").click().run()
        assert say.error(InputError(code)) in sentences(app)
    assert not jobs()


def test_small_texts_and_the_same_text_twice_are_sentences(home):
    store_text(home, "letters", LETTERS)
    address = {"lang": "en", "sides_first": "corpus", "sides_second": "corpus"}
    same = wording("en").error(InputError("change_same", name="letters"))
    assert same in sentences(open_page("change", **address))
    store_text(home, "others", LETTERS)
    few = wording("en").error(InputError("change_few", words=2, least=3, bound=40))
    assert few in sentences(open_page("change", **address))


def test_a_public_server_compares_nothing(home, monkeypatch):
    monkeypatch.setenv("KLYUCH_PUBLIC", "1")
    for view in ("texts", "whatif"):
        app = open_page("change", lang="en", view=view)
        assert app.segmented_control(key="view").options == [wording("en")("view.report")]
        assert not {"sides-start", "whatif-start"} & {button.key for button in app.button}
