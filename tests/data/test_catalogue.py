"""The catalogue of texts and test sets is complete and agrees with a mirror's files."""

import hashlib
import os
import re
import tomllib
from collections import Counter
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
KINDS = {
    "corpus", "wikipedia", "analogies", "odd-one-out", "similarity", "associations",
    "classification", "translation", "split", "simplification", "senses", "contexts",
}  # fmt: skip
FIELDS = {"name", "title", "kind", "language", "licence", "source", "commit", "files"}
FILE_FIELDS = {"address", "mirror", "size", "sha256"}


@pytest.fixture(scope="module")
def entries():
    text = (ROOT / "data" / "catalogue.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["entry"]


@pytest.fixture(scope="module")
def files(entries):
    return [(entry, file) for entry in entries for file in entry["files"]]


def test_entries_have_the_fields_that_the_commands_read(entries, files):
    for entry in entries:
        assert set(entry) in (FIELDS, FIELDS | {"note"}), entry["name"]
        assert entry["files"]
        assert all(entry[field] for field in ("name", "title", "licence", "source", "language"))
        assert entry["kind"] in KINDS
        assert set(entry["language"]) <= {"en", "ru", "de"}
    for entry, file in files:
        more = set(file) - FILE_FIELDS
        assert set(file) >= FILE_FIELDS, entry["name"]
        assert more in (set(), {"unpacked_sha256"}, {"gensim"}), entry["name"]


def test_names_are_unique_and_can_be_typed(entries):
    names = Counter(entry["name"] for entry in entries)
    assert max(names.values()) == 1
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name) for name in names)


def test_mirror_paths_are_unique_relative_and_stay_inside(files):
    paths = [file["mirror"] for _, file in files if file["mirror"]]
    assert len(paths) == len(set(paths))
    for path in map(PurePosixPath, paths):
        assert not path.is_absolute()
        assert ".." not in path.parts


def test_each_file_has_an_address_or_a_mirror_a_size_and_a_checksum(files):
    """An address is https and names a file, and the commit of its entry; a checksum is open where no mirror's file tells it."""
    for entry, file in files:
        assert file["address"] + file["mirror"], entry["name"]
        assert file["size"] >= 0
        assert re.fullmatch(r"([0-9a-f]{40})?", entry["commit"])
        if file["address"]:
            parts = urlsplit(file["address"])
            assert parts.scheme == "https"
            assert PurePosixPath(parts.path).suffix
            assert not parts.query
            assert f"/{entry['commit']}/" in file["address"] or not entry["commit"]
        for field in ("sha256", "unpacked_sha256"):
            assert re.fullmatch(r"([0-9a-f]{64})?", file.get(field, ""))
        if file["mirror"]:
            assert file["sha256"] or file["unpacked_sha256"]


def test_corpora_of_the_recipes_are_in_the_catalogue(files):
    recipes = tomllib.loads((ROOT / "data" / "recipes.toml").read_text(encoding="utf-8"))
    known = {PurePosixPath(file["mirror"]).name for _, file in files}
    for corpus in recipes["corpora"].values():
        assert set(corpus["files"]) <= known


def test_english_analogies_are_the_bytes_that_gensim_carries(entries):
    from gensim.test.utils import datapath

    entry = next(entry for entry in entries if entry["name"] == "analogies-en")
    content = Path(datapath("questions-words.txt")).read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry["files"][0]["sha256"]
    assert len(content) == entry["files"][0]["size"]


@pytest.mark.mirror
def test_mirror_holds_every_file_with_its_checksum_and_size(files):
    mirror = Path(os.environ["KLYUCH_MIRROR"])
    for _, file in files:
        if file["mirror"]:
            path = mirror / file["mirror"]
            with path.open("rb") as content:
                found = hashlib.file_digest(content, "sha256").hexdigest()
            assert found == (file.get("unpacked_sha256") or file["sha256"]), path.name
            if file["size"]:
                assert path.stat().st_size == file["size"], path.name
