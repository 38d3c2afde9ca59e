"""Pseudo-log-likelihood against transformers' logits by hand, for whole and for split words; pairs; a planted grammar."""

import numpy as np
import pytest
import torch

from embeddings.corpora.evaluation_sets import MinimalPair
from embeddings.errors import InputError
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import BertConfig
from embeddings.probing.network import Network, pad
from embeddings.probing.sentence_scoring import evaluate_pairs, score_sentences
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece

TEXT = "Старик вынул ключи."


def by_hand(network, tokenizer, text):
    """Mask every token, with the later parts of its word, and read transformers' log-probability."""
    encoded = tokenizer(text, return_tensors="pt")
    ids, words = encoded["input_ids"][0], encoded.word_ids()
    scores = []
    for position, word in enumerate(words):
        if word is None:
            continue
        masked = ids.clone()
        for later in range(position, len(ids)):
            if words[later] == word:
                masked[later] = tokenizer.mask_token_id
        with torch.inference_mode():
            logits = network(masked[None], attention_mask=encoded["attention_mask"]).logits
        scores.append(float(logits[0, position].log_softmax(-1)[ids[position]]))
    return scores


def test_scores_are_those_of_transformers_with_the_rest_of_a_word_masked(
    reader, theirs, their_tokenizer
):
    text = "Старик вынул ключами-ключи."
    expected = by_hand(theirs, their_tokenizer, text)
    score = score_sentences(reader, [text])[0]
    assert any(token.startswith("##") for token in score.tokens)  # the case that matters
    np.testing.assert_allclose(score.log_probabilities[-1], expected, rtol=1e-4)
    assert score.total == pytest.approx(sum(expected), rel=1e-4)
    assert score.per_token == pytest.approx(sum(expected) / len(expected), rel=1e-4)


def test_a_score_does_not_depend_on_the_sentences_beside_it(reader):
    texts = [TEXT, "Die Tür ist offen.", "The old man took the key out of the box and opened it."]
    together = score_sentences(reader, texts)
    assert score_sentences(reader, []) == ()
    for text, score in zip(texts, together, strict=True):
        alone = score_sentences(reader, [text])[0]
        np.testing.assert_allclose(score.log_probabilities, alone.log_probabilities, atol=1e-4)
        assert "".join(text[a:b] for a, b in score.spans) == text.replace(" ", "")


def test_layers_are_read_by_the_same_head(reader):
    every = score_sentences(reader, [TEXT])[0].log_probabilities
    last = score_sentences(reader, [TEXT], layers=False)[0].log_probabilities
    assert every.shape == (3, last.shape[1])
    np.testing.assert_allclose(every[-1], last[-1], rtol=1e-5)
    assert not np.allclose(every[0], every[-1])


def test_pairs_are_counted_by_phenomenon(reader):
    texts = [TEXT, "Die Tür ist offen."]
    totals = [score.total for score in score_sentences(reader, texts)]
    good, bad = (texts[i] for i in np.argsort(totals)[::-1])
    pairs = [
        MinimalPair(good, bad, "order", "a"),
        MinimalPair(bad, good, "order", "b"),
        MinimalPair(good, bad, "other", "c"),
        MinimalPair(good, good, "tie", "d"),
    ]
    scores = evaluate_pairs(reader, pairs)
    assert scores.accuracy == 0.5  # a tie is no preference
    assert scores.phenomena == {"order": 0.5, "other": 1.0, "tie": 0.0}
    assert scores.paradigms == {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.0}
    assert scores.total == 4
    assert scores.standard_error == pytest.approx(np.std([1, 0, 1, 0], ddof=1) / 2)
    alike = evaluate_pairs(reader, [*pairs[:2], *pairs[:2]])  # two paradigms of two pairs each
    assert alike.standard_error == pytest.approx(np.std([1, 0], ddof=1) / np.sqrt(2))
    assert np.isnan(evaluate_pairs(reader, pairs[:1]).standard_error)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "no sentence to score"), ("дверь " * 70, "longer than this network's 64")],
)
def test_what_cannot_be_scored_is_refused(reader, text, sentence):
    with pytest.raises(InputError, match=sentence):
        score_sentences(reader, [text])


def planted_network(lines):
    """A network that learned by heart how masked tokens of the lines go on."""
    vocabulary = train_wordpiece(lines, WordPieceConfig(vocab_size=120))
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(vocabulary), hidden_size=32, **sizes)
    reader = Network("planted", new_network(config), vocabulary)
    generator = torch.Generator().manual_seed(1)
    ids, segments, real = pad(reader, [vocabulary.encode(line) for line in lines])
    optimizer = torch.optim.Adam(reader.network.parameters(), 1e-2)
    for _ in range(180):
        rows = torch.randint(len(ids), (64,), generator=generator)
        hidden = torch.rand(64, ids.shape[1], generator=generator) < 0.3
        hidden &= ids[rows] > vocabulary.mask_id  # words alone
        masked = ids[rows].masked_fill(hidden, vocabulary.mask_id)
        states = reader.network.encoder(masked, segments[rows], real[rows]).last[hidden]
        loss = torch.nn.functional.cross_entropy(reader.network.tokens(states), ids[rows][hidden])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    reader.network.eval()
    return reader


def test_a_network_trained_on_a_planted_grammar_prefers_its_right_sentences():
    """One cat sleeps, two cats sleep: the verb agrees with the number word."""
    nouns, verbs = ("cat", "dog", "bird", "girl", "boy"), ("sleep", "sing", "run", "jump")
    lines = [f"the one {noun} {verb}s here ." for noun in nouns for verb in verbs]
    lines += [f"the two {noun}s {verb} here ." for noun in nouns for verb in verbs]
    pairs = []
    for noun in ("cat", "bird", "boy"):
        one, two = f"the one {noun}", f"the two {noun}s"
        pairs.append(MinimalPair(f"{one} sings here .", f"{one} sing here .", "one"))
        pairs.append(MinimalPair(f"{two} sing here .", f"{two} sings here .", "two"))
    scores = evaluate_pairs(planted_network(lines), pairs)
    assert scores.accuracy == 1.0, scores
