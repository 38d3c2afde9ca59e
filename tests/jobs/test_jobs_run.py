"""Jobs: they queue, outlive whoever started them, are cancelled, killed, resumed, and never half done."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest

import embeddings
from embeddings import shelf
from embeddings.errors import CheckpointError, InputError, clause, messages
from embeddings.files import read_json, sha256
from embeddings.jobs import control, job_folder, recipes
from embeddings.jobs.job_folder import find_job, jobs, read_job
from embeddings.shelf.change_reports import change_reports, read_report, report_origin
from embeddings.training.settings import StaticSettings


@pytest.fixture(autouse=True)
def novel(catalogue):
    """A text that can be downloaded at once."""
    catalogue("novel", {"novel.txt": "a key\n"})


def plan(text, name="farm", method="skipgram", passes=6, **changes):
    """A training of a few seconds with one thread, which repeats exactly."""
    settings = StaticSettings(
        vector_size=8, window=2, min_count=1, passes=passes, workers=1, **changes
    )
    corpus = recipes.Text((text,), "farm", "en")
    return recipes.plan(corpus, method, settings, name, ("cat", "dog"))


def cheap(name="list"):
    """A quick job that brings no model: its text is on the disk already."""
    return control.JobPlan(name, "get_corpus", {"name": "novel"})


def endless(text):
    """A job that does not end by itself."""
    return plan(text, "endless", passes=10_000)


def until(check, seconds=180.0):
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not (value := check()):
        assert time.monotonic() < end, [job_folder.log_tail(job) for job in jobs()]
        time.sleep(0.05)
    return value


def weights(name):
    """What decides whether two models are the same."""
    return sha256(shelf.find(name).path / "vectors.safetensors")


def test_a_job_runs_to_a_model_on_the_shelf_and_says_how_it_went(home, text):
    job = control.start(plan(text))
    assert job.state in ("queued", "running")
    stored = read_json(job.folder / "job.json")
    assert stored["call"] == {
        "text": [str(text)], "method": "skipgram", "language": "en", "min_count": 1,
        "vector_size": 8, "window": 2, "epochs": 6, "workers": 1, "heldout": 0.02,
    }  # fmt: skip
    assert (stored["function"], stored["watched"]) == ("train", ["cat", "dog"])
    done = control.wait(job.job_id, 120)
    assert (done.state, done.name) == ("done", "farm"), job_folder.log_tail(done)
    vectors = shelf.load_vectors("farm")
    assert "cat" in vectors
    assert vectors.language == "en"
    assert shelf.read_card(shelf.find("farm"))["name"] == "farm"
    curve = job_folder.curve(done)
    assert curve.unit == "epoch"
    assert curve.positions.tolist() == sorted(set(curve.positions.tolist()))
    assert curve.positions[-1] == 6
    assert len(curve.means) == 6
    assert curve.means[-1] < curve.means[0]
    assert job_folder.progress(done).share == 1
    assert shelf.seen_count(shelf.find("farm"), "cat") == 120


EARLIER = "20260101-120000-abcd"  # a job that an earlier version stored


def store_commands(home, text, code):
    """Store a training as an earlier version did, as commands; it ended with a code, or was cut off if that is None."""
    folder = home / "jobs" / EARLIER
    folder.mkdir(parents=True)
    steps = [["corpus", "encode", str(text)], ["word2vec", "train", f"{folder}/farm.ids"]]
    about = {"title": "farm", "name": "farm", "method": "skipgram", "model": "model/new"}
    about |= {"passes": 6, "call": {"text": [str(text)], "method": "skipgram"}, "steps": steps}
    (folder / "job.json").write_text(json.dumps(about))
    (folder / "progress-0.jsonl").write_text(progress_line("encode", 0))
    (folder / "progress-1.jsonl").write_text(progress_line("train", 3))
    if code is not None:
        (folder / "ended.json").write_text('{"code": 0, "name": "farm"}')


@pytest.mark.parametrize("code", [0, None])
def test_a_training_that_an_earlier_version_stored_as_commands_is_shown(home, text, code):
    store_commands(home, text, code)
    (job,) = jobs()
    assert (job.state, job.function) == ("interrupted" if code is None else "done", "")
    assert (job.call["method"], job_folder.progress(job).epoch) == ("skipgram", 3)
    assert job_folder.curve(job).positions.tolist() == [3.0]
    with pytest.raises(InputError, match="earlier version" if code is None else "is done"):
        control.resume(job.job_id)


@pytest.mark.parametrize(
    ("language", "refused", "again"),
    [
        ("en", f"“{EARLIER}” was stored by an earlier version", "Start it again on the page"),
        ("de", f"„{EARLIER}“ hat eine frühere Version gespeichert", "auf seiner Seite neu"),
    ],
)
def test_resuming_an_unfinished_job_of_an_earlier_version_names_it_and_the_way_out_which_works(
    home, text, language, refused, again
):
    store_commands(home, text, None)
    with pytest.raises(InputError) as raised:
        control.resume(EARLIER)
    assert raised.value.code == "job_earlier"
    sentence = messages(language)["job_earlier"].format(**raised.value.fields)
    assert refused in sentence
    assert again in sentence
    assert sentence.endswith(f"klyuch jobs remove {EARLIER}")
    assert [job.state for job in jobs()] == ["interrupted"]  # it was not started
    control.remove(EARLIER)
    assert jobs() == ()


def progress_line(phase, epoch):
    """A report as an earlier version wrote it."""
    line = {"phase": phase, "epoch": epoch, "done": 5, "total": 5, "loss": 2.0, "per_second": 1.0}
    return json.dumps(line | {"seconds_left": 0.0}) + "\n"


def test_a_comparison_that_is_a_job_is_what_the_call_says(home, tmp_path):
    sides = []
    for name in ("old", "new"):
        lines = [f"key door {name} spring lock {word} wave" for word in ("a", "b", "c")] * 4
        sides.append(tmp_path / f"{name}.txt")
        sides[-1].write_text("\n\n".join(lines), encoding="utf-8")
    call = {"first": str(sides[0]), "second": str(sides[1]), "sample": 0, "min_count": 1}
    call |= {"vector_size": 4, "epochs": 2, "least": 1, "workers": 1}
    call |= {"permutations": 3, "retrainings": 3}
    job = control.start(
        control.JobPlan("change", "compare_texts", call | {"output": "by_job", "language": "en"})
    )
    assert control.wait(job.job_id, 120).state == "done", job_folder.log_tail(job)
    report, _ = read_report(change_reports()["by_job"])
    answer = embeddings.compare_texts(**call)
    assert report.words == answer.words
    assert (report.first, report.tokens) == (answer.first, answer.tokens)
    assert str(report_origin(change_reports()["by_job"])["command"]).startswith(
        "embeddings.compare_texts(first="
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["skipgram", "glove"])
def test_killed_at_random_moments_and_resumed_it_ends_as_an_unbroken_run_does(home, text, method):
    whole = control.start(plan(text, "whole", method))
    assert control.wait(whole.job_id, 120).state == "done"
    broken = control.start(plan(text, "broken", method, passes=6))
    wanted = [0.4, 1.1, 1.9]
    for seconds in wanted:
        time.sleep(seconds)
        if not find_job(broken.job_id).is_alive:
            break
        control.cancel(broken.job_id, kill=True)
        ended = control.wait(broken.job_id, 20)
        assert ended.state in ("cancelled", "done")
        if ended.state == "done":
            break
        assert "broken" not in {entry.name for entry in shelf.list_models()}
        control.resume(broken.job_id)
    assert control.wait(broken.job_id, 120).state == "done"
    assert weights("broken") == weights("whole")


@pytest.mark.slow
def test_a_job_killed_by_the_system_is_told_and_goes_on(home, text):
    job = control.start(plan(text, passes=60))
    folder = job.folder
    until(lambda: (folder / "run" / "checkpoint.safetensors").exists())
    os.kill(read_json(folder / "turn.json")["group"], signal.SIGKILL)
    ended = control.wait(job.job_id, 20)
    assert (ended.state, ended.exit_code) == ("interrupted", None)
    assert "memory" in str(job_folder.trouble(ended))
    before = len(job_folder.pass_means(ended)[0])
    assert 0 < before < 60
    control.resume(job.job_id)
    assert control.wait(job.job_id, 120).state == "done"
    assert len(job_folder.pass_means(read_job(folder))[0]) == 60


def test_two_jobs_queue_in_the_order_in_which_they_were_started(home, text):
    first, second, third = (control.start(cheap()) for _ in range(3))
    assert find_job(third.job_id).state == "queued"
    assert find_job(third.job_id).ahead >= 1
    ended = [control.wait(job.job_id, 180) for job in (first, second, third)]
    assert [job.state for job in ended] == ["done"] * 3
    began = [(job.folder / "running").stat().st_mtime for job in ended]
    over = [(job.folder / "ended.json").stat().st_mtime for job in ended]
    assert over[0] <= began[1]
    assert over[1] <= began[2]


def test_a_killed_job_lets_the_next_begin_but_one_whose_text_changed_meanwhile(home, text):
    first, waiting = control.start(endless(text)), {}
    for change in ("replaced", "added", "deleted", "none"):
        folder = home / "corpora" / change
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text("a cat\n", encoding="utf-8")
        waiting[folder] = control.start(replace(cheap(), sources=(folder,)))
    replaced, added, deleted, same = waiting
    (replaced / "a.txt").write_text("a dog\n", encoding="utf-8")
    (added / "b.txt").write_text("a dog\n", encoding="utf-8")
    shutil.rmtree(deleted)
    until(lambda: find_job(first.job_id).state == "running")
    control.cancel(first.job_id, kill=True)
    for folder in (replaced, added, deleted):
        ended = control.wait(waiting[folder].job_id, 120)
        trouble = job_folder.trouble(ended)
        assert (ended.state, trouble.code) == ("failed", "job_source_changed")
        assert trouble.fields == {"path": str(folder)}
    assert control.wait(waiting[same].job_id, 120).state == "done"
    assert find_job(first.job_id).state == "cancelled"


def test_it_outlives_the_process_that_started_it(home, text):
    script = (
        "import os; from embeddings.jobs import control\n"
        "plan = control.JobPlan('orphan', 'get_corpus', {'name': 'novel'})\n"
        "print(control.start(plan).job_id, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    started = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert started.returncode == -9, started.stderr
    assert control.wait(started.stdout.strip(), 120).state == "done"


def test_cancelling_keeps_what_was_saved_and_a_queued_job_goes_at_once(home, text):
    job = control.start(endless(text))
    queued = control.start(cheap())
    checkpoint = job.run / "checkpoint.safetensors"
    until(checkpoint.exists)
    assert control.wait(control.cancel(queued.job_id).job_id, 20).state == "cancelled"
    assert control.wait(control.cancel(job.job_id).job_id, 30).state == "cancelled"
    assert checkpoint.exists()
    assert not (job.folder / "model").exists()
    with pytest.raises(InputError, match="ended already"):
        control.cancel(job.job_id)


def test_a_refusal_and_a_crash_are_told_with_what_to_do(home, text, tmp_path):
    refused = control.start(plan(tmp_path / "nowhere.txt"))
    ended = control.wait(refused.job_id, 60)
    assert (ended.state, ended.exit_code) == ("failed", 2)
    assert job_folder.trouble(ended).code == "file_missing"
    assert "nowhere.txt" in str(job_folder.trouble(ended))
    inner = CheckpointError("checkpoints_damaged", path="r", reason=job_folder.trouble(ended))
    (refused.folder / "error.json").write_text(json.dumps(job_folder.error_json(inner)))
    assert job_folder.trouble(ended).fields["reason"].fields["way_out"] == clause("name_texts")
    (refused.folder / "error.json").unlink()
    (refused.folder / "ended.json").write_text('{"code": 1}')
    assert "exit code 1" in str(job_folder.trouble(read_job(refused.folder)))
    assert "nowhere.txt" in job_folder.log_tail(ended)


def test_the_name_of_a_failed_job_is_free_for_the_next_attempt(home, text, tmp_path):
    failed = control.wait(control.start(plan(tmp_path / "nowhere.txt", "mine")).job_id, 60)
    assert failed.state == "failed"
    done = control.wait(control.start(plan(text, "mine")).job_id, 120)
    assert (done.state, done.name) == ("done", "mine"), job_folder.log_tail(done)


@pytest.mark.slow
def test_a_name_taken_while_it_ran_gets_a_number_and_nothing_is_lost(home, text):
    job = control.start(plan(text, "mine", passes=200))
    until(lambda: find_job(job.job_id).state == "running")
    other = home / "models" / "mine"
    other.mkdir(parents=True)
    (other / "keep.txt").write_text("mine")
    done = control.wait(job.job_id, 120)
    assert (done.state, done.name) == ("done", "mine-2"), job_folder.log_tail(done)
    assert (other / "keep.txt").read_text() == "mine"


def test_what_cannot_be_done_is_a_sentence(home, text):
    (home / "models" / "taken").mkdir(parents=True)
    job = control.start(endless(text))
    for act, sentence in (
        (lambda: control.start(plan(text, "../up")), "name"),
        (lambda: control.start(plan(text, "taken")), "taken"),
        (lambda: control.start(plan(text, "ENDLESS")), "will create a model"),
        (lambda: control.resume(job.job_id), "waits or runs"),
        (lambda: control.remove(job.job_id), "waits or runs"),
        (lambda: find_job("nothing"), "no job"),
        (lambda: find_job(""), "no job"),
        (lambda: find_job("../jobs"), "no job"),
    ):
        with pytest.raises(InputError, match=sentence):
            act()
    assert len(jobs()) == 1


def test_two_windows_that_remove_one_job_get_a_sentence(home, text):
    job = control.start(cheap())
    control.cancel(job.job_id, kill=True)
    control.wait(job.job_id, 20)
    control.remove(job.job_id)
    with pytest.raises(InputError, match="removed, perhaps in another window"):
        control.remove(job.job_id)
    assert jobs() == ()


def test_a_home_that_cannot_be_written_is_a_sentence(tmp_path, monkeypatch, text):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(InputError, match="cannot be written"):
        control.start(plan(text))


def test_no_more_than_a_number_of_jobs_wait_or_run(home, monkeypatch):
    monkeypatch.setattr(control, "MOST_ALIVE", 2)
    with ExitStack() as held:
        for number in range(3):
            folder = home / "jobs" / f"2026-{number}"
            folder.mkdir(parents=True)
            (folder / "job.json").write_text('{"title": "t", "function": "train"}')
            if number < 2:  # as their processes hold them
                fcntl.flock(held.enter_context((folder / "alive").open("ab")), fcntl.LOCK_EX)
        for begin in (lambda: control.start(cheap()), lambda: control.resume("2026-2")):
            with pytest.raises(InputError, match=r"^2 jobs wait or run"):
                begin()
    assert len(list((home / "jobs").glob("[!.]*"))) == 3
