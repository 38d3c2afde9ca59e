"""Train, evaluate and translate by the commands alone; and a translation looked at from inside."""

import io
import shutil

import numpy as np
import pytest

from embeddings.cli import main
from embeddings.errors import InputError
from embeddings.networks.decoding import DecodingConfig
from embeddings.probing.translator import cut, look_inside, open_translator, translate

TRAINING = (
    "--vocab-size 90 --hidden-size 24 --num-hidden-layers 2 --num-attention-heads 2"
    " --intermediate-size 32 --dropout 0 --max-position-embeddings 24 --steps 160"
    " --learning-rate 1e-2 --batch-tokens 160 --evaluate-every 0 --log-every 30"
)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    generator = np.random.default_rng(1)
    numbers = {"one": "eins", "two": "zwei", "three": "drei", "four": "vier", "five": "fünf"}
    for name, count in (("train", 150), ("val", 10)):
        lines = [generator.choice(list(numbers), generator.integers(2, 5)) for _ in range(count)]
        english = [" ".join(line).capitalize() + "." for line in lines]
        german = [" ".join(numbers[w] for w in line).capitalize() + "." for line in lines]
        (folder / f"{name}.en").write_text("\n".join(english) + "\n", encoding="utf-8")
        (folder / f"{name}.de").write_text("\n".join(german) + "\n", encoding="utf-8")
    return folder


def files(texts):
    return [texts / f"{n}.{k}" for n in ("train", "val") for k in ("en", "de")]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory, texts, tiny_bert):
    """A home with a BERT, a plain translator and a fused one."""
    home = tmp_path_factory.mktemp("home")
    models = home / "models"
    shutil.copytree(tiny_bert, models / "tiny-bert")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KLYUCH_HOME", str(home))
        command = ["klyuch", "translation", "train", *map(str, files(texts)), *TRAINING.split()]
        for name, more in (
            ("plain", []),
            ("fused", ["--bert", "tiny-bert", "--warm-start", "plain", "--steps", "60"]),
        ):
            place = home / "runs" / name
            patch.setattr("sys.argv", [*command, "--run", str(place), *more, "--json"])
            with pytest.raises(SystemExit, match="0"):
                main()
            (place / "model").rename(models / name)
    return home


@pytest.fixture
def home(shelf, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(shelf))
    return shelf


@pytest.fixture(scope="module")
def plain(shelf):
    return open_translator(shelf / "models" / "plain")


def test_a_line_in_is_a_line_out_also_by_a_translator_without_its_card(run, home, shelf, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("Two three.\n\nFive one four.\n", encoding="utf-8")
    shutil.copytree(shelf / "models" / "plain", tmp_path / "bare")
    (tmp_path / "bare" / "card.json").unlink()
    for model in ("plain", "fused", tmp_path / "bare"):
        said = run("translate", "--model", model, path)
        assert said == (0, "Zwei drei.\n\nFünf eins vier.\n", ""), model
    path.write_text("Two 漢 three.\n", encoding="utf-8")
    said = run("translate", "-m", "plain", path)
    assert len(said.out.splitlines()) == 1
    assert "Line 1: not in the vocabulary: 漢" in said.err


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"One two.\n", "Eins zwei.\n"),
        (b"\xef\xbb\xbfOne two.\r\rTwo three.\r", "Eins zwei.\n\nZwei drei.\n"),
    ],
)
def test_standard_input_is_read_without_a_file(run, home, monkeypatch, text, lines):
    class Input:
        buffer = io.BytesIO(text)

    monkeypatch.setattr("sys.stdin", Input())
    assert run("translate", "--model", "plain", "--beam", "1") == (0, lines, "")


def test_evaluate_says_bleu_and_how_it_counted(run, home, texts, tmp_path):
    pair = [texts / "val.en", texts / "val.de"]
    output = tmp_path / "said.de"
    command = ["translation", "evaluate", *pair, "--model", "plain", "--output", output, "--json"]
    found = run(*command).json
    assert found["score"] > 85
    assert "tok:13a" in found["signature"]
    assert "case:lc" in found["lower_signature"]
    assert found["sentences"] == 10
    assert len(output.read_text(encoding="utf-8").splitlines()) == 10


def test_a_line_too_long_is_translated_by_its_sentences(plain):
    line = "Two three one. " * 6
    assert not plain.fits(line)
    (found,) = translate(plain, [line], align=True)
    assert found.parts == 6
    assert found.target == " ".join(["Zwei drei eins."] * 6)
    assert len(found.source_tokens) > 6 * 4
    assert found.tokens[-1].source >= len(found.source_tokens) - len(found.source_tokens) // 6


def test_a_sentence_too_long_is_refused_with_its_line(run, home, plain, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("One two.\n" + "two three " * 30 + "\n", encoding="utf-8")
    assert "Line 2 has a sentence of" in run("translate", "-m", "plain", path).refusal
    assert cut(plain, "") == cut(plain, " \t ") == ()


def test_a_model_that_does_not_translate_is_answered_by_those_that_do(
    run, home, shelf, tmp_path, monkeypatch
):
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path))
    bare = tmp_path / "bare"
    shutil.copytree(shelf / "models" / "tiny-bert", bare)
    (bare / "card.json").unlink()
    for name in ("tiny-bert", bare):
        said = run("translate", "--model", name).refusal
        assert "is of kind network, not a translator. On the shelf are: fused, plain." in said
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    assert "On the shelf are: none." in run("translate", "--model", bare).refusal


def test_a_fused_model_without_its_bert_is_refused(run, home, shelf, tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    model = shelf / "models" / "fused"
    assert "BERT “tiny-bert”, sha256" in run("translate", "-m", model).refusal
    with pytest.raises(InputError, match="given none"):
        open_translator(model)


def test_steps_hold_what_was_written_before_them_and_the_chosen_token(plain):
    inside = look_inside(plain, "Two three.", DecodingConfig(beam=1), topn=5)
    steps = inside.steps
    assert steps[0].before == ""
    assert steps[-1].chosen.token == "</s>"
    assert steps[-1].before == "Zwei drei."
    chosen = [np.log(step.chosen.probability) for step in steps]
    np.testing.assert_allclose(inside.attention.log_probabilities, chosen, atol=1e-4)


def test_the_tree_holds_every_beginning_under_the_one_it_grew_from(plain):
    tree = look_inside(plain, "Two three.", DecodingConfig(beam=3)).tree
    assert tree.nodes[0].parent == -1
    for node in tree.nodes[1:]:
        parent = tree.nodes[node.parent]
        assert parent.step == node.step - 1
        assert parent.state == "kept"
        assert node.log_probability <= parent.log_probability + 1e-5
        assert node.text.startswith(parent.text)
    for step in range(1, max(node.step for node in tree.nodes) + 1):
        kept = [n for n in tree.nodes if n.step == step and n.state == "kept"]
        assert len(kept) <= 3
    assert tree.endings[0][0] == "Zwei drei."
    assert [score for _, score in tree.endings] == sorted(
        (s for _, s in tree.endings), reverse=True
    )
    best = [node for node in tree.nodes if node.is_best]
    assert [node.step for node in best] == list(range(len(best)))
    assert best[-1].state == "ended"
