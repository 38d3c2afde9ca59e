"""What ``klyuch bert pretrain`` does with each switch, and what it refuses before it begins."""

import json

import pytest

from embeddings.pretraining.prepared_corpus import prepare_corpus

SIZES = (
    "--hidden-size 16 --num-hidden-layers 1 --num-attention-heads 2 --intermediate-size 16"
    " --steps 2 --rows 2 --row-length 48 --max-tokens 24 --heldout 0.2 --device cpu"
)


@pytest.fixture
def pretrain(run, tmp_path, small_wordpiece):
    """Take two steps on a corpus of so many documents of one language."""

    def go(documents, *arguments):
        line = "The key turned in the lock. Water ran from the spring. The door stood open."
        (tmp_path / "en_x.txt").write_text("\n\n".join([line] * documents), encoding="utf-8")
        prepare_corpus([tmp_path / "en_x.txt"], small_wordpiece, tmp_path / "prepared")
        command = ("bert", "pretrain", tmp_path / "prepared", "--run", tmp_path / "run", "--json")
        return run(*command, "--no-tensorboard", *SIZES.split(), *arguments)

    return go


def test_switches_of_the_network_can_be_turned_off(pretrain, tmp_path):
    names = ("pooler", "embedding-norm", "prediction-transform", "tie-word-embeddings")
    assert pretrain(10, *(f"--no-{name}" for name in names)).json["complete"]
    network = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))["network"]
    assert [network[name.replace("-", "_")] for name in names] == [False] * 4


def test_what_does_not_suit_the_corpus_is_refused_before_the_run_begins(pretrain, tmp_path):
    err = pretrain(10, "--type-vocab-size", 1).refusal
    assert "type_vocab_size=1 is out of range" in err
    vectors = pretrain(10, "--warm-start", tmp_path / "none").refusal
    assert "vectors.safetensors does not exist. Train them: klyuch wordpiece vectors" in vectors
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("documents", "heldout", "are_scored"), [(9, 0.1, False), (20, 0.2, True)])
def test_sentence_pairs_are_scored_where_two_documents_are_held_out(
    pretrain, documents, heldout, are_scored
):
    """Where one is held out no false second segment can be had for it, and pairs are all true."""
    scores = pretrain(documents, "--heldout", heldout).json["scores"]
    assert ("heldout_sentence_accuracy_en" in scores) == are_scored
    assert len(scores) == 2 or are_scored
