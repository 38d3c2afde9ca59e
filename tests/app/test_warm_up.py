"""The server opens pages itself after its start: visitors find the answers kept, and are never waited for in vain."""

import asyncio
import json
import logging
import threading

import pytest
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import ScriptRunner

from app import events, warm_up
from app.loaders import model_comparisons, shelf_models
from app.loaders.answer_queue import Answer, AnswerQueue
from app.loaders.caching import Kept
from app.warm_up import NoteVisitors, Visitors
from tests.app.visits import MAIN, open_page

PAGES = ("", "analogies", "train")


async def within_a_server(work):
    """What ``work`` returns while Streamlit's runtime runs, without a web server."""
    config = RuntimeConfig(MAIN, MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/"))
    server = Runtime(config)
    try:
        await server.start()
        return await work()
    finally:
        while any(thread.name.startswith("ScriptRunner") for thread in threading.enumerate()):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)  # what the last run tells its session
        server.stop()
        await server.stopped
        Runtime._instance = None


@pytest.fixture
def computed(monkeypatch):
    """Names of the kept functions that computed a value; a refusal is none."""
    names, compute = [], Kept._compute

    def counted(self, *arguments):
        value = compute(self, *arguments)
        names.append(self.__name__)
        return value

    monkeypatch.setattr(Kept, "_compute", counted)
    shelf_models.vectors.clear()
    model_comparisons.comparison.clear()
    return names


def test_a_visitor_finds_what_the_server_has_opened_computed(small_shelf, computed):
    async def open_two():
        names = await warm_up.open_page(Visitors(), "", "ru")
        return names, await warm_up.open_page(Visitors(), "compare", "ru")

    names, others = asyncio.run(within_a_server(open_two))
    assert {"", "analogies", "compare", "train"} <= {*names} == {*others}
    assert computed.count("vectors") == 3  # the Russian models, each once
    assert "comparison" in computed
    computed.clear()
    open_page("explore", lang="ru")
    open_page("compare", lang="ru")
    assert computed == []
    open_page("explore", lang="de")
    assert computed.count("vectors") == 3


def test_a_page_that_a_visitor_interrupts_is_given_up(small_shelf):
    visitors = Visitors()

    async def interrupted():
        asyncio.get_running_loop().call_soon(visitors.note_message)
        return await warm_up.open_page(visitors, "", "en")

    assert asyncio.run(within_a_server(interrupted)) is None


def test_a_page_that_takes_too_long_is_an_error_and_was_not_opened(small_shelf, monkeypatch):
    monkeypatch.setattr(warm_up, "LONGEST", 0.0)
    with pytest.raises(TimeoutError):
        asyncio.run(within_a_server(lambda: warm_up.open_page(Visitors(), "", "en")))


def test_visitors_are_known_by_their_messages_and_browsers(monkeypatch):
    visitors, passed = Visitors(), []

    async def app(scope, receive, send):
        await send({"type": await receive()})

    async def receive():
        return "text"

    async def send(message):
        passed.append(message)

    def ask(kind, languages, accepted=b"*/*"):
        headers = [(b"accept-language", languages), (b"accept", accepted)]
        asyncio.run(NoteVisitors(app, visitors)({"type": kind, "headers": headers}, receive, send))

    monkeypatch.setattr(warm_up, "QUIET", 60.0)
    monkeypatch.setattr(warm_up, "is_busy", lambda: False)
    ask("http", b"de-AT,de;q=0.9")
    ask("http", b"fr")
    assert visitors.languages == ["de"]
    asyncio.run(asyncio.wait_for(visitors.gone(), 1))  # who only fetches files is not waited for
    ask("websocket", b"ru")
    assert visitors.languages == ["de", "ru"]
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(visitors.gone(), 0.1))
    assert passed == [{"type": "text"}] * 3


