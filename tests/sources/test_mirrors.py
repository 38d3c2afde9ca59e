"""A mirror is asked before the address, and is not believed either."""

import pytest

from embeddings.errors import InputError
from embeddings.sources.catalogue import CatalogueFile
from tests.sources.catalogue_server import OTHER, TEXT, digest, entry, get, known, visible


def test_a_mirror_folder_is_taken_before_the_address(server, tmp_path):
    (tmp_path / "mirror/texts").mkdir(parents=True)
    (tmp_path / "mirror/texts/a.txt").write_bytes(TEXT)
    (file,) = get(known(server), tmp_path / "home", mirror=str(tmp_path / "mirror"))
    assert file.path.read_bytes() == TEXT
    assert file.origin == str(tmp_path / "mirror/texts/a.txt")
    assert server.asked == []


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
