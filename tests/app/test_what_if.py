"""Change leaves out a word's lines of a text: trained in a process of its own, beside the movement that a new seed alone makes."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from app.views.change.compared_texts import RUNNING, free_report
from app.wording import wording
from embeddings.errors import InputError
from embeddings.jobs import control, job_folder, recipes
from embeddings.jobs.job_folder import jobs
from embeddings.shelf.change_reports import CHANGES_FOLDER, report_path, save_report
from tests.app.test_change_reports import report
from tests.app.test_compared_texts import FEWER, run_as_the_command_does
from tests.app.visits import MAIN, open_page, page_text

pytestmark = pytest.mark.usefixtures("small_shelf", "no_job_left")


def test_lines_of_a_word_are_left_out_and_a_seeds_movement_stands_beside(
    own_home, run, monkeypatch
):
    """What is trained and measured then: tests/cli/test_change_commands.py."""
    monkeypatch.setattr(control, "_launch", lambda *_: None)  # it waits
    app = open_page("change", lang="en", whatif_word="key")
    app.button(key="whatif-start").click().run()
    (job,) = jobs()
    assert (job.function, job.call["without_word"]) == ("leave_out", "key")
    asked = ("whatif", recipes.demonstration("en"), "--without-word", "key")
    found = run_as_the_command_does(run, job, *asked, **FEWER)
    assert "key" in found.alone[0]
    assert found.settings["permutations"] == found.permutations == 0
    save_report(report("whatif"), report_path("mice"), {})
    app, say = open_page("change", lang="en", change_report="mice"), wording("en")
    table = next(t.value for t in app.dataframe if say("change.retraining") in t.value.columns)
    assert table[say("change.movement")].tolist() == [0.6]
    assert table[say("change.retraining")].tolist() == [0.1]
    assert "moves them by **0.100**" in page_text(app)


def test_a_word_that_the_text_lacks_or_has_once_is_refused_before_a_job_is_started(own_home):
    say, app = wording("en"), open_page("change", lang="en", whatif_word="zebra")
    sentences = []
    for word in ("zebra", "vault"):
        app.text_input(key="whatif_word").set_value(word).run()
        app.button(key="whatif-start").click().run()
        sentences.append(say.error(InputError("whatif_word", word=word, least=2)))
        assert [info.value for info in app.info] == sentences[-1:]
    assert not jobs()


def test_nothing_left_out_and_a_swap_without_a_text_are_sentences_and_no_job(own_home):
    say, app = wording("de"), open_page("change", lang="de", view="whatif")
    app.button(key="whatif-start").click().run()
    assert say("whatif.nothing") in [info.value for info in app.info]
    app.text_input(key="whatif_word").set_value("key")
    app.segmented_control(key="whatif_swap").set_value("paste").run()
    app.button(key="whatif-start").click().run()
    assert say.error(InputError("whatif_no_swap")) in [info.value for info in app.info]
    assert not jobs()


def test_a_report_that_an_unfinished_training_will_write_is_no_other_ones(own_home, monkeypatch):
    monkeypatch.setattr(control, "_launch", lambda *_: None)  # both wait
    names = []
    for _ in range(2):
        report = free_report("novels")
        plan = recipes.whatif_plan(own_home / "novels", report, without="3")
        control.start(plan)
        names.append(report.name)
    assert plan.call == {"corpus": str(own_home / "novels"), "without": "3", "output": str(report)}
    assert names == ["novels-1.json", "novels-2.json"]
    (own_home / CHANGES_FOLDER).mkdir()
    (own_home / CHANGES_FOLDER / "novels-3.json").touch()
    assert free_report("novels") == own_home / CHANGES_FOLDER / "novels-4.json"
    assert free_report("letters").name == "letters-1.json"


def test_a_training_removed_in_another_window_while_it_is_shown_is_a_sentence(
    own_home, monkeypatch
):
    def removed(job_id):
        raise InputError("job_unknown", job=job_id)

    job = SimpleNamespace(is_alive=True, job_id="a")
    answers = iter([job])
    monkeypatch.setattr(job_folder, "find_job", lambda name: next(answers, None) or removed(name))
    app = AppTest.from_file(MAIN, default_timeout=60)
    app.query_params.update({"lang": "en"})
    app.session_state[RUNNING] = "a"
    app.switch_page("views/change/change.py").run()
    sentence = wording("en").error(InputError("job_unknown", job="a"))
    assert sentence in [info.value.replace("\\", "") for info in app.info]


SWAPPED = "The sailor stood on the pier and looked at the sea.\nThe key was on the pier.\n"


def test_a_pasted_text_takes_the_place_of_documents(own_home, monkeypatch):
    monkeypatch.setattr(control, "_launch", lambda *_: None)  # it waits
    app = open_page("change", lang="en", whatif_documents="1-3", whatif_swap="paste")
    app.text_area(key="whatif_swap_pasted").set_value(SWAPPED)
    app.button(key="whatif_swap-take").click().run()
    app.text_area(key="whatif_swap_pasted").set_value("Another text, which is not stored.").run()
    sentence = wording("en")("whatif_swap.chosen", name="text")
    assert sentence in [caption.value for caption in app.caption]
    app.button(key="whatif-start").click().run()
    (job,) = jobs()
    swap = own_home / "corpora" / "text"
    assert (job.call["without"], job.call["swap"]) == ("1-3", str(swap))


def test_a_text_in_another_encoding_is_refused_and_the_reports_are_shown_all_the_same(own_home):
    app = open_page("change", lang="ru", whatif_swap="upload")
    cyrillic = "Матрос стоял на пристани и смотрел на море.\n".encode("cp1251")
    app.file_uploader(key="whatif_swap_files").upload("a.txt", cyrillic, "text/plain").run()
    app.button(key="whatif_swap-take").click().run()
    assert any("WINDOWS-1251" in info.value.upper() for info in app.info)
    assert app.segmented_control(key="view").value == "whatif"
    assert not (own_home / "corpora").exists() or not any((own_home / "corpora").iterdir())