def test_a_browser_that_asks_for_a_page_is_a_visitor_before_its_first_message(monkeypatch):
    visitors = Visitors()

    async def app(scope, receive, send):
        return

    async def arrive():
        waiting = asyncio.ensure_future(visitors.arrive())
        await asyncio.sleep(0)
        headers = [(b"accept", b"text/html,application/xhtml+xml,*/*;q=0.8")]
        await NoteVisitors(app, visitors)({"type": "http", "headers": headers}, None, None)
        await asyncio.wait_for(waiting, 1)  # it ends the page that is being opened
        await asyncio.wait_for(visitors.gone(), 0.2)

    monkeypatch.setattr(warm_up, "is_busy", lambda: False)
    monkeypatch.setattr(warm_up, "ARRIVING", 60.0)
    with pytest.raises(TimeoutError):
        asyncio.run(arrive())


def test_a_page_that_computes_in_silence_is_waited_for():
    """Streamlit's threads that run pages are named so; `within_a_server` waits for them by the same name."""
    visitors, has_ended = Visitors(), threading.Event()
    page = threading.Thread(target=has_ended.wait, name=f"{ScriptRunner.__name__}.scriptThread")
    page.start()
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(visitors.gone(), 0.1))
    has_ended.set()
    page.join()
    asyncio.run(asyncio.wait_for(visitors.gone(), 1))


def test_an_answer_that_is_still_computed_for_a_page_that_was_given_up_is_waited_for():
    visitors, begun, gate = Visitors(), threading.Event(), threading.Event()
    answer = Answer(lambda: begun.set() or gate.wait(20))
    AnswerQueue(1).add(answer)
    assert begun.wait(20)
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(visitors.gone(), 0.1))
    gate.set()
    assert answer.wait(20)
    asyncio.run(asyncio.wait_for(visitors.gone(), 5))


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Run the warm-up with pages that only note their names; the second one is interrupted once."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setattr(warm_up, "free_memory", lambda: None)
    monkeypatch.setattr(warm_up, "is_busy", lambda: False)
    steps = []

    async def note_page(visitors, page, language):
        steps.append((language, page))
        return None if len(steps) == 2 else PAGES

    async def note_kernels():
        steps.append("kernels")

    def run(*languages):
        visitors = Visitors()
        visitors.languages.extend(languages)
        asyncio.run(warm_up.warm_up(visitors))
        return steps

    monkeypatch.setattr(warm_up, "open_page", note_page)
    monkeypatch.setattr(warm_up, "compile_kernels", note_kernels)
    return run


@pytest.fixture
def logged(monkeypatch, caplog):
    """Return a function: the events of the log so far."""
    monkeypatch.setattr(events.log, "propagate", True)
    caplog.set_level(logging.INFO, events.log.name)
    return lambda: [json.loads(record.message) for record in caplog.records]


def test_the_language_of_the_first_visitor_goes_first_and_nothing_is_stored(opened):
    de, ru, en = ([(name, page) for page in ("", "analogies")] for name in ("de", "ru", "en"))
    assert opened("de", "ru") == [*de, de[1], "kernels", *ru, *en]


def test_train_is_opened_where_its_text_is_stored(opened, tmp_path):
    (tmp_path / "corpora" / "demonstration-en").mkdir(parents=True)
    steps = opened("en")
    assert steps[3:5] == ["kernels", ("en", "train")]
    assert [step for step in steps if step[1] == "train"] == [("en", "train")]


def test_a_public_server_compiles_no_training(opened, monkeypatch):
    monkeypatch.setenv("KLYUCH_PUBLIC", "1")
    assert "kernels" not in opened()


def test_little_memory_ends_it_and_the_log_says_so(opened, monkeypatch, logged):
    free = iter([2 << 30, 2 << 30, 2 << 30, 2 << 30, 1 << 20])
    monkeypatch.setattr(warm_up, "free_memory", lambda: next(free))
    assert opened("ru") == [("ru", ""), ("ru", "analogies"), ("ru", "analogies"), "kernels"]
    lines = logged()
    assert [(line["event"], line["pages"]) for line in lines] == [("warmed", 2), ("warm_up_ended", 2)]  # fmt: skip
    assert lines[0]["language"] == "ru"


