"""Files and folders that replace nothing but their own kind, and nothing by halves."""

from pathlib import Path

import pytest

from embeddings.errors import FormatError, InputError, KlyuchError, MissingFileError
from embeddings.files import (
    atomic_file,
    atomic_folder,
    check_replaceable,
    check_seal,
    parse_json,
    read_json,
    sealed,
    write_json,
)
from embeddings.shelf import data, list_models
from embeddings.vectors.formats.native_folder import check_native_target


def tree(folder):
    """Names below a folder with what the files hold."""
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_a_new_folder_takes_the_place_of_the_old_and_leaves_nothing_beside(tmp_path):
    for text in ("one", "two"):
        with atomic_folder(tmp_path / "made") as folder:
            (folder / "a.txt").write_text(text)
    assert tree(tmp_path) == {"made": None, "made/a.txt": "two"}


def test_files_get_mode_0644_and_folders_0755(tmp_path):
    with atomic_folder(tmp_path / "made") as folder:
        (folder / "inner").mkdir(mode=0o700)
        (folder / "inner" / "a.txt").write_text("one")
        (folder / "inner" / "a.txt").chmod(0o600)
    modes = {path.name: path.stat().st_mode & 0o777 for path in [*tmp_path.rglob("*")]}
    assert modes == {"made": 0o755, "inner": 0o755, "a.txt": 0o644}


@pytest.mark.parametrize("writer", [atomic_folder, atomic_file])
def test_an_error_leaves_the_old_as_it_was(tmp_path, writer):
    before = {"kept": "old"}
    (tmp_path / "kept").write_text("old")
    if writer is atomic_folder:
        (tmp_path / "kept").unlink()
        (tmp_path / "kept").mkdir()
        before = {"kept": None}
    with pytest.raises(RuntimeError, match="half way"), writer(tmp_path / "kept"):
        raise RuntimeError("half way")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("failing", [{1}, {2}, {2, 3}])
def test_a_swap_that_fails_puts_the_old_folder_back_or_keeps_it_aside(
    tmp_path, monkeypatch, failing
):
    with atomic_folder(tmp_path / "made") as folder:
        (folder / "a.txt").write_text("old")
    real, calls = Path.rename, []

    def rename(self, target):
        calls.append(target)
        if len(calls) in failing:
            raise OSError(13, "Permission denied", str(self))
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OSError, match="Permission denied"), atomic_folder(tmp_path / "made") as new:
        (new / "a.txt").write_text("new")
    assert [path.read_text() for path in tmp_path.rglob("a.txt")] == ["old"]
    if 3 not in failing:
        assert tree(tmp_path) == {"made": None, "made/a.txt": "old"}


def test_a_file_is_not_replaced_by_a_folder(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(NotADirectoryError), atomic_folder(tmp_path / "a.txt"):
        raise AssertionError("the block must not be entered")
    assert tree(tmp_path) == {"a.txt": "old"}


@pytest.mark.parametrize("place", [".", "..", "../here"])
def test_the_current_folder_and_those_above_are_refused(tmp_path, monkeypatch, place):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(KlyuchError, match="is the folder that you are in, or one above"):
        check_replaceable(Path(place), "mark", ("mark",))
    with pytest.raises(KlyuchError, match="Name a new folder"), atomic_folder(Path(place)):
        raise AssertionError("the block must not be entered")
    assert tree(tmp_path) == {"here": None}


def test_a_folder_given_as_a_file_is_called_a_folder_and_not_missing(tmp_path):
    from embeddings.analysis.evaluation import read_analogies, read_word_pairs
    from embeddings.cli.nouns import read_words
    from embeddings.corpora.concordance import Concordance
    from embeddings.corpora.labelled import read_labelled, read_lines
    from embeddings.corpora.sense_contexts import read_contexts
    from embeddings.vectors.formats.parsing import reading

    def stream(path):
        with reading(path):
            pass

    opening = (read_lines, read_labelled, read_contexts, read_words, Concordance.open, stream)
    for read in (*opening, read_analogies, read_word_pairs):
        with pytest.raises(InputError) as refused:
            read(tmp_path)
        said = f"{tmp_path} is a folder, and a file is needed there. Name a file."
        assert str(refused.value) == said
        with pytest.raises(MissingFileError, match="none does not exist"):
            read(tmp_path / "none")


def test_a_relative_path_with_dots_is_written(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with atomic_folder(Path("../made/.")) as folder:
        (folder / "a.txt").write_text("one")
    assert tree(tmp_path) == {"here": None, "made": None, "made/a.txt": "one"}


@pytest.mark.parametrize(
    ("names", "known", "refused"),
    [
        ((), ("mark", "other"), None),
        (("mark", "other"), ("mark", "other"), None),
        (("mark", "ru_news.ids", "en.ids"), ("mark", "*.ids"), None),
        (("mark", "ru_news.ids", "en.txt"), ("mark", "*.ids"), "holds en.txt, which"),
        (("mark", "thesis"), ("mark", "other"), "holds thesis, which writing would delete"),
        (("other", "thesis"), ("mark", "other"), "holds other, thesis, which"),
    ],
)
def test_only_a_folder_of_the_own_kind_can_be_replaced(tmp_path, names, known, refused):
    folder = tmp_path / "made"
    folder.mkdir()
    for name in names:
        (folder / name).write_text("")
    if refused is None:
        check_replaceable(folder, "mark", known)
        return
    with pytest.raises(KlyuchError, match=refused):
        check_replaceable(folder, "mark", known)


def test_each_model_that_ships_may_be_written_again_over_itself():
    from embeddings.training.pretraining import pretraining_run
    from embeddings.training.translation import translation_run

    checks = {
        "static": check_native_target,
        "network": pretraining_run.check_network_target,
        "translation": translation_run.check_translator_target,
    }
    shipped = [entry for entry in list_models() if entry.path.parent == data() / "models"]
    assert {entry.kind for entry in shipped} >= set(checks)
    for entry in shipped:
        if check := checks.get(entry.kind):
            check(entry.path)


@pytest.mark.parametrize(
    ("data", "because"),
    [
        (b'{"a": 1,\n  "b" 2}', "it stops being JSON at line 2, column 7"),
        (b"", "it stops being JSON at line 1, column 1"),
        (b'{"a": 1} {', "it stops being JSON at line 1, column 10"),
        (b'{"a": "\xff"}', "it is not UTF-8 (byte 0xFF)"),
        (b"[1]", "it is not a JSON object"),
    ],
)
def test_what_is_no_json_is_refused_with_the_place_where_it_breaks(data, because):
    with pytest.raises(FormatError) as refusal:
        parse_json(data, "card.json")
    assert str(refusal.value) == f"card.json cannot be read: {because}"


def test_a_sealed_object_that_is_written_again_is_sealed_anew(tmp_path):
    path = tmp_path / "card.json"
    write_json(path, sealed({"name": "a", "score": 0.1, "words": ["ключ"]}))
    card = read_json(path)
    check_seal(card, path)
    write_json(path, {**card, "name": "b"})
    check_seal(read_json(path), path)
    with pytest.raises(KlyuchError, match="is damaged: its sha256 is"):
        check_seal({**card, "name": "c"}, path)
    check_seal({"name": "of an earlier version"}, path)
