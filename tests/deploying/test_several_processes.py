"""Two processes behind nginx, by the text of docs/howto/server.md: a visitor stays with one of them, over all that a browser asks."""

import os
import re
from contextlib import ExitStack, suppress
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.servers import balanced, nginx, proxied, served
from benchmarks.visits import Visit

pytestmark = pytest.mark.slow
NO_NGINX = nginx() is None and not os.environ.get("KLYUCH_PROXIES")


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """The port of nginx, and those of the two processes behind it."""
    if NO_NGINX:
        pytest.skip("nginx is not installed")
    home = tmp_path_factory.mktemp("home")
    with balanced(2, home) as (port, inner, _):
        yield port, inner


def answer(port, path, method="GET", body=None, **headers):
    """The status, the headers and the body of an answer."""
    request = Request(f"http://127.0.0.1:{port}{path}", body, headers, method=method)
    try:
        with urlopen(request, timeout=60) as reply:
            return reply.status, reply.headers, reply.read()
    except HTTPError as error:
        return error.code, error.headers, error.read()


def given(headers):
    """The processes that cookies of an answer name."""
    cookies = headers.get_all("Set-Cookie") or []
    return [cookie for cookie in cookies if cookie.startswith("klyuch=")]


def new_cookie(port):
    """The cookie of somebody who opens the first page."""
    status, headers, body = answer(port, "/")
    assert (status, b"<div id=" in body) == (200, True)
    (cookie,) = given(headers)
    assert re.fullmatch("klyuch=[12]; Path=/; HttpOnly; SameSite=Lax", cookie)
    return cookie.partition(";")[0]


def session_of(visit):
    """The session of an open page."""
    started = [m for m in visit._messages if m.WhichOneof("type") == "new_session"]
    return started[-1].new_session.initialize.session_id


def uploaded(port, session, cookie=""):
    """The status of an upload to a session; 400 where the process has no such session."""
    _, headers, _ = answer(port, "/_stcore/health", Cookie=cookie)
    xsrf = next(c for c in headers.get_all("Set-Cookie") if c.startswith("_streamlit_xsrf="))
    token = xsrf.partition(";")[0].partition("=")[2]
    body = (
        b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\ncat\r\n--x--\r\n'
    )
    cookies = "; ".join(filter(None, [cookie, f"_streamlit_xsrf={token}"]))
    kind = {"Content-Type": "multipart/form-data; boundary=x", "X-Xsrftoken": token}
    path = f"/_stcore/upload_file/{session}/one"  # again and again the same file: their number is bounded
    return answer(port, path, "PUT", body, Cookie=cookies, **kind)[0]


def made_file(visit):
    """The address of the file that the page's first button for downloads makes."""
    elements = (m.delta.new_element for m in visit._messages if m.WhichOneof("type") == "delta")
    button = next(e.download_button for e in elements if e.WhichOneof("type") == "download_button")
    message = BackMsg()
    message.backend_operation_request.request_id = "1"
    message.backend_operation_request.session_id = session_of(visit)
    message.backend_operation_request.deferred_file.file_id = button.deferred_file_id
    visit.connection.send(message.SerializeToString())
    while True:
        reply = ForwardMsg.FromString(visit.connection.recv(timeout=60))
        if reply.WhichOneof("type") == "backend_operation_response":
            return reply.backend_operation_response.deferred_file.url


def test_a_visitor_stays_with_a_process_over_page_websocket_upload_and_download(servers):
    port, inner = servers
    # Another page each: files of the same content have the same address on both.
    for cookie, page in (("klyuch=1", ""), ("klyuch=2", "analogies")):
        own = int(cookie[-1]) - 1
        status, headers, _ = answer(port, "/", Cookie=cookie)
        assert (status, given(headers)) == (200, [])  # it has its cookie
        with Visit(port, cookie=cookie) as visit:
            assert not given_at_opening(visit)
            visit.open("lang=en&text=en", page)
            session, path = session_of(visit), made_file(visit)
            # Which process it is, asked without the proxy: the other one knows neither session nor file.
            assert uploaded(inner[own], session) == 204
            assert uploaded(inner[1 - own], session) == 400
            assert [answer(inner[i], path)[0] for i in (own, 1 - own)] == [200, 404]
            for _ in range(4):  # in turn, two would fail
                assert uploaded(port, session, cookie) == 204
                assert answer(port, path, Cookie=cookie)[0] == 200
            other = f"klyuch={2 - own}"
            assert uploaded(port, session, other) == 400
            assert answer(port, path, Cookie=other)[0] == 404


def given_at_opening(visit):
    """The processes that cookies of the answer to a websocket's opening name."""
    cookies = visit.connection.response.headers.get_all("Set-Cookie")
    return [cookie for cookie in cookies if cookie.startswith("klyuch=")]


def test_visitors_come_to_the_processes_in_turn(servers):
    cookies = [new_cookie(servers[0]) for _ in range(10)]
    assert {cookie: cookies.count(cookie) for cookie in cookies} == {"klyuch=1": 5, "klyuch=2": 5}


def test_a_visitor_without_cookies_gets_pages_and_a_websocket_names_its_process(servers):
    port, inner = servers
    met = set()
    for _ in range(2):
        with Visit(port) as visit:
            (cookie,) = given_at_opening(visit)
            visit.open("lang=en&text=en")
            assert "shelf" in visit.navigation()
            own = int(cookie[len("klyuch=")]) - 1
            assert uploaded(inner[own], session_of(visit)) == 204
            met.add(own)
    assert met == {0, 1}


def test_a_refused_upload_leaves_both_processes_to_all(servers):
    port, _ = servers
    large = b"x" * (20 << 20)
    for cookie in ("klyuch=1", "klyuch=2", "klyuch=1"):
        for method, path in (("PUT", "/_stcore/upload_file/a/b"), ("POST", "/")):
            with suppress(URLError):  # nginx may end the connection before all is sent
                assert answer(port, path, method, large, Cookie=cookie)[0] >= 400
    for cookie in ("klyuch=1", "klyuch=2"):
        status, headers, _ = answer(port, "/", Cookie=cookie)
        assert (status, given(headers)) == (200, [])


@pytest.mark.parametrize("odd", ["3", "klyuch_1", "127.0.0.1:22", "a.example", "1 2", "%0d%0aX: y"])
def test_a_cookie_of_another_form_counts_as_none(servers, odd):
    status, headers, _ = answer(servers[0], "/", Cookie=f"klyuch={odd}")
    (cookie,) = given(headers)
    assert (status, cookie[:8] in ("klyuch=1", "klyuch=2")) == (200, True)


def test_who_was_at_a_process_that_ended_goes_on_at_the_other_one(tmp_path):
    if NO_NGINX:
        pytest.skip("nginx is not installed")
    with ExitStack() as first:
        one, _ = first.enter_context(served(tmp_path))
        with served(tmp_path) as (two, _), proxied((one, two)) as port:
            assert given(answer(port, "/", Cookie="klyuch=1")[1]) == []
            first.close()
            status, headers, _ = answer(port, "/", Cookie="klyuch=1")
            assert (status, given(headers)[0][:8]) == (200, "klyuch=2")
            assert given(answer(port, "/", Cookie="klyuch=2")[1]) == []
