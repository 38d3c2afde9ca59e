"""Blanks scored against transformers' logits by hand: first guesses, losses, copies, what is not covered, groups."""

import math

import numpy as np
import pytest
import torch
import transformers

from embeddings.corpora.evaluation_sets import BlankSentence, read_blanks, read_minimal_pairs
from embeddings.errors import FormatError
from embeddings.probing.fill_evaluation import evaluate_blanks
from embeddings.probing.fill_mask import fill
from embeddings.probing.network import token_names

TEXTS = ("Старик вынул [MASK].", "Die [MASK] ist offen.", "He read the [MASK] and left.")


def first_guesses(reader, text, topn):
    return [guess.token for guess in fill(reader, text, topn).masks[0].guesses]


def test_ranks_and_losses_are_those_of_transformers(reader, tiny_bert):
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_bert)
    network = transformers.BertForMaskedLM.from_pretrained(tiny_bert).eval()
    ranks = (0, 3, 9)
    blanks, losses = [], []
    for text, rank in zip(TEXTS, ranks, strict=True):
        words = [t for t in first_guesses(reader, text, 300) if t.isalpha()]
        answer = next(w for w in words if first_guesses(reader, text, 300).index(w) >= rank)
        place = first_guesses(reader, text, 300).index(answer)
        encoded = tokenizer(text, return_tensors="pt")
        at = (encoded["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0, 0]
        with torch.inference_mode():
            logs = network(**encoded).logits[0, at].log_softmax(-1)
        losses.append(-float(logs[tokenizer.convert_tokens_to_ids(answer)]))
        blanks.append((BlankSentence(text, answer), place))
    scores = evaluate_blanks(reader, [blank for blank, _ in blanks])
    assert scores.top1 == pytest.approx(np.mean([place == 0 for _, place in blanks]))
    assert scores.top5 == pytest.approx(np.mean([place < 5 for _, place in blanks]))
    assert scores.loss == pytest.approx(np.mean(losses), rel=1e-4)
    assert (scores.covered, scores.total) == (3, 3)


def test_of_several_answers_the_best_rank_counts_and_probabilities_are_added(reader):
    text = TEXTS[0]
    guesses = [guess for guess in fill(reader, text, 300).masks[0].guesses if guess.token.isalpha()]
    ranked = first_guesses(reader, text, 300)
    third = next(g for g in guesses if ranked.index(g.token) >= 2)
    late = guesses[40]
    scores = evaluate_blanks(reader, [BlankSentence(text, f"{late.token}| 钥匙 |{third.token}")])
    rank = ranked.index(third.token)
    assert (scores.top1, scores.top3, scores.top5) == (0.0, float(rank < 3), float(rank < 5))
    assert scores.loss == pytest.approx(-math.log(third.probability + late.probability), rel=1e-4)
    assert (scores.covered, scores.total) == (1, 1)


def test_copies_are_told_from_other_guesses(reader, monkeypatch):
    """With guesses that are planted: of three first guesses two stand in their sentences, one in capitals."""
    names = list(token_names(reader))
    word = next(i for i, name in enumerate(names) if name.isalpha() and len(name) > 2)
    texts = [f"{names[word]} [MASK].", f"Ein {names[word].upper()} [MASK].", "Die [MASK]."]

    def forward(_, states):
        logits = torch.zeros(len(states), reader.config.vocab_size)
        logits[:, word] = 9.0
        return logits

    monkeypatch.setattr(type(reader.network.tokens), "forward", forward)
    scores = evaluate_blanks(reader, [BlankSentence(text, names[word]) for text in texts])
    assert scores.copies == pytest.approx(2 / 3)
    assert scores.top1 == 1.0


def test_answers_outside_the_vocabulary_and_long_sentences_are_counted_apart(reader):
    known = next(token for token in first_guesses(reader, TEXTS[0], 300) if token.isalpha())
    blanks = [
        BlankSentence(TEXTS[0], known, "a"),
        BlankSentence(TEXTS[0], "сверхъестественность", "a"),
        BlankSentence(TEXTS[0], "钥匙", "b"),
        BlankSentence("дверь " * 70 + "[MASK].", known, "b"),
    ]
    scores = evaluate_blanks(reader, blanks)
    assert (scores.covered, scores.total, scores.too_long) == (1, 4, 1)
    assert scores.groups["a"].covered == 1
    assert scores.groups["a"].loss == pytest.approx(scores.loss)
    assert scores.groups["b"].covered == 0
    assert math.isnan(scores.groups["b"].top1)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("The key opens the door.\tdoor", "line 2: “The key opens the door.” has 0"),
        ("The [MASK] opens the [MASK].\tdoor", "has 2"),
        ("The key opens the [MASK].", "has no answer"),
    ],
)
def test_a_line_that_is_no_blank_is_refused(tmp_path, line, sentence):
    file = tmp_path / "blanks.tsv"
    file.write_text(f"He read the [MASK].\tletter\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=sentence.replace("[", r"\[")):
        read_blanks(file)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("right\twrong\na\tb\n", "needs one column good"),
        ("good\tgood\tbad\na\tb\tc\n", "needs one column good"),
        ("good\tbad\n", "no pair"),
        ("good\tbad\nOnly one\n", "line 2: “Only one” lacks one"),
        ("", "needs one column good"),
    ],
)
def test_a_table_without_pairs_is_refused(tmp_path, text, sentence):
    file = tmp_path / "pairs.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=sentence):
        read_minimal_pairs(file)
