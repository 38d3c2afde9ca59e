"""The page Train, headless: something to train on at once, texts taken in, a job started, watched and told."""

import json
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from app.figures import training_progress
from app.figures.training_progress import film_figure, loss_figure
from app.views.train import job_choice, job_start, running_job
from app.views.train.running_job import film_page
from app.widgets import snippets
from app.wording import wording
from embeddings import Vectors, shelf
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.jobs import control, recipes, speed_sample
from embeddings.jobs.job_answers import Film, Job, LossCurve, SpeedSample
from embeddings.jobs.job_folder import read_job
from embeddings.method_registry import METHODS, network_methods
from embeddings.static.word2vec import Word2VecConfig, train_word2vec
from embeddings.training.settings import (
    StaticSettings,
    defaults,
    network_configs,
    settings_of_model,
)
from tests.app.conftest import store_text
from tests.app.plotly_figures import checked
from tests.app.visits import LANGUAGES, forget_answers, open_page, page_text

film_figure, loss_figure = checked(film_figure), checked(loss_figure)
MODELS = Path(__file__).resolve().parents[2] / "data" / "models"
SAY = wording("en")
LINES = ["the cat sees the dog in the yard", "a dog sees a cat and runs", "the yard has a cat"]
NAMES = {name: name for name in ("unit", "loss", "since", "pass", "play", "pause")}
NAMES["heldout"] = "held out"


@pytest.fixture
def home(no_job_left, tmp_path, monkeypatch):
    """An empty home, in which no job is left, on a machine whose speed is known: it is measured by training for some seconds."""
    sample = SpeedSample(1.0, 1000, 1.0)
    measured = SimpleNamespace(soon=lambda *_: (sample,))
    monkeypatch.setattr(job_start, "measured_speed", measured)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("KLYUCH_HOME", str(folder))
    return folder


