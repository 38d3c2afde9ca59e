"""A mirror is asked before the address, and is not believed either."""

from dataclasses import replace
from pathlib import Path

import pytest
from gensim.test.utils import datapath

from embeddings.errors import InputError
from embeddings.sources.catalogue import CatalogueFile, read_catalogue
from tests.sources.catalogue_server import OTHER, TEXT, digest, entry, get, known, visible

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = "analogies-en"


def test_a_mirror_folder_is_taken_before_the_address(server, tmp_path):
    (tmp_path / "mirror/texts").mkdir(parents=True)
    (tmp_path / "mirror/texts/a.txt").write_bytes(TEXT)
    (file,) = get(known(server), tmp_path / "home", mirror=str(tmp_path / "mirror"))
    assert file.path.read_bytes() == TEXT
    assert file.origin == str(tmp_path / "mirror/texts/a.txt")
    assert server.requested_ranges == []


@pytest.mark.parametrize("content", [TEXT[:-1], OTHER])
def test_a_mirror_with_a_wrong_file_is_refused(server, tmp_path, content):
    (tmp_path / "mirror/texts").mkdir(parents=True)
    (tmp_path / "mirror/texts/a.txt").write_bytes(content)
    with pytest.raises(InputError, match="Nothing was kept"):
        get(known(server), tmp_path / "home", mirror=str(tmp_path / "mirror"))
    assert visible(tmp_path / "home") == []


def test_what_a_mirror_lacks_comes_from_the_address(server, tmp_path):
    for mirror in (server("/m"), str(tmp_path)):
        (file,) = get(known(server), tmp_path / "home", mirror=mirror)
        assert file.origin == server("/a.txt")
        file.path.unlink()


@pytest.mark.parametrize(
    ("mirror", "sentence"),
    [("", "only a mirror has it"), ("/nowhere", "/nowhere does not have texts/a.txt")],
)
def test_a_text_without_address_needs_a_mirror_that_has_it(tmp_path, mirror, sentence):
    one = entry(CatalogueFile("a.txt", "", "texts/a.txt", 3, digest(b"abc")))
    with pytest.raises(InputError, match=sentence):
        get(one, tmp_path, mirror=mirror)


def test_what_gensim_carries_needs_no_network(tmp_path):
    catalogue = read_catalogue(ROOT / "data/catalogue.toml")
    one = next(listed for listed in catalogue if listed.name == ENGLISH)
    unreachable = replace(one.files[0], address="http://127.0.0.1:9/questions-words.txt")
    (file,) = get(replace(one, files=(unreachable,)), tmp_path)
    assert file.origin == datapath("questions-words.txt")
    assert file.path.read_bytes() == Path(datapath("questions-words.txt")).read_bytes()
    assert file.checked_by == "catalogue"


def test_other_bytes_in_gensim_are_not_taken(server, tmp_path):
    (file,) = get(known(server, gensim="questions-words.txt", mirror=""), tmp_path)
    assert (file.origin, file.path.read_bytes()) == (server("/a.txt"), TEXT)


def test_a_mirror_is_asked_before_gensim(server, tmp_path):
    (tmp_path / "mirror/texts").mkdir(parents=True)
    (tmp_path / "mirror/texts/a.txt").write_bytes(TEXT)
    one = known(server, gensim="questions-words.txt")
    (file,) = get(one, tmp_path / "home", mirror=str(tmp_path / "mirror"))
    assert file.origin == str(tmp_path / "mirror/texts/a.txt")
