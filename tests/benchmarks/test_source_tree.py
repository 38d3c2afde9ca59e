"""Models ship from a clean tree alone: by hand in a repository of one file."""

import subprocess

import pytest

from benchmarks import build_data, build_derived, build_models, build_networks, translation
from benchmarks.source_tree import check_clean, clean_commit, source_commit


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


def test_a_card_of_a_changed_tree_cannot_ship():
    check_clean({"commit": "a" * 40, "stages": [{"commit": "b" * 40}, {}]}, "mine")
    for card in ({"commit": "a-dirty"}, {"commit": "a", "stages": [{"commit": "b-dirty"}]}):
        with pytest.raises(
            SystemExit, match=r"mine cannot ship: its card names the commit .-dirty"
        ):
            check_clean(card, "mine")


SHIPPING = [
    (build_models, ["--corpora", "."]),
    (build_networks, ["--corpora", ".", "--work", "."]),
    (build_derived, ["contexts", "--corpora", "."]),
    (build_derived, ["senses", "--corpora", "."]),
    (build_derived, ["lenses", "bert-en"]),
    (build_derived, ["contextual", "--corpora", ".", "--model", "none"]),
    (build_data, ["changes", "--corpora", ".", "--output", "changes"]),
    (build_data, ["spreads", "--corpora", ".", "--cache", "."]),
    (translation, [".", "--ship", "."]),
    (translation, [".", "fused"]),
]


@pytest.mark.parametrize(("module", "flags"), SHIPPING)
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