@pytest.fixture(scope="module")
def finished_job(tmp_path_factory):
    """A home and the id of a job in it that has trained a model."""
    home = tmp_path_factory.mktemp("home")
    (home / "farm.txt").write_text("\n".join(LINES * 20) + "\n")
    text = recipes.Text((home / "farm.txt",), "farm", "en")
    plan = recipes.plan(text, "skipgram", StaticSettings(8, 2, 1, 6, 1), "farm", ("cat",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KLYUCH_HOME", str(home))
        job = control.wait(control.start(plan).job_id, 120)
    assert job.state == "done"
    return home, job.job_id


@pytest.fixture
def trained(home, finished_job):
    """The folder of that job in a home of its own."""
    shutil.copytree(finished_job[0], home, dirs_exist_ok=True)
    return home / "jobs" / finished_job[1]


def open_job(folder, language="en"):
    return open_page("train", lang=language, text="en", train_job=folder.name)


def ended(folder, **facts):
    """Let a job have ended otherwise."""
    (folder / "ended.json").unlink(missing_ok=True)
    if facts:
        (folder / "ended.json").write_text(json.dumps(facts))


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_any_text_there_is_one_ready_to_train_on(home, monkeypatch, language):
    sentences, spinner, say = [], st.spinner, wording(language)
    monkeypatch.setattr(st, "spinner", lambda text, **_: sentences.append(text) or spinner(text))
    app = open_page("train", lang=language, text=language)
    assert set(sentences) == {say("train.counting")}  # it may take seconds the first time
    assert app.title[0].value == say("train.title")
    assert app.button(key="train-start").label == say("train.start")
    assert len(app.metric) == 4
    assert say("train.preview_note") in page_text(app)
    assert (home / "corpora" / f"demonstration-{language}").is_dir()
    assert not app.info


def test_every_method_brings_its_settings_an_estimate_and_networks_of_its_own_to_go_on_from(home):
    static = {"train_vector_size", "train_window", "train_min_count", "train_passes"}
    network = {"train_hidden", "train_layers", "train_vocab", "train_steps"}
    cards = [json.loads(card.read_text("utf-8")) for card in MODELS.glob("*/card.json")]
    app = open_page("train", lang="en", text="en")
    assert app.slider(key="train_passes").value == 100
    app.slider(key="train_passes").set_value(7).run()
    for method in METHODS:
        app.segmented_control(key="train_method").set_value(method).run()
        assert SAY(f"method_about.{method}") in page_text(app)
        assert "of memory" in page_text(app)
        is_network = method in network_methods()
        assert {slider.key for slider in app.slider} == (network if is_network else static)
        if not is_network:  # the number of passes is kept until the method changes
            passes = {"skipgram": 7, "glove": 60}
            assert app.slider(key="train_passes").value == passes.get(method, 100)
            continue
        assert app.segmented_control(key="train_begin").value == "vectors"
        app.segmented_control(key="train_begin").set_value("model").run()
        assert {slider.key for slider in app.slider} == {"train_steps"}
        assert SAY("train_begin_about.model") in page_text(app)
        names = [c["name"] for c in cards if (c["kind"], c["method"]) == ("network", method)]
        assert sorted(app.selectbox(key="train_model").options) == sorted(names)
        app.segmented_control(key="train_begin").set_value("vectors").run()


def test_a_model_of_any_size_can_be_gone_on_from_and_a_damaged_one_is_a_sentence(home, tiny_bert):
    """One of 24 numbers and 64 positions is smaller than the page would train; its texts are cut to what it reads."""
    folder = home / "models" / "tiny"
    shutil.copytree(tiny_bert, folder)
    settings = settings_of_model(defaults("bert", 10**6), "tiny", folder)
    assert (settings.hidden_size, settings.positions) == (24, 64)
    assert network_configs("bert", settings).training.max_tokens == 64
    chosen = {"train_method": "bert", "train_begin": "model", "train_model": "tiny"}
    app = open_page("train", lang="en", text="en", **chosen)
    assert {m.label: m.value for m in app.metric}[SAY("train.model_width")] == "24"
    app.selectbox(key="train_model").set_value("bert-en").run()
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics[SAY("train.model_pieces")] == "16,000"
    assert metrics[SAY("train.model_width")] == "256"
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"hidden_size": "wide"}))
    app = open_page("train", lang="en", text="en", **chosen)
    assert "=wide, which this version cannot build" in page_text(app)
    assert not [button for button in app.button if button.key == "train-start"]


def test_a_bound_that_leaves_nothing_is_said(home):
    store_text(home, "small", "one two three four\n")
    app = open_page("train", lang="en", text="en", train_source="shelf", train_min_count=5)
    assert [info.value for info in app.info] == [SAY("train.too_small")]
    assert not [button for button in app.button if button.key == "train-start"]


def test_a_pasted_text_is_stored_and_can_be_trained_on_and_files_uploaded(home):
    app = open_page("train", lang="en", text="en", train_source="paste")
    assert not app.metric
    app.text_area(key="train_pasted").set_value("\n".join(LINES * 9)).run()
    app.text_input(key="train_corpus_name").set_value("farm").run()
    app.button(key="train-take").click().run()
    assert "Stored as" in app.success[0].value
    assert app.metric[0].value == "180"
    assert (home / "corpora" / "farm" / "en_text.txt").is_file()
    app.button(key="train-take").click().run()
    assert "already" in app.info[0].value
    app = open_page("train", lang="en", text="en", train_source="upload")
    note = SAY("train.upload_note")  # has no path of the server and no markup
    assert app.file_uploader(key="train_files").help.endswith(note)
    assert "`" not in note
    assert str(home) not in page_text(app)


def test_without_a_text_on_the_shelf_a_public_one_is_brought_by_a_job(home, monkeypatch):
    plans = []
    monkeypatch.setattr(control, "start", lambda plan: plans.append(plan))
    app = open_page("train", lang="de", text="ru", train_source="shelf")
    assert app.info[0].value == wording("de")("train.shelf_none")
    app.selectbox(key="train_get").set_value("ru_literature").run()
    assert "RusLit" not in page_text(app)
    assert "public domain" in page_text(app)
    app.button(key="train-get").click().run()
    assert (plans[0].function, plans[0].call) == ("get_corpus", {"name": "ru_literature"})


