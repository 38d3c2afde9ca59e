"""Blanks scored against transformers' logits by hand: first guesses, losses, copies, what is not covered, groups."""

import math

import numpy as np
import pytest
import torch

from embeddings.corpora.evaluation_sets import BlankSentence
from embeddings.probing.fill_mask import evaluate_blanks, fill
from embeddings.probing.network import token_names
from tests.probing.conftest import mask_of

TEXTS = ("Старик вынул [MASK].", "Die [MASK] ist offen.", "He read the [MASK] and left.")


def first_guesses(reader, text, topn):
    return [guess.token for guess in fill(reader, text, topn, only_words=False).masks[0].guesses]


def test_ranks_and_losses_are_those_of_transformers(reader, theirs, their_tokenizer):
    blanks, places, losses = [], [], []
    for text, rank in zip(TEXTS, (0, 3, 9), strict=True):
        guesses = first_guesses(reader, text, 300)
        answer = next(guess for guess in guesses[rank:] if guess.isalpha())
        with torch.inference_mode():
            logits = theirs(**their_tokenizer(text, return_tensors="pt")).logits
        logs = logits[0, mask_of(reader, text)].log_softmax(-1)
        losses.append(-float(logs[their_tokenizer.convert_tokens_to_ids(answer)]))
        blanks.append(BlankSentence(text, answer))
        places.append(guesses.index(answer))
    scores = evaluate_blanks(reader, blanks)
    assert scores.top1 == pytest.approx(np.mean([place == 0 for place in places]))
    assert scores.top5 == pytest.approx(np.mean([place < 5 for place in places]))
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
