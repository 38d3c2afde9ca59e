"""What ``klyuch bert pretrain`` does with each switch, and what it refuses before it begins."""

import json

import pytest

SIZES = (
    "--hidden-size 16 --num-hidden-layers 1 --num-attention-heads 2 --intermediate-size 16"
    " --steps 2 --rows 2 --row-length 48 --max-tokens 24 --heldout 0.2 --device cpu"
)


@pytest.fixture
def prepared(run, tmp_path, small_wordpiece):
    """Make a corpus of so many documents of one language."""

    def make(documents):
        small_wordpiece.save(tmp_path / "wordpiece")
        line = "The key turned in the lock. Water ran from the spring. The door stood open."
        text = "\n\n".join([line] * documents)
        (tmp_path / "en_x.txt").write_text(text, encoding="utf-8")
        where = tmp_path / "prepared"
        command = ("bert", "prepare", tmp_path / "en_x.txt", "--output", where)
        assert run(*command, "--tokenizer", tmp_path / "wordpiece", "--json").json
        return where

    return make


@pytest.fixture
def pretrain(run, tmp_path):
    def go(prepared, *arguments):
        where = tmp_path / "run"
        command = ("bert", "pretrain", prepared, "--run", where, "--no-tensorboard", "--json")
        return run(*command, *SIZES.split(), *arguments)

    return go


def test_switches_of_the_network_can_be_turned_off(pretrain, prepared, tmp_path):
    names = ("pooler", "embedding-norm", "prediction-transform", "tie-word-embeddings")
    assert pretrain(prepared(10), *(f"--no-{name}" for name in names)).json["complete"]
    network = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))["network"]
    assert [network[name.replace("-", "_")] for name in names] == [False] * 4


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--type-vocab-size", 1),
        ("--initializer-range", -1),
        ("--initializer-range", "nan"),
        ("--layer-norm-eps", -1),
    ],
)
def test_a_setting_that_no_network_can_have_is_refused_before_the_run_begins(
    pretrain, prepared, tmp_path, flag, value
):
    err = pretrain(prepared(10), flag, value).refusal
    assert f"{flag[2:].replace('-', '_')}={value}" in err
    assert "is out of range" in err
    assert not (tmp_path / "run").exists()


def test_what_is_not_there_is_named_with_the_command_that_makes_it(pretrain, prepared, tmp_path):
    ids = pretrain(tmp_path).refusal
    assert "prepared.json does not exist. Make it: klyuch bert prepare" in ids
    vectors = pretrain(prepared(10), "--warm-start", tmp_path / "none").refusal
    assert "vectors.safetensors does not exist. Train them: klyuch wordpiece vectors" in vectors


@pytest.mark.parametrize(("documents", "heldout", "are_scored"), [(9, 0.1, False), (20, 0.2, True)])
def test_sentence_pairs_are_scored_where_two_documents_are_held_out(
    pretrain, prepared, documents, heldout, are_scored
):
    """Where one is held out no false second segment can be had for it, and pairs are all true."""
    scores = pretrain(prepared(documents), "--heldout", heldout).json["scores"]
    assert ("heldout_sentence_accuracy_en" in scores) == are_scored
    assert len(scores) == 2 or are_scored


@pytest.mark.parametrize(
    ("noun", "preset", "choices"),
    [("albert", "bert-base", "albert-base, albert-large"), ("bert", "albert-base", "bert-base")],
)
def test_a_preset_of_the_other_kind_is_refused(run, tmp_path, noun, preset, choices):
    command = (noun, "pretrain", tmp_path, "--run", tmp_path / "run", "--preset", preset)
    assert f"preset={preset} is not known. Choose one of: {choices}" in run(*command).refusal
