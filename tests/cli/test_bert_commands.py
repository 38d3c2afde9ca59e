"""From text to a model that opens, by the commands alone."""

import numpy as np
import pytest

from embeddings.networks.huggingface_folder import open_network
from embeddings.text.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    generator = np.random.default_rng(1)
    for language, vocabulary in {
        "en": "key lock door water spring",
        "ru": "ключ замок дверь вода",
    }.items():
        words = vocabulary.split()
        documents = [
            " ".join(" ".join(generator.choice(words, 5)).capitalize() + "." for _ in range(9))
            for _ in range(9)
        ]
        (folder / f"{language}_x.txt").write_text("\n\n".join(documents), encoding="utf-8")
    return folder


TRAINING = (
    "--steps 4 --rows 2 --row-length 48 --max-tokens 24 --log-every 2 --heldout 0.3"
    " --device cpu --no-tensorboard"
)
SIZES = "--hidden-size 16 --num-hidden-layers 2 --num-attention-heads 2 --intermediate-size 16"


def test_text_becomes_a_model_that_opens(run, texts, tmp_path):
    wordpiece, ids, vectors = tmp_path / "wordpiece", tmp_path / "ids", tmp_path / "vectors"
    small = ("--vocab-size", 60, "--min-frequency", 1, "--output", wordpiece, "--json")
    assert run("wordpiece", "train", texts, *small).json["languages"] == ["en", "ru"]
    shown = run("wordpiece", "show", "Ключ", "--tokenizer", wordpiece, "--json").json
    tokens = Tokenizer.load(wordpiece).encode("Ключ").tokens
    assert [row["token"] for row in shown] == list(tokens)

    asked = ("bert", "prepare", texts, "--tokenizer", wordpiece, "--output", ids, "--json")
    assert run(*asked).json["tokens"] > 500
    once = ("--vector-size", 16, "--epochs", 1, "--output", vectors, "--json")
    assert run("wordpiece", "vectors", ids, *once).json["words"]

    training, sizes = TRAINING.split(), SIZES.split()
    warm = (*training, *sizes, "--warm-start", vectors, "--json")
    for noun, more in (("bert", []), ("albert", ["--embedding-size", "16"])):
        said = run(noun, "pretrain", ids, "--run", tmp_path / noun, *warm, *more).json
        assert said["complete"]
        assert said["steps"] == 4
        assert "heldout_sentence_accuracy_ru" in said["scores"]
        network = open_network(tmp_path / noun / "model")
        assert network.config.model_type == noun
        assert said["parameters"] == sum(p.numel() for p in network.parameters())

    pretrain = ("bert", "pretrain", ids, *training, "--run")
    out = run(*pretrain, tmp_path / "once", *sizes, "--steps", 1, "--warmup", 0).out
    assert "│ steps │ 1 │ │ complete │ yes" in " ".join(out.split())
    other = run(*pretrain, tmp_path / "bert", *sizes).refusal
    assert "holds a training with warm_start=" in other

    begin = ("--init-checkpoint", tmp_path / "bert" / "model")
    assert run(*pretrain, tmp_path / "on", *begin, "--json").json["complete"]
    assert open_network(tmp_path / "on" / "model").config.hidden_size == 16
    sized = run(*pretrain, tmp_path / "no", *begin, *sizes, "--preset", "s1").refusal
    assert "leave out --preset, --hidden-size, --num-hidden-layers" in sized
    assert not (tmp_path / "no").exists()


def test_a_vocabulary_larger_than_asked_is_told(run, texts, tmp_path):
    command = ["wordpiece", "train", texts, "--output", tmp_path / "wordpiece", "--vocab-size"]
    said = run(*command, 6)
    size = len(Tokenizer.load(tmp_path / "wordpiece"))
    assert size > 6
    assert f"vocab_size │ {size}" in " ".join(said.out.split())
    assert "More than vocab_size=6: the letters of the text need as many." in said.err
    assert "vocab_size=5 is out of range: it must lie between 6" in run(*command, 5).refusal


def test_a_preset_gives_the_sizes_and_flags_change_them():
    from embeddings.cli.pretraining_commands import choose_network
    from embeddings.networks.bert_config import BertConfig

    config = choose_network(BertConfig, "s1", {"hidden_size": 30, "num_hidden_layers": None})
    assert (config.model_type, config.hidden_size, config.num_hidden_layers) == ("s1", 30, 3)
    assert not config.pooler


@pytest.mark.parametrize(
    ("flags", "parameters", "operations"),
    [
        ("--preset kazan-2019", 1_562_131, 62_625_984),
        (  # its positions are waves, which no table bounds: L n d (12 d + 2 n) + 2 d + n d v
            "--preset kazan-2019 --sequence-length 128",
            1_562_131,
            3 * 128 * 96 * (12 * 96 + 2 * 128) + 2 * 96 + 128 * 96 * 6_353,
        ),
        ("--preset s1 --num-hidden-layers 2 --hidden-size 102", 1_555_225, None),
    ],
)
def test_costs_are_printed(run, flags, parameters, operations):
    said = run("costs", *flags.split(), "--json").json
    assert said["parameters"] == parameters
    assert operations in (None, said["operations"])
