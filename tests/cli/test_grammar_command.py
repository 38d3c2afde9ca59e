"""``klyuch grammar`` and ``klyuch fill evaluate`` by the commands alone."""

import shutil

import pytest
from safetensors.numpy import load_file, save_file

PAIRS = (
    "paradigm\tphenomenon\tgood\tbad\n"
    "a\tnumber\tДверь открыта.\tДверь открыты.\n"
    "b\torder\tOpen the door.\tDoor the open.\n"
)


def test_a_file_of_pairs_is_scored_by_phenomenon(run, tiny_bert, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text(PAIRS, encoding="utf-8")
    scores = run("grammar", "evaluate", file, "-m", tiny_bert, "--json").json
    assert set(scores["phenomena"]) == {"number", "order"}
    assert scores["accuracy"] == pytest.approx(sum(scores["phenomena"].values()) / 2)
    assert scores["total"] == 2
    limited = run("grammar", "evaluate", file, "-m", tiny_bert, "--limit", 1, "--json")
    assert limited.json["total"] == 1


def test_blanks_are_scored_by_group(run, tiny_bert, tmp_path):
    file = tmp_path / "blanks.tsv"
    file.write_text("Die [MASK] ist offen.\tTür\tde\nСтарик [MASK].\t钥匙\tru\n", encoding="utf-8")
    ended = run("fill", "evaluate", file, "-m", tiny_bert, "--json")
    scores = ended.json
    assert "2 answers outside the vocabulary" in ended.err
    assert {"top1", "top5", "loss", "copies", "covered", "total"} <= set(scores)
    assert scores["total"] == 2
    assert scores["groups"]["ru"]["covered"] == 0
    assert scores["groups"]["ru"]["top1"] is None
    shown = run("fill", "evaluate", file, "-m", tiny_bert).out
    assert "–" in shown
    assert "nan" not in shown


def test_a_value_of_an_option_and_a_sentence_are_no_verb(run, tiny_bert):
    once = ["-m", tiny_bert, "--topn", 1, "--json"]
    for asked in (["--second", "evaluate", "Die [MASK] ist offen."], ["evaluate [MASK]"]):
        assert len(run("fill", *once, *asked).json) == 1


WIC = (
    "lemma\tsame\tstart1\tend1\tsentence1\tstart2\tend2\tsentence2\n"
    "Tür\tT\t4\t7\tDie Tür ist offen.\t10\t13\tDurch die Tür.\n"
    "ключ\tF\t4\t8\tБил ключ.\t13\t17\tСтарик вынул ключ.\n"
)


def test_words_in_context_are_scored_by_kind_and_layer(run, tiny_bert, tmp_path):
    file = tmp_path / "dev.tsv"
    file.write_text(WIC, encoding="utf-8")
    scores = run("wic", "evaluate", file, "-m", tiny_bert, "--json").json
    assert scores["total"] == 2
    assert {(layer["kind"], layer["layer"]) for layer in scores["layers"]} == {
        (kind, layer) for kind in ("word", "word_centred", "around", "blank") for layer in range(3)
    }
    assert "chosen on the other half" in run("wic", "evaluate", file, "-m", tiny_bert).out


@pytest.fixture
def headless(tmp_path, tiny_bert):
    """The network without the weights of its MLM head."""
    folder = tmp_path / "headless"
    shutil.copytree(tiny_bert, folder, ignore=shutil.ignore_patterns("card.json"))
    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if "cls.predictions" not in name}
    assert 0 < len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors")
    return folder


def test_a_network_without_an_mlm_head_fills_and_scores_nothing_but_compares_words(
    run, headless, tmp_path
):
    pairs, blanks, words = (tmp_path / name for name in ("pairs.tsv", "blanks.tsv", "dev.tsv"))
    pairs.write_text(PAIRS, encoding="utf-8")
    blanks.write_text("Die [MASK] ist offen.\tTür\n", encoding="utf-8")
    words.write_text(WIC, encoding="utf-8")
    for arguments in (
        ("fill", "evaluate", blanks),
        ("grammar", "evaluate", pairs),
        ("grammar", "score", "Die Tür ist offen."),
        ("fill", "Die [MASK] ist offen."),
    ):
        assert "“headless” has no MLM head" in run(*arguments, "-m", headless, "--json").refusal
    assert run("wic", "evaluate", words, "-m", headless, "--json").json["total"] == 2