def test_a_started_job_is_shown_and_a_name_that_is_taken_is_refused(home, monkeypatch):
    started = []

    def start(plan):
        if started:
            raise InputError("model_taken", name=plan.name, free="other")
        started.append(plan)

    monkeypatch.setattr(control, "start", start)
    app = open_page("train", lang="en", text="en")
    app.text_input(key="train_name").set_value("mine").run()
    app.text_input(key="train_words").set_value("bank, key").run()
    app.button(key="train-start").click().run()
    assert (started[0].name, started[0].method, started[0].passes) == ("mine", "skipgram", 100)
    assert started[0].watched == ("bank", "key")
    app.button(key="train-start").click().run()
    assert "mine" in app.info[0].value


def test_a_finished_job_shows_curve_neighbours_film_and_other_words_until_it_is_removed(
    trained, monkeypatch
):
    app, say = open_job(trained, "de"), wording("de")
    assert say("train.state_done") in page_text(app)
    assert len(app.get("plotly_chart")) == 2
    assert say("train.near_title", unit=say("train.unit_epoch"), passes=6) in page_text(app)
    assert "cat" in page_text(app)
    field = app.text_input(key=f"train_watch_{trained.name}")
    assert field.placeholder == "cat"
    assert {button.key for button in app.button} >= {"train-again", "train-remove"}
    field.set_value("dog, wolf").run()
    assert say("train.near_lacks", words="wolf") in page_text(app).replace("\\", "")
    assert "**dog**" in page_text(app)

    def gone(job_id):
        raise InputError("job_unknown", job=job_id)

    with monkeypatch.context() as patch:
        patch.setattr(control, "remove", gone)  # in another window
        app.button(key="train-remove").click().run()
    unknown = say.error(InputError("job_unknown", job=trained.name))
    assert app.info[0].value.replace("\\", "") == unknown
    app.button(key="train-remove").click().run()
    assert not trained.exists()
    assert app.button(key="train-start")


def test_why_a_job_ended_is_said_in_the_language_of_the_screen(trained):
    (trained / "log.txt").write_text("Traceback\nMemoryError\n")
    for language, facts, code, fields in (
        ("en", {}, "job_cut", {}),
        ("ru", {"code": -9}, "job_killed", {"signal": 9}),
        ("de", {"code": 1}, "job_crashed", {"number": 1}),
    ):
        ended(trained, **facts)
        app, say = open_job(trained, language), wording(language)
        sentence = say.error(InputError(code, **fields))
        assert sentence.split(":")[0].split("(")[0].strip() in app.info[0].value.replace("\\", "")
        assert "MemoryError" in page_text(app)
        assert app.button(key="train-resume").label == say("train.resume")
    ended(trained, code=2)  # the command has refused
    refusal = {"code": "word2vec_diverged", "fields": {"epoch": "2", "alpha": "9"}}
    (trained / "error.json").write_text(json.dumps(refusal))
    sentence = wording("de").error(InputError("word2vec_diverged", epoch="2", alpha="9"))
    assert open_job(trained, "de").info[0].value.replace("\\", "") == sentence


def test_a_curve_is_drawn_as_it_was_said():
    epochs = np.array([0.5, 1.0, 1.5, 2.0])
    curve = LossCurve(epochs, 4 - epochs, np.array([1.0, 2.0]), np.array([3.2, 2.2]), "epoch")
    figure = loss_figure(curve, NAMES, 5)
    reported, means = figure.data
    assert [*reported.x] == epochs.tolist()
    assert [*reported.y] == (4 - epochs).tolist()
    assert [*means.y] == [3.2, 2.2]
    assert figure.layout.xaxis.range == (0, 5)
    with_heldout = replace(curve, heldout=np.array([3.4, 2.9]))
    told = loss_figure(with_heldout, NAMES, 5)
    assert [(*trace.x, *trace.y) for trace in told.data if trace.name == "held out"] == [
        (1, 2, 3.4, 2.9)
    ]
    empty = LossCurve(*(np.array([]) for _ in range(4)), "step")
    assert len(loss_figure(empty, NAMES).data) == 0


