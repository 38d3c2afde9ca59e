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


def test_visitors_are_known_by_their_messages_and_browsers(monkeypatch):
    visitors, passed = Visitors(), []

    async def app(scope, receive, send):
        await send({"type": await receive()})

    async def receive():
        return "text"

    async def send(message):
        passed.append(message)

    def ask(kind, languages):
        scope = {"type": kind, "headers": [(b"accept-language", languages)]}
        asyncio.run(NoteVisitors(app, visitors)(scope, receive, send))

    monkeypatch.setattr(warm_up, "QUIET", 60.0)
    monkeypatch.setattr(warm_up, "is_drawing", lambda: False)
    ask("http", b"de-AT,de;q=0.9")
    ask("http", b"fr")
    assert visitors.languages == ["de"]
    asyncio.run(asyncio.wait_for(visitors.gone(), 1))  # who only fetches files is not waited for
    ask("websocket", b"ru")
    assert visitors.languages == ["de", "ru"]
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(visitors.gone(), 0.1))
    assert passed == [{"type": "text"}] * 3


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


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Run the warm-up with pages that only note their names; the second one is interrupted once."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setattr(warm_up, "free_memory", lambda: None)
    monkeypatch.setattr(warm_up, "is_drawing", lambda: False)
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


def test_little_memory_ends_it_and_the_log_says_so(opened, monkeypatch, caplog):
    monkeypatch.setattr(events.log, "propagate", True)
    caplog.set_level(logging.INFO, events.log.name)
    free = iter([2 << 30, 2 << 30, 2 << 30, 2 << 30, 1 << 20])
    monkeypatch.setattr(warm_up, "free_memory", lambda: next(free))
    assert opened("ru") == [("ru", ""), ("ru", "analogies"), ("ru", "analogies"), "kernels"]
    lines = [json.loads(record.message) for record in caplog.records]
    assert [(line["event"], line["pages"]) for line in lines] == [("warmed", 2), ("warm_up_ended", 2)]  # fmt: skip
    assert lines[0]["language"] == "ru"


@pytest.mark.slow
def test_compiling_ends_with_every_loop_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    asyncio.run(warm_up.compile_kernels())
    kept = {path.name.split(".")[0] for path in tmp_path.rglob("*.nbi")}
    assert {"tokenizer_kernel", "word2vec_kernel", "glove_kernel", "fasttext_kernel"} <= kept
