"""Attribution: the words add up to the logit; the word that decides the planted rule has the credit."""

import pytest
import torch

from embeddings.corpora.labelled import text_ids
from embeddings.errors import InputError
from embeddings.networks.classifier import logits_of
from embeddings.probing.attribution import attribute
from embeddings.probing.label_prediction import predict

TEXT = "The Dog walks slowly over old snow, and the boy's garden"


@pytest.mark.parametrize("text", [TEXT, "sun", "snow sun snow sun " * 20, "Unbekanntes ж 7!"])
@pytest.mark.parametrize("label", ["", "cold", "warm"])
def test_the_words_add_up_to_the_logit(weather, text, label):
    found = attribute(weather, text, label)
    (one,) = predict(weather, [text])
    share = torch.tensor(one.probabilities[found.label], dtype=torch.float64)
    assert found.log_odds == pytest.approx(float(torch.logit(share)), abs=1e-3)
    assert (one.truncated > 0) == (len(text) > 90)
    assert len(found.words) < 64  # of a text that is cut those that are read
    words = sum(word.attribution for word in found.words)
    assert found.baseline + words + found.residual == pytest.approx(found.log_odds, abs=1e-5)
    assert abs(found.residual) <= 0.05
    assert found.label == (label or one.label)


def test_the_baseline_is_the_text_with_masks(weather):
    found = attribute(weather, "the dog walks", "warm")
    ids = text_ids(weather.wordpiece, ["the dog walks"], 64, lower=True).ids[0]
    masked = [(ids[0], *[weather.wordpiece.mask_id] * (len(ids) - 2), ids[-1])]
    cold, warm = logits_of(weather.network, masked)[0].tolist()
    assert found.baseline == pytest.approx(warm - cold, abs=1e-5)


def test_more_points_come_nearer(weather, monkeypatch):
    monkeypatch.setattr(
        "embeddings.probing.attribution.FIRST_PARTS", 1
    )  # 33 points are exact for so small a network
    rough = attribute(weather, TEXT, tolerance=1e9)
    fine = attribute(weather, TEXT, tolerance=abs(rough.residual) / 10)
    assert rough.steps == 5
    assert 5 < fine.steps <= 1024
    assert abs(fine.residual) <= abs(rough.residual) / 10


def test_the_word_that_turns_the_answer_has_the_credit(weather):
    cold, warm = (
        attribute(weather, f"the old man walks slowly {word} over green river", "warm")
        for word in ("snow", "sun")
    )
    assert cold.log_odds < 0 < warm.log_odds
    pairs = zip(warm.words, cold.words, strict=True)
    gained = {one.word: one.attribution - other.attribution for one, other in pairs}
    assert max(gained, key=gained.__getitem__) == "sun"


def test_words_are_those_of_the_text_and_attention_sums_to_1(weather):
    found = attribute(weather, TEXT)
    assert [one.word for one in found.words] == [
        *("The", "Dog", "walks", "slowly", "over", "old", "snow", ","),
        *("and", "the", "boy's", "garden"),
    ]
    assert all(found.text[one.start : one.end] == one.word for one in found.words)
    total = sum(one.attention for one in found.words) + found.special_attention
    assert total == pytest.approx(1, abs=1e-5)


def test_attention_is_the_last_layers_mean_where_the_mean_of_the_states_is_pooled(weather):
    found = attribute(weather, "snow sun")
    tokens = weather.wordpiece.encode("snow sun")
    encoder = weather.network.encoder
    with torch.no_grad():
        last = encoder(torch.tensor([tokens.ids]), need_weights=True).attentions[-1][0]
    own = list(tokens.covering(0, 4))
    by_hand = sum(float(last[:, :, place].mean()) for place in own)
    assert found.words[0].attention == pytest.approx(by_hand, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "label", "match"),
    [("", "", "no word"), ("  ", "", "no word"), ("snow", "hot", "label=hot")],
)
def test_what_cannot_be_asked_is_refused(weather, text, label, match):
    with pytest.raises(InputError, match=match):
        attribute(weather, text, label)


def test_occlusion_is_the_classifier_run_with_one_word_masked(weather):
    text = "the dog walks over snow"
    attribution = attribute(weather, text, "warm")
    mask, cls_id = weather.wordpiece.mask_id, weather.wordpiece.cls_id
    tokens = weather.wordpiece.encode(text)
    assert tokens.ids[0] == cls_id
    for word in attribution.words:
        hidden = set(tokens.covering(word.start, word.end))
        ids = tuple(mask if i in hidden else token for i, token in enumerate(tokens.ids))
        cold, warm = logits_of(weather.network, [ids])[0].tolist()
        assert word.occlusion == pytest.approx(attribution.log_odds - (warm - cold), abs=1e-4)
    assert max(abs(word.occlusion) for word in attribution.words) > 0.1