def test_a_film_has_a_frame_a_pass_on_axes_that_stay():
    coordinates = np.arange(18, dtype=float).reshape(3, 3, 2)
    film = Film(("a", "b<c", "d"), (0, 1, 2), coordinates, (0.6, 0.3), "epoch")
    figure = film_figure(film, NAMES, ("x", "y"), ("a",))
    assert [frame.name for frame in figure.frames] == ["0", "1", "2"]
    assert [*figure.frames[1].data[0].x] == coordinates[1, :, 0].tolist()
    assert all(frame.layout.xaxis.range is None for frame in figure.frames)
    low, high = figure.layout.xaxis.range
    assert low < 0 < 16 < high
    assert figure.data[0].text == ("<b>a</b>", "b&lt;c", "d")
    plain_figure = training_progress.film_figure(film, NAMES, ("x", "y"), ("a",))
    page = film_page(plain_figure, "farm").decode()
    assert "Plotly.addFrames" in page
    assert "https://cdn" not in page.split("<body>")[0]


def test_the_same_in_python_trains_the_same(trained, monkeypatch, tmp_path):
    job = read_job(trained)
    code = snippets.calling(job.function, job.call, job.name)
    assert len(code.splitlines()) == 4
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    saved = shelf.load_vectors(tmp_path / "farm")
    config = Word2VecConfig(vector_size=8, window=2, epochs=6, workers=1, heldout=0.02)
    corpus = EncodedCorpus.from_sentences([line.split() for line in LINES * 20], 1)
    expected = train_word2vec(corpus, config).vectors
    assert saved.words == expected.words
    np.testing.assert_allclose(saved.matrix, expected.matrix, atol=0.02)  # a byte a number


def test_a_job_of_an_earlier_version_is_shown_and_cannot_be_resumed(trained):
    about = json.loads((trained / "job.json").read_text())
    del about["function"]  # which it did not write
    steps = [["corpus", "encode"], ["word2vec", "train"]]
    (trained / "job.json").write_text(json.dumps(about | {"call": {}, "steps": steps}))
    ended(trained)
    app = open_job(trained)
    assert len(app.get("plotly_chart")) == 2
    app.button(key="train-resume").click().run()
    assert any("earlier version" in info.value for info in app.info)


def test_times_and_sizes_are_said_in_fitting_units():
    assert list(map(SAY.duration, (8, 600, 7200, -1))) == ["8 s", "10 min", "2.0 h", "0 s"]
    assert list(map(SAY.size, (70_000, 31_000_000, 2.5e9))) == ["70.0 kB", "31.0 MB", "2.5 GB"]


def measured_page(**asked):
    """The page once the speed of the machine is measured, which is said until then."""
    app = open_page("train", timeout=300, lang="en", **asked)
    told = {SAY("train.sampling"), SAY("train.sampling_steps")}
    give_up = time.monotonic() + 120
    while told & {item.value for item in app.caption} and time.monotonic() < give_up:
        time.sleep(0.2)
        app.run()
    return app


def test_the_page_is_there_before_the_speed_of_the_machine_is_measured(monkeypatch):
    measured = threading.Event()
    monkeypatch.setattr(
        speed_sample, "speed_sample", lambda *_: measured.wait(60) and SpeedSample(1, 1000, 1)
    )
    forget_answers()
    app = open_page("train", lang="en")
    captions = [item.value for item in app.caption]
    assert SAY("train.sampling") in captions
    assert not app.button(key="train-start").disabled
    measured.set()
    captions = [item.value for item in measured_page().caption]
    assert SAY("train.estimated_sample", words=1000, seconds="1.0") in captions
    forget_answers()


