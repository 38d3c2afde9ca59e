"""Which addresses and names are taken, and where a redirect may lead."""

import io

import pytest

from embeddings.errors import InputError
from embeddings.sources import downloads
from embeddings.sources.catalogue import address_entries, find_entry
from tests.sources.catalogue_server import OTHER, TEXT, entry, get, known


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "ftp://example.org/a.txt",
        "data:text/plain,a",
        "http:///a.txt",
        "https://me:secret@example.org/a.txt",
        "https://example.org:a/a.txt",
        "https://example.org/a b.txt",
        "example.org/a.txt",
    ],
)
def test_only_http_and_https_addresses_are_opened(address):
    with pytest.raises(InputError, match="only http and https addresses"):
        find_entry((), address)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://example.org/a.txt"])
def test_a_redirect_to_another_scheme_is_refused(server, tmp_path, target):
    server.faults = ["to " + target]
    with pytest.raises(InputError, match=r"only http and https addresses|the error 302"):
        get(known(server), tmp_path)


def test_a_redirect_from_https_to_http_is_refused():
    request = downloads.urllib.request.Request("https://example.org/a.txt")
    with pytest.raises(InputError, match="from https to http"):
        downloads._Redirects().redirect_request(
            request, io.BytesIO(), 302, "", {}, "http://example.org/a.txt"
        )


def test_a_redirect_is_followed(server, tmp_path):
    server.faults = ["to /b.txt"]
    server.files["/b.txt"] = TEXT
    (file,) = get(known(server), tmp_path)
    assert file.path.read_bytes() == TEXT


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("/missing.txt", "answers with the error 404"), ("/", "names no file")],
)
def test_an_address_without_a_file_is_refused(server, tmp_path, path, sentence):
    with pytest.raises(InputError, match=sentence):
        get(find_entry((), server(path)), tmp_path)


def test_a_server_that_is_not_there_is_told(tmp_path):
    one = find_entry((), "http://127.0.0.1:9/a.txt")
    with pytest.raises(InputError, match="cannot be reached"):
        get(one, tmp_path)


def test_an_address_has_a_folder_of_its_own_and_is_listed(server, tmp_path):
    one = find_entry((), server("/a.txt"), "mine")
    (file,) = get(one, tmp_path)
    assert file.path == tmp_path / "mine/a.txt"
    (listed,) = address_entries(tmp_path)
    assert (listed.name, listed.source, listed.size) == ("mine", server("/a.txt"), len(TEXT))
    assert listed.is_downloaded(tmp_path)
    server.files["/b.txt"] = OTHER
    with pytest.raises(InputError, match=r"The name mine belongs to .*/a\.txt"):
        get(find_entry((), server("/b.txt"), "mine"), tmp_path)
    assert file.path.read_bytes() == TEXT


def test_an_address_cannot_take_the_name_of_an_entry(server):
    with pytest.raises(InputError, match=r"The name one belongs to https://example\.org"):
        find_entry((known(server),), server("/a.txt"), "one")


@pytest.mark.parametrize("name", ["..", "a/b", ".hidden", "a b", "x" * 101])
def test_names_that_cannot_be_folders_are_refused(server, name):
    with pytest.raises(InputError, match="cannot name a folder"):
        find_entry((), server("/a.txt"), name)


def test_an_unknown_name_brings_close_ones(server):
    entries = [entry(name=name) for name in ("analogies-de", "analogies-en", "text8")]
    with pytest.raises(InputError, match=r"«Analogys-de» .* Near it: analogies-de, analogies-en\."):
        find_entry(entries, "Analogys-de")
    with pytest.raises(InputError, match=r"Names there: analogies-de, analogies-en, text8\."):
        find_entry(entries, "qqq")
