"""Who may reach the server, how much it lets sessions upload, what it logs, and where it sends a visitor on to."""

import asyncio
import json
import sys
import threading
from types import SimpleNamespace
from urllib.parse import urljoin

import pytest
import streamlit as st
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.testclient import TestClient

from app import answers, events, server_requests, streamlit_private
from app.server import FIRST_PAGE, open_first_page_by_name
from app.server_requests import ThisMachineAlone, UploadBounds
from tests.app.shelf.visits import upload_models
from tests.app.visits import PAGES, open_page

SESSION = "11111111-2222-3333-4444-555555555555"


def first_answer(
    app, client="127.0.0.1", path="/", headers=(), method="GET", kind="http", query=b""
):
    """What an application sends first."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": f"{kind}.connect"}

    scope = {"type": kind, "path": path, "method": method, "client": (client, 4711)}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in headers]
    asyncio.run(app(scope | {"query_string": query}, receive, send))
    return sent[0]


def asked(app, *arguments, **named):
    """Status of an answer, or what a websocket is told."""
    answer = first_answer(app, *arguments, **named)
    return answer.get("status", answer["type"])


async def passes(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})


@pytest.mark.parametrize(
    ("client", "headers", "status"),
    [
        ("127.0.0.1", (), 200),
        ("127.9.9.9", (), 200),
        ("::1", (), 200),
        ("::ffff:127.0.0.1", (), 200),
        ("192.168.1.7", (), 403),
        ("::ffff:10.0.0.1", (), 403),
        ("", (), 403),
        ("127.0.0.1", (("x-forwarded-for", "203.0.113.9"),), 403),
        ("127.0.0.1", (("x-forwarded-for", "127.0.0.1, 203.0.113.9"),), 403),
        ("127.0.0.1", (("x-real-ip", "203.0.113.9"),), 403),
        ("127.0.0.1", (("forwarded", 'for="[2001:db8::1]:4711";proto=https'),), 403),
        ("127.0.0.1", (("forwarded", 'proto=http;for="[::1]"'),), 200),
        ("203.0.113.9", (("x-forwarded-for", "127.0.0.1"),), 403),
    ],
)
def test_only_this_machine_reaches_a_server_without_sign_in(client, headers, status):
    app = ThisMachineAlone(passes)
    assert asked(app, client, headers=headers) == status
    ended = asked(app, client, headers=headers, kind="websocket")
    assert (ended == "websocket.close") == (status == 403)


@pytest.mark.parametrize(
    ("accepted", "beginning"),
    [
        ("ru-RU,ru;q=0.9", "Klyuch отвечает только"),
        ("fr, de;q=0.8", "Klyuch antwortet nur"),
        ("", "Klyuch answers its"),
    ],
)
def test_a_person_elsewhere_is_told_in_a_language_of_the_browser(accepted, beginning):
    client = TestClient(ThisMachineAlone(passes), client=("10.0.0.7", 50000))
    answer = client.get("/", headers={"accept-language": accepted})
    assert (answer.status_code, answer.text.startswith(beginning)) == (403, True)
    assert "KLYUCH_PUBLIC=1" in answer.text


def upload(app, session=SESSION, file="a", size=1):
    path = f"/_stcore/upload_file/{session}/{file}"
    return asked(app, path=path, method="PUT", headers=[("content-length", str(size))])


@pytest.fixture
def held(monkeypatch):
    """What the server holds by now."""
    storage = {}
    monkeypatch.setattr(streamlit_private, "uploaded_bytes", lambda: dict(storage))
    return storage


def test_a_session_of_a_public_server_uploads_few_files_and_bytes(held):
    app = UploadBounds(passes, is_public=True)
    assert upload(app, size=server_requests.PUBLIC_BYTES) == 200
    assert upload(app, size=server_requests.PUBLIC_BYTES + 1) == 413
    for number in range(server_requests.PUBLIC_FILES):
        held[SESSION, f"{number}"] = 1
    assert upload(app, file="another") == 413
    assert upload(app, file="0") == 200  # in place of what is there
    assert upload(app, session="other") == 200


def test_all_sessions_of_a_public_server_upload_within_a_sum(held):
    app = UploadBounds(passes, is_public=True)
    sessions = server_requests.ALL_BYTES // server_requests.PUBLIC_BYTES
    for number in range(sessions):
        held[f"s{number}", "a"] = server_requests.PUBLIC_BYTES
    assert upload(app, session="last") == 413
    held.pop(("s0", "a"))
    assert upload(app, session="last") == 200


def test_twelve_uploads_of_40_mb_under_invented_names_are_not_all_held(held):
    app = UploadBounds(passes, is_public=False)

    def keep(number):
        status = upload(app, file=f"invented{number}", size=40 << 20)
        if status == 200:
            held[SESSION, f"invented{number}"] = 40 << 20
        return status

    assert [keep(number) for number in range(13)] == [200] * 12 + [413]  # 12 x 40 <= 512


def test_uploads_that_arrive_together_count_together(held):
    async def meanwhile(scope, receive, send):
        """Take an upload during which a second one arrives."""
        told = []

        async def tell(message):
            told.append(message)

        await app({**scope, "path": f"{scope['path']}b"}, receive, tell)
        assert told[0]["status"] == 413
        await passes(scope, receive, send)

    app = UploadBounds(meanwhile, is_public=True)
    assert upload(app, size=server_requests.PUBLIC_BYTES) == 200
    app.app = passes
    assert upload(app, file="c", size=server_requests.PUBLIC_BYTES) == 200


def test_an_upload_of_unknown_length_is_refused(held):
    app = UploadBounds(passes, is_public=True)
    path = f"/_stcore/upload_file/{SESSION}/a"
    assert asked(app, path=path, method="PUT") == 411
    assert asked(app, path=path, method="DELETE") == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", "/_stcore/files/session/a"), ("POST", f"/_stcore/upload_file/{SESSION}/a")],
)
def test_what_is_sent_where_no_upload_is_known_to_go_is_refused(held, method, path):
    app = UploadBounds(passes, is_public=False)
    assert asked(app, path=path, method=method, headers=[("content-length", "1")]) == 503
    assert asked(app, path=path, method="GET") == 200


LOGGED = {  # what Streamlit may rename, and the end of the log line that says so
    "streamlit.runtime.Runtime": "uploads",
    "streamlit.runtime.Runtime.exists": "uploads",
    "streamlit.web.server.server.UPLOAD_FILE_ENDPOINT": "upload_path",
    "streamlit.runtime.scriptrunner.get_script_run_ctx": "page_run",
    "streamlit.runtime.scriptrunner_utils.script_run_context.ScriptRunContext.is_history_navigation": "history",
}


@pytest.mark.parametrize("name", LOGGED)
def test_what_a_streamlit_has_renamed_is_logged_at_start_and_not_used(monkeypatch, logged, name):
    assert (streamlit_private.check(), logged()) == ([], [])
    monkeypatch.delattr(name)
    streamlit_private.check()
    assert [line["event"] for line in logged()] == [f"streamlit_lacks_{LOGGED[name]}"]
    assert (upload(UploadBounds(passes, is_public=True)) == 503) == (LOGGED[name] == "uploads")


def test_a_run_and_a_way_back_are_known_only_where_streamlit_says_them(monkeypatch):
    name = "streamlit.runtime.scriptrunner.get_script_run_ctx"
    run = SimpleNamespace(is_history_navigation=True)
    monkeypatch.setattr(name, lambda **_: run)
    assert streamlit_private.script_run() is run
    assert streamlit_private.is_history_navigation()
    del run.is_history_navigation
    assert not streamlit_private.is_history_navigation()
    monkeypatch.delattr(name)
    assert streamlit_private.script_run() is None
    assert not streamlit_private.is_history_navigation()
    asked = answers.cached(1, is_heavy=True)(lambda: threading.current_thread().name)
    assert asked().startswith(answers.POOL_NAME)  # heavy answers wait for a thread all the same


def test_a_renamed_module_path_element_or_hint_is_logged_at_start(monkeypatch, logged):
    monkeypatch.setitem(sys.modules, "streamlit.runtime.scriptrunner", None)
    monkeypatch.setattr("streamlit.web.server.server.UPLOAD_FILE_ENDPOINT", "/_stcore/files")
    monkeypatch.setattr(streamlit_private, "STYLE", "[data-testid=stOtherName]")
    monkeypatch.setitem(streamlit_private.SAID, "hints", "Press any key to ")
    assert streamlit_private.check() == ["upload_path", "page_run", "stOtherName", "hints"]
    assert "streamlit_lacks_stOtherName" in {line["event"] for line in logged()}


def test_a_streamlit_that_does_not_say_what_it_holds_gets_no_uploads(monkeypatch):
    other = SimpleNamespace(uploaded_file_mgr=SimpleNamespace())
    monkeypatch.setattr("streamlit.runtime.Runtime.exists", lambda: True)
    monkeypatch.setattr("streamlit.runtime.Runtime.instance", lambda: other)
    assert upload(UploadBounds(passes, is_public=True)) == 503
    assert streamlit_private.check() == ["uploads"]


# A log line says what happened and nothing that anybody typed


SECRET = "melusine"


def test_a_fact_is_a_number_or_a_word_of_the_program(logged):
    events.note("refused", page="shelf", code="model_taken", seconds=1.5, name=SECRET)
    (line,) = logged()
    assert line.pop("time")[:2] == "20"
    assert line == {"event": "refused", "page": "shelf", "code": "model_taken", "seconds": 1.5, "name": "other"}  # fmt: skip


def test_what_people_type_name_and_upload_stands_in_no_line(own_home, logged):
    app = open_page("shelf", lang="en", shelf_part="bring")
    app = upload_models(app, (f"{SECRET}.txt", f"{SECRET} 1 2\nb 2 1\n".encode()), name=SECRET)
    app.button(key="shelf-look").click().run()
    app.text_input(key="shelf_new_name").set_value(f"{SECRET}2")
    app.button(key="shelf-rename").click().run()
    app.button(key="shelf-delete").click().run()
    app.button(key="shelf-delete-yes").click().run()
    happened = [line["event"] for line in logged() if line["event"] not in ("opened", "slow")]
    assert happened == ["imported", "renamed", "deleted"]
    opened = [line for line in logged() if line["event"] == "opened"]
    assert {(*line, line["kind"]) for line in opened} == {
        ("time", "event", "kind", "again", "static")
    }
    assert logged()[0]["kind"] == "static"
    assert logged()[0]["bytes"] == len(f"{SECRET} 1 2\nb 2 1\n")
    assert SECRET not in json.dumps(logged())


# Explore is opened by its name, too: ``/explore`` leads to ``/`` with all that the address asks for


def sent_on(path, query=b"", kind="http"):
    """Status of an answer, and where it sends the browser on to."""
    app = BaseHTTPMiddleware(passes, open_first_page_by_name)
    answer = first_answer(app, path=path, query=query, kind=kind)
    return answer["status"], dict(answer["headers"]).get(b"location", b"").decode()


@pytest.mark.parametrize(
    ("base", "path", "query", "address"),
    [
        ("", "/explore", b"lang=en&word=%D0%BA%D0%BB", "/?lang=en&word=%D0%BA%D0%BB"),
        ("", "/explore/", b"lang=en", "/?lang=en"),
        ("", "/explore", b"", "/"),
        ("", "/EXPLORE", b"lang=en", "/?lang=en"),
        ("klyuch", "/klyuch/Explore/", b"n=5", "/klyuch/?n=5"),
        ("klyuch", "/klyuch/explore", b"n=5", "/klyuch/?n=5"),
        ("/klyuch/", "/klyuch/explore/", b"n=5", "/klyuch/?n=5"),
    ],
)
def test_the_first_page_opens_by_its_name_with_what_the_address_asks_for(
    monkeypatch, base, path, query, address
):
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.__getitem__)
    status, location = sent_on(path, query)
    assert status == 307
    assert urljoin(f"https://klyuch.example{path}", location) == f"https://klyuch.example{address}"
    assert PAGES[0] == FIRST_PAGE  # which opens where a link names none


def test_behind_a_proxy_that_takes_its_prefix_away_the_prefix_stays():
    _, location = sent_on("/explore", b"lang=en")
    shown = urljoin("https://lab.example/words/explore?lang=en", location)
    assert shown == "https://lab.example/words/?lang=en"


@pytest.mark.parametrize(
    "path", ["/", "/explorer", "/contexts", "/contexts/explore", "/_stcore/health"]
)
def test_other_addresses_are_answered_as_they_are(path):
    assert sent_on(path) == (200, "")
    assert sent_on("/explore", kind="websocket") == (200, "")
