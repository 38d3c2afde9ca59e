"""Models ship from a clean tree alone: by hand in a repository of one file."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks import build_contextual, build_lenses, build_models, build_networks, translation
from benchmarks.source_tree import check_clean, clean_commit, source_commit
from embeddings.files import read_json, write_json


@pytest.fixture
def tree(tmp_path):
    """A checkout with a source file and a result."""
    for name in ("source.py", "benchmarks/results/a.json", "data/models/m/card.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1", encoding="utf-8")
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "first")):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True)
    clean_commit.cache_clear()
    return tmp_path


def test_a_clean_tree_gives_its_commit_and_a_changed_one_is_refused(tree):
    commit = source_commit(tree)
    assert len(commit) == 40
    assert clean_commit(tree) == commit
    clean_commit.cache_clear()
    (tree / "source.py").write_text("2", encoding="utf-8")
    assert source_commit(tree) == f"{commit}-dirty"
    with pytest.raises(SystemExit, match=r"has changes that are not committed: .* Commit first"):
        clean_commit(tree)


def test_what_the_commands_write_themselves_makes_no_tree_dirty(tree):
    commit = source_commit(tree)
    (tree / "benchmarks/results/a.json").write_text("2", encoding="utf-8")
    (tree / "data/models/m/card.json").write_text("2", encoding="utf-8")
    assert source_commit(tree) == commit


def test_a_folder_that_is_no_checkout_is_refused(tmp_path):
    assert source_commit(tmp_path) == ""
    with pytest.raises(SystemExit, match="is no git checkout"):
        clean_commit(tmp_path)


def test_a_card_of_a_changed_tree_cannot_ship():
    check_clean({"commit": "a" * 40, "stages": [{"commit": "b" * 40}, {}]}, "mine")
    for card in ({"commit": "a-dirty"}, {"commit": "a", "stages": [{"commit": "b-dirty"}]}):
        with pytest.raises(
            SystemExit, match=r"mine cannot ship: its card names the commit .-dirty"
        ):
            check_clean(card, "mine")


SHIPPING = {
    build_models: ["--corpora", "."],
    build_networks: ["--corpora", ".", "--work", "."],
    build_contextual: ["--corpora", ".", "--model", "none"],
    translation: [".", "--ship", "."],
    build_lenses: ["bert-en"],
}
TRAINING = {translation: [".", "fused"]}  # what ships later, by another call


@pytest.mark.parametrize(("module", "flags"), [*SHIPPING.items(), *TRAINING.items()])
def test_no_model_is_built_from_a_changed_tree(module, flags, monkeypatch, tmp_path):
    def refuse():
        raise SystemExit("Commit first")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KLYUCH_MIRROR", str(tmp_path))
    monkeypatch.setattr(module, "clean_commit", refuse)
    monkeypatch.setattr("sys.argv", ["build", *flags])
    with pytest.raises(SystemExit, match="Commit first"):
        module.main()
    assert not any(tmp_path.iterdir())


def test_every_benchmark_that_writes_a_model_with_a_card_is_among_them():
    writes = re.compile(r"write_card\(|write_table\(|export_network\(|write_native\(.*card=")
    files = Path(build_models.__file__).parent.glob("*.py")
    writers = {file.stem for file in files if writes.search(file.read_text(encoding="utf-8"))}
    assert writers == {module.__name__.rpartition(".")[2] for module in SHIPPING}


def test_what_is_made_from_a_model_of_a_changed_tree_cannot_ship(tmp_path, tiny_bert, monkeypatch):
    base = tmp_path / "models" / "base"
    shutil.copytree(tiny_bert, base)
    card = read_json(base / "card.json")
    write_json(base / "card.json", {**card, "commit": "a" * 40 + "-dirty"})
    plain = tmp_path / "runs" / "plain" / "model"
    plain.mkdir(parents=True)
    write_json(plain / "card.json", {"bert": {"name": "base"}})
    (tmp_path / "static").mkdir()
    write_json(tmp_path / "static" / "card.json", {"commit": "b-dirty"})
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    flags = ["--corpora", str(tmp_path), "--model", "base", "--output", str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", ["build", *flags])
    for module in (build_contextual, translation):
        monkeypatch.setattr(module, "clean_commit", lambda: "c" * 40)
    with pytest.raises(SystemExit, match="base cannot ship"):
        build_contextual.main()
    with pytest.raises(SystemExit, match="base cannot ship"):
        translation.ship(tmp_path, tmp_path / "runs", tmp_path / "out", ["plain"])
    with pytest.raises(SystemExit, match="static cannot ship"):
        build_models.trained_already(tmp_path / "static")
    assert not (tmp_path / "out").exists()