def test_a_page_that_fails_is_opened_twice_and_left_and_the_log_says_so(
    opened, monkeypatch, logged
):
    steps = []

    async def fail(visitors, page, language):
        steps.append((language, page))
        if page == "analogies" and language == "en":
            raise OSError("the disk is full")
        return PAGES

    monkeypatch.setattr(warm_up, "open_page", fail)
    opened("en")
    assert steps[:4] == [("en", ""), ("en", "analogies"), ("en", "analogies"), ("ru", "")]
    lines = logged()
    facts = {"event": "warm_up_failed", "page": "analogies", "language": "en", "error": "OSError"}
    for line in lines[:2]:
        assert facts.items() <= line.items()
    assert [line["event"] for line in lines] == ["warm_up_failed"] * 2 + ["warmed"] * 3
    assert "disk" not in str(lines)


def test_a_language_whose_first_page_takes_too_long_is_not_called_warmed(
    opened, monkeypatch, logged
):
    async def fail(visitors, page, language):
        if language == "de":
            raise TimeoutError(page)
        return PAGES

    monkeypatch.setattr(warm_up, "open_page", fail)
    opened("de")
    lines = [(line["event"], line["language"]) for line in logged()]
    assert lines == [("warm_up_failed", "de")] * 2 + [("warmed", "en"), ("warmed", "ru")]


def test_an_error_of_the_warm_up_itself_is_an_event_and_ends_it(opened, monkeypatch, logged):
    def fail():
        raise ValueError("a line of /proc/meminfo that nobody knows")

    monkeypatch.setattr(warm_up, "free_memory", fail)
    assert opened() == []
    assert [(line["event"], line["error"]) for line in logged()] == [("warm_up_failed", "ValueError")]  # fmt: skip


CHILD = """
import os, time
until = time.monotonic() + 20
while os.getpriority(os.PRIO_PROCESS, 0) < 19 and time.monotonic() < until:
    time.sleep(0.01)
raise SystemExit(0 if os.getpriority(os.PRIO_PROCESS, 0) == 19 else 3)
"""


def compile_with(text, folder, monkeypatch):
    """Let a program of the test stand for what compiles."""
    package = folder / "embeddings/jobs"
    package.mkdir(parents=True)
    for path in (package, package.parent):
        (path / "__init__.py").touch()
    (package / "kernel_compilation.py").write_text(text)
    monkeypatch.chdir(folder)
    asyncio.run(warm_up.compile_kernels())


def test_what_compiles_has_the_lowest_priority_without_its_own_doing(tmp_path, monkeypatch, logged):
    compile_with(CHILD, tmp_path, monkeypatch)
    assert logged() == []


def test_a_compilation_that_fails_is_an_event(tmp_path, monkeypatch, logged):
    compile_with("raise SystemExit(5)", tmp_path, monkeypatch)
    (line,) = logged()
    assert {"event": "compilation_failed", "exit_code": 5}.items() <= line.items()


@pytest.mark.parametrize("call", ["subprocess.Popen", "os.setpriority"])
def test_a_system_that_refuses_a_process_or_its_priority_ends_no_warm_up(
    tmp_path, monkeypatch, logged, call
):
    def refuse(*_, **__):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(call, refuse)
    compile_with("", tmp_path, monkeypatch)
    refused = {"event": "compilation_failed", "error": "BlockingIOError"}
    expected = [refused] if call == "subprocess.Popen" else []
    assert [{key: line[key] for key in refused} for line in logged()] == expected


@pytest.mark.slow
def test_compiling_ends_with_every_loop_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warm_up, "NICE", 0)  # beside a busy machine the lowest priority never ends
    asyncio.run(warm_up.compile_kernels())
    kept = {path.name.split(".")[0] for path in tmp_path.rglob("*.nbi")}
    assert {"tokenizer_kernel", "word2vec_kernel", "glove_kernel", "fasttext_kernel"} <= kept