def test_a_first_estimate_is_measured_on_the_text_and_that_of_a_network_by_two_of_its_steps():
    app = measured_page()
    measured = SAY("train.estimated_sample", words=1, seconds="1").split(":")[0]
    captions = [item.value for item in app.caption]
    assert any(text.startswith(f"{measured}: ") for text in captions)
    assert SAY("train.estimated_elsewhere") not in captions
    app = measured_page(train_method="bert")
    captions = [item.value for item in app.caption]
    assert SAY("train.estimated_elsewhere") not in captions
    settings = defaults("bert", 2_000)
    tokens = f"{2 * settings.rows * settings.row_length:,} tokens"
    assert any(
        text.startswith(f"{measured}: two training steps") and tokens in text for text in captions
    )


@pytest.mark.parametrize(
    ("watched", "word"), [(("music", "dog"), "dog"), (("music",), "the"), ((), "the")]
)
def test_a_finished_model_is_opened_with_a_word_that_it_has(monkeypatch, watched, word):
    vectors = Vectors(("the", "dog"), np.eye(2, dtype=np.float32))
    monkeypatch.setattr(running_job.shelf_models, "vectors", lambda _entry: vectors)
    assert running_job.first_word(SimpleNamespace(watched=watched), None) == word


CASED = "You know Antony. You and Antony know where Antony sees Cayley, and when Cayley sees you.\n"


@pytest.mark.parametrize(("method", "words"), [("skipgram", "antony"), ("bert", "Antony")])
def test_words_to_watch_are_content_words_in_the_case_that_the_method_keeps(home, method, words):
    store_text(home, "letters", CASED * 20)
    app = open_page(
        "train", lang="en", text="en", train_source="shelf", train_method=method, timeout=300
    )
    suggested = app.text_input(key="train_words").placeholder.split(", ")
    assert suggested[0] == words
    assert {"you", "and", "when", "where"}.isdisjoint(word.lower() for word in suggested)


def test_a_trained_model_is_scored_on_test_sets_that_one_click_downloads(trained, downloads):
    vectors = shelf.load_vectors("farm")
    pairs = "cat\tdog\t9\ncat\tyard\t3\n"
    downloads(lambda name: "cat dog yard runs\n" if "analog" in name else pairs)
    app = open_job(trained)
    app.button(key="compare-score").click().run()
    table = next(t.value for t in app.dataframe if SAY("shelf_scores.set") in t.value)
    values = table.set_index(SAY("shelf_scores.set"))[SAY("shelf_scores.value")]
    first = float(vectors.similarity("cat", "dog") > vectors.similarity("cat", "yard")) * 2 - 1
    assert values["WordSim-353"] == pytest.approx(first)
    assert values["Google analogies"] in (0, 1)


# The address of a training names it from the start: it shows it again when it has ended


@pytest.fixture
def train(home, monkeypatch):
    """Open the page Train with one job of a state on its shelf: the app and the job."""

    def visit(state):
        named = ("20260101-120000-abcd", "farm", "skipgram", "en", "farm", "farm")
        job = Job(*named, "2026-01-01T12:00:00+00:00", 6, home, state)
        monkeypatch.setattr(job_choice, "jobs", lambda: (job,))
        return open_page("train", lang="en", text="en"), job

    return visit


def test_a_training_on_the_shelf_lets_the_models_language_follow_the_screen_s(train):
    app, _ = train("cancelled")
    assert app.query_params["train_job"] == "new"
    app.segmented_control(key="lang").set_value("de").run()
    assert app.segmented_control(key="text").value == "de"
    app.query_params["train_window"] = "2"
    app.run()
    app.segmented_control(key="lang").set_value("ru").run()
    assert app.segmented_control(key="text").value == "de"  # now something is asked


def test_a_training_that_runs_stands_in_the_address_and_stays_when_the_languages_change(train):
    app, job = train("running")
    assert app.selectbox(key="train_job").value == job.job_id
    assert app.query_params["train_job"] == job.job_id
    app.selectbox(key="train_job").set_value("new").run()
    assert app.query_params["train_job"] == "new"
    app.segmented_control(key="lang").set_value("de").run()
    assert app.segmented_control(key="text").value == "de"
    assert app.selectbox(key="train_job").value == "new"
    app.selectbox(key="train_job").set_value(job.job_id).run()
    app.segmented_control(key="text").set_value("ru").run()
    assert app.selectbox(key="train_job").value == job.job_id
