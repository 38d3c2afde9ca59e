"""Explore is opened by its name, too: ``/explore`` leads to ``/`` with all that the address asks for."""

import asyncio
from urllib.parse import urljoin

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.server import FIRST_PAGE, FirstPageByName
from app.wording import wording
from tests.app.visits import MAIN


def answered(path, query=b"", kind="http"):
    """Status of an answer, and where it sends the browser on to."""
    sent = []

    async def page(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "path": path, "query_string": query, "headers": []}
    asyncio.run(FirstPageByName(page)(scope, None, send))
    location = dict(sent[0]["headers"]).get(b"location", b"").decode()
    return sent[0]["status"], location


@pytest.mark.parametrize(
    ("base", "path", "query", "address"),
    [
        (
            "",
            "/explore",
            b"lang=en&word=%D0%BA%D0%BB%D1%8E%D1%87",
            "/?lang=en&word=%D0%BA%D0%BB%D1%8E%D1%87",
        ),
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
    status, location = answered(path, query)
    assert status == 307
    assert urljoin(f"https://klyuch.example{path}", location) == f"https://klyuch.example{address}"


def test_behind_a_proxy_that_takes_its_prefix_away_the_prefix_stays():
    _, location = answered("/explore", b"lang=en")
    shown = urljoin("https://lab.example/words/explore?lang=en", location)
    assert shown == "https://lab.example/words/?lang=en"


@pytest.mark.parametrize(
    "path", ["/", "/explorer", "/contexts", "/contexts/explore", "/_stcore/health"]
)
def test_other_addresses_are_answered_as_they_are(path):
    assert answered(path) == (200, "")
    assert answered("/explore", kind="websocket") == (200, "")


def test_the_page_of_that_name_is_the_first_one(small_shelf):
    app = AppTest.from_file(MAIN, default_timeout=60).run()
    assert app.title[0].value == wording("en")(f"{FIRST_PAGE}.title")
