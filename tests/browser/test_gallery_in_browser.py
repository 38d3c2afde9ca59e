"""The gallery: every file opens from disk with the network cut, and the index leads to all of them."""

import os
import re
import subprocess
import sys

import pytest

from embeddings.saved_page.html_page import MAX_BYTES
from tests.browser.conftest import ROOT
from tests.browser.test_saved_in_browser import visit
from tests.saved_page.contract import data_of

__all__ = ["visit"]  # a fixture
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gallery")
    command = [sys.executable, "-m", "benchmarks.gallery", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=ROOT, check=True, env=environment, capture_output=True)
    return folder


def test_every_file_of_the_index_answers_without_a_network(gallery, visit):
    page = visit(gallery / "index.html")
    names = page.get_by_role("link").evaluate_all("links => links.map(a => a.getAttribute('href'))")
    assert {*names, "index.html"} == {path.name for path in gallery.iterdir()}
    assert len(names) == 8
    for name in names:
        path = gallery / name
        assert path.stat().st_size <= MAX_BYTES
        text = path.read_text(encoding="utf-8")
        assert str(ROOT) not in text
        opened = visit(path)
        if name == "it.html":
            assert opened.locator(".stage path").count() > 5
            continue
        data = data_of(text)
        assert "sha256" in text or name == "change.html"
        rows = opened.locator("tbody tr")
        assert rows.count() == sum(len(table["rows"]) for table in data["tables"]) > 0
        rows.nth(1).hover()
        assert opened.locator("tr.marked").count() >= 1
        if data["figure"]:
            linked = {point[0] for point in data["figure"]["points"]}
            assert linked & {row[0] for table in data["tables"] for row in table["rows"]}


def test_what_the_files_hold_is_the_answer_that_they_promise(gallery):
    king = data_of((gallery / "king.html").read_text(encoding="utf-8"))
    assert [row[1][2] for row in king["tables"][0]["rows"] if row[1][1] == "1"] == ["queen"] * 3
    for name, word in (("klyuch-senses", "ключ"), ("schloss", "Schloss"), ("bank", "bank")):
        data = data_of((gallery / f"{name}.html").read_text(encoding="utf-8"))
        sentences = [row[1][1] for row in data["tables"][0]["rows"]]
        marked = [re.search(r"\[(.*?)\]", sentence)[1].lower() for sentence in sentences]
        assert all(form[:4] in (word[:4].lower(), "schl") for form in marked)
        assert len({row[1][2] for row in data["tables"][0]["rows"]}) > 1
