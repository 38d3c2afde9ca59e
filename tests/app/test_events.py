"""A log line says what happened and nothing that anybody typed."""

import json
import logging

import pytest

from app import events
from tests.app.shelf.visits import upload_models
from tests.app.visits import open_page

SECRET = "melusine"


@pytest.fixture
def lines(caplog, monkeypatch):
    """A function that returns the lines written by now."""
    monkeypatch.setattr(events.log, "propagate", True)
    caplog.set_level(logging.INFO, events.log.name)
    return lambda: [json.loads(record.message) for record in caplog.records if record.name == events.log.name]  # fmt: skip


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))


def test_a_fact_is_a_number_or_a_word_of_the_program(lines):
    events.note("refused", page="shelf", code="model_taken", seconds=1.5, name=SECRET)
    (line,) = lines()
    assert line.pop("time")[:2] == "20"
    assert line == {"event": "refused", "page": "shelf", "code": "model_taken", "seconds": 1.5, "name": "other"}  # fmt: skip


def test_what_people_type_name_and_upload_stands_in_no_line(home, lines):
    app = open_page("shelf", lang="en", shelf_part="bring")
    app = upload_models(app, (f"{SECRET}.txt", f"{SECRET} 1 2\nb 2 1\n".encode()), name=SECRET)
    app.button(key="shelf-look").click().run()
    app.text_input(key="shelf_new_name").set_value(f"{SECRET}2")
    app.button(key="shelf-rename").click().run()
    app.button(key="shelf-delete").click().run()
    app.button(key="shelf-delete-yes").click().run()
    happened = [line["event"] for line in lines() if line["event"] != "opened"]
    assert happened == ["imported", "renamed", "deleted"]
    opened = [line for line in lines() if line["event"] == "opened"]
    assert {(*line, line["kind"]) for line in opened} == {
        ("time", "event", "kind", "again", "static")
    }
    assert lines()[0]["kind"] == "static"
    assert lines()[0]["bytes"] == len(f"{SECRET} 1 2\nb 2 1\n")
    assert SECRET not in json.dumps(lines())
