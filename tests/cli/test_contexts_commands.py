"""``klyuch contexts`` and ``klyuch fill`` by the commands alone."""

import numpy as np
import pytest

from embeddings.probing.context_states import word_states
from embeddings.probing.fill_mask import fill
from embeddings.probing.network import open_reader

HEADER = "context_id\tword\tpositions\tcontext\n"
FILE = HEADER + (
    "7\tключ\t13-17\tСтарик вынул ключ.\n"
    "8\tключ\t0-4,15-19\tКлюч от дома и ключ в лесу.\n"
    "9\tбанк\t2-6\tВ банке лежали деньги, в банке.\n"
)


@pytest.fixture
def contexts(tmp_path):
    path = tmp_path / "ru.tsv"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_vectors_of_a_file_are_written_in_its_order(run, contexts, tiny_bert, tmp_path):
    output = tmp_path / "out.npz"
    asked = ("--model", tiny_bert, "--layer", 1, "--output", output, "--json")
    assert run("contexts", "vectors", contexts, *asked).json == {
        "output": str(output), "contexts": 3, "occurrences": 4, "layer": 1, "vector_size": 24,
        "truncated": 0, "unknown": 0, "absent": [],
    }  # fmt: skip
    with np.load(output) as arrays:
        found = dict(arrays)
    assert found["context_id"].tolist() == ["7", "8", "9"]
    assert found["word"].tolist() == ["ключ", "ключ", "банк"]
    text = "Ключ от дома и ключ в лесу."
    both = word_states(open_reader(tiny_bert), [(text, (0, 4)), (text, (15, 19))]).vectors[:, 1]
    np.testing.assert_allclose(found["vectors"][1], both.mean(0), atol=1e-6)
    assert found["truncated"].tolist() == [False] * 3


def test_contexts_that_were_cut_are_counted(run, tiny_bert, tmp_path):
    path = tmp_path / "ru.tsv"
    rows = [f"{row}\tключ\t0-4\tКлюч у воды.\n" for row in range(3)]
    rows.append("3\tключ\t0-4\tКлюч " + "вода " * 90 + "\n")
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    asked = (path, "--model", tiny_bert, "--output")
    out = run("contexts", "vectors", *asked, tmp_path / "o.npz").out
    assert "│ truncated │ 1 │" in " ".join(out.split())
    said = run("contexts", "senses", *asked, tmp_path / "o.tsv", "--companion", "none", "--json")
    assert [one["truncated"] for one in said.json["words"]] == [1]
    assert "1 context longer than the network takes, cut around the word." in said.err


def test_vectors_leave_out_contexts_without_their_word_and_say_which(run, tiny_bert, tmp_path):
    path, output = tmp_path / "ru.tsv", tmp_path / "o.npz"
    without = "".join(f"{row}\tключ\t\tСтарик у двери.\n" for row in range(20, 26))
    path.write_text(FILE + without, encoding="utf-8")
    asked = ("contexts", "vectors", path, "--model", tiny_bert, "--output", output)
    said = "│ absent │ 20, 21, 22, 23, 24, 25 │"
    assert said in " ".join(run(*asked).out.split())
    with np.load(output) as arrays:
        names = ("context_id", "word", "vectors", "truncated")
        assert {name: len(arrays[name]) for name in arrays} == dict.fromkeys(names, 3)
        assert arrays["context_id"].tolist() == ["7", "8", "9"]
    assert run(*asked, "--json").json["absent"] == ["20", "21", "22", "23", "24", "25"]
    path.write_text(HEADER + without, encoding="utf-8")
    assert f"Of 6 contexts in {path}, none holds its word" in run(*asked).refusal


def test_a_table_is_made_and_asked(run, tiny_bert, tmp_path):
    corpus = tmp_path / "ru_x.txt"
    corpus.write_text(
        "Старик вынул ключ и отпер дверь. Ключ скрипел в замке старика. Дверь была стара.\n"
        "Холодный ключ бил у камня. Вода была холодна. Старик пил воду у двери.\n" * 2,
        encoding="utf-8",
    )
    said = run(
        "contexts", "table", corpus, "--model", tiny_bert, "--language", "ru", "--words", 9,
        "--vector-size", 4, "--layers", "1-2", "--output", tmp_path / "table", "--json",
    ).json  # fmt: skip
    assert said["layers"] == [1, 2]
    assert said["reduction"]["vector_size"] == 4
    sentence = "Старик нашёл ключ."
    ask = ("--table", tmp_path / "table", "--model", tiny_bert)
    told = run("contexts", "neighbours", sentence, "--word", "ключ", *ask, "--topn", 3, "--json")
    found = told.json
    assert len(found) == 3
    assert "ключ" not in [row["word"] for row in found]
    assert set(found[0]) == {"word", "cosine", "baseline", "centred", "centred_baseline"}
    assert told.err == ""
    odd = "Старик 銀行 " + "нашёл " * 90
    told = run("contexts", "neighbours", odd, "--word", "銀行", *ask, "--language", "ru")
    assert told.err == (
        "The sentence is cut around the word to 64 tokens, all that the network takes.\n"
        "The vocabulary cannot spell “銀行”: [UNK] stands for it.\n"
    )
    assert run("words", "neighbours", "ключ", "--model", tmp_path / "table", "--json").json
    again = ("--model", tiny_bert, "--output", tmp_path, "--vector-size", 4)
    assert "ru_x.txt" in run("contexts", "table", corpus, *again).refusal


def test_fill_prints_a_list_a_mask(run, tiny_bert):
    text = "Старик вынул [MASK] и отпер [MASK]."
    found = run("fill", text, "--model", tiny_bert, "--topn", 3, "--json").json
    assert [len(mask) for mask in found] == [3, 3]
    assert set(found[0][0]) == {"token", "probability"}
    falling = [row["probability"] for row in found[0]]
    assert falling == sorted(falling, reverse=True)
    shown = run("fill", "[MASK]", "--model", tiny_bert, "--topn", 2, "--word", "ключ")
    assert "ключ" in shown.out
    assert shown.err == ""


def test_another_script_is_told_on_standard_error(run, tiny_bert):
    told = run("fill", "银行 [MASK].", "-m", tiny_bert, "--word", "钥匙", "--json")
    assert told.err == "Not in the vocabulary: 银行, 钥匙\n"
    assert len(told.json[0]) == 10  # one that the vocabulary lacks has no probability


def test_fill_prints_layers_by_either_lens_and_the_agreement(run, tiny_bert):
    reader = open_reader(tiny_bert)
    asked = ("fill", "The [MASK] opens.", "-m", tiny_bert, "--topn", 2, "--json", "--layers")
    lens = {"logit": None, "jacobian": reader.lens()}
    for name, chosen in lens.items():
        printed = run(*asked, name).json
        mask = fill(reader, "The [MASK] opens.", 2, lens=chosen).masks[0]
        expected = [(n, g.token) for n, guesses in enumerate(mask.by_layer) for g in guesses]
        assert [(line["layer"], line["token"]) for line in printed[0]] == expected
    said = run("fill", "lens", "-m", tiny_bert, "--json").json
    assert [line["KL Jacobian"] for line in said["layers"]] == pytest.approx(lens["jacobian"].kl[1])
    assert said["weights"] == lens["jacobian"].weights
    assert "logit, jacobian" in run(*asked, "tuned").refusal
