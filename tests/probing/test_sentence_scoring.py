"""Pseudo-log-likelihood against transformers' logits by hand, for whole and for split words; pairs; a planted grammar."""

import numpy as np
import pytest
import torch
import transformers

from embeddings.corpora.evaluation_sets import MinimalPair
from embeddings.errors import InputError
from embeddings.networks.bert_config import BertConfig
from embeddings.pretraining.prepared_corpus import prepare_corpus
from embeddings.probing.network import open_reader
from embeddings.probing.sentence_scoring import evaluate_pairs, score_sentences, word_ends
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece
from embeddings.training.pretraining.pretraining_run import Machine, pretrain
from embeddings.training.pretraining.pretraining_task import PretrainingConfig
from embeddings.training.tasks import Limits

TEXT = "Старик вынул ключи."


def by_hand(folder, text):
    """Mask every token, with the later parts of its word, and read transformers' log-probability."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.BertForMaskedLM.from_pretrained(folder).eval()
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


def test_scores_are_those_of_transformers_with_the_rest_of_a_word_masked(reader, tiny_bert):
    expected = by_hand(tiny_bert, TEXT)
    score = score_sentences(reader, [TEXT])[0]
    assert any(token.startswith("##") for token in score.tokens)  # the case that matters
    np.testing.assert_allclose(score.log_probabilities[-1], expected, rtol=1e-4)
    assert score.total == pytest.approx(sum(expected), rel=1e-4)
    assert score.per_token == pytest.approx(sum(expected) / len(expected), rel=1e-4)


def test_a_score_does_not_depend_on_the_sentences_beside_it(reader):
    texts = [TEXT, "Die Tür ist offen.", "The old man took the key out of the box and opened it."]
    together = score_sentences(reader, texts)
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


def test_the_end_of_a_word_is_past_its_last_tail(reader):
    tokens = reader.wordpiece.encode("ключами-ключ")
    ends = word_ends(tokens)
    for position, end in enumerate(ends):
        assert end > position
        inside = tokens.tokens[position + 1 : end]
        assert all(token.startswith("##") for token in inside)
        if end < len(tokens.tokens):
            assert not tokens.tokens[end].startswith("##")


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


def planted_text(sentences, seed):
    """One cat sleeps, two cats sleep: the verb agrees with the number word."""
    generator = np.random.default_rng(seed)
    nouns = ("cat", "dog", "bird", "girl", "boy")
    verbs = ("sleep", "sing", "run", "jump")
    lines = []
    for _ in range(sentences):
        noun, verb = generator.choice(nouns), generator.choice(verbs)
        if generator.random() < 0.5:
            lines.append(f"the one {noun} {verb}s here .")
        else:
            lines.append(f"the two {noun}s {verb} here .")
    return lines


def test_a_network_trained_on_a_planted_grammar_prefers_its_right_sentences(tmp_path):
    lines = planted_text(3_000, 1)
    text = tmp_path / "en_planted.txt"
    documents = ["\n".join(lines[start : start + 6]) for start in range(0, len(lines), 6)]
    text.write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    vocabulary = train_wordpiece(lines, WordPieceConfig(vocab_size=120))
    prepare_corpus([text], vocabulary, tmp_path / "ids")
    settings = PretrainingConfig(
        steps=300,
        rows=16,
        row_length=64,
        max_tokens=32,
        learning_rate=5e-3,
        objective="none",
        sentence_share=1.0,
        mlm_probability=0.2,
        evaluate_every=0,
    )
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
    )
    machine = Machine(device="cpu", dtype="float32")
    trained = pretrain(
        tmp_path / "ids",
        tmp_path / "run",
        config,
        settings,
        Limits(),
        machine=machine,
        tensorboard=False,
    )
    pairs = [
        pair
        for noun in ("cat", "bird", "boy")
        for pair in (
            MinimalPair(f"the one {noun} sings here .", f"the one {noun} sing here .", "one"),
            MinimalPair(f"the two {noun}s sing here .", f"the two {noun}s sings here .", "two"),
        )
    ]
    scores = evaluate_pairs(open_reader(trained.folder), pairs)
    assert scores.accuracy == 1.0, scores
