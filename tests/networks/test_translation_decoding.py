"""Greedy and beam: against an open loop, against trying everything, and with nothing changed by cache or company."""

import itertools

import pytest
import torch

from embeddings.networks.decoding import DecodingConfig, longest_target, search, to_batch, worth
from embeddings.networks.encoder_decoder import (
    END,
    PAD,
    START,
    UNKNOWN,
    TranslationConfig,
    new_translation_network,
)
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer, rate_at

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "dropout": 0.0,
}


@pytest.fixture(scope="module")
def network():
    config = TranslationConfig(vocab_size=14, max_position_embeddings=24, **SIZES)
    made = new_translation_network(config, seed=4).eval()
    with torch.no_grad():
        made.scores.bias[END] = 1.2  # so that translations end at different lengths
        made.source_tokens.weight.mul_(2.5)
    return made


SOURCES = [[5, 6, 7], [8], [9, 10, 11, 12, 13, 4, 5], [6, 6], [13, 4, 9, 8]]


def translate(network, sources, **settings):
    with torch.inference_mode():
        encoded = network.encode(to_batch(sources))
    return search(network, encoded, DecodingConfig(**settings))


def log_probabilities(network, source, target):
    with torch.inference_mode():
        encoded = network.encode(to_batch([source]))
        given = torch.tensor([[START, *target]])
        scores = network.scores(network.decode(given, network.open(encoded)).hidden)[0]
    scores = scores.clone()
    scores[:, [PAD, START, UNKNOWN]] = float("-inf")
    return scores.log_softmax(-1)


def greedily(network, source):
    """An open loop, all of the target anew at each step."""
    tokens = []
    while len(tokens) < longest_target(len(source) + 1, 24):
        token = int(log_probabilities(network, source, tokens)[-1].argmax())
        if token == END:
            return tuple(tokens)
        tokens.append(token)
    return tuple(tokens)


def test_beam_1_is_greedy(network):
    found = [one.best.ids for one in translate(network, SOURCES, beam=1)]
    assert found == [greedily(network, source) for source in SOURCES]
    assert len({len(ids) for ids in found}) > 1


def scored(results):
    return [(result.best.ids, pytest.approx(result.best.score, abs=1e-4)) for result in results]


@pytest.mark.parametrize("beam", [1, 4])
def test_company_in_the_batch_changes_nothing(network, beam):
    together = translate(network, SOURCES, beam=beam)
    alone = [translate(network, [source], beam=beam)[0] for source in SOURCES]
    assert [(one.best.ids, one.best.score) for one in together] == scored(alone)


def test_scores_are_the_log_probabilities_of_what_can_be_said_by_the_length_penalty(network):
    for alpha in (0.0, 0.7, 1.0):
        for source, found in zip(
            SOURCES, translate(network, SOURCES, beam=3, length_penalty=alpha), strict=True
        ):
            best = found.best
            assert not {i for one in found.hypotheses for i in one.ids} & {PAD, START, UNKNOWN, END}
            table = log_probabilities(network, source, best.ids)
            said = (*best.ids, END) if best.finished else best.ids
            total = sum(float(table[step, token]) for step, token in enumerate(said))
            penalty = ((5 + len(said)) / 6) ** alpha
            assert best.score == pytest.approx(total / penalty, abs=1e-4)


def test_a_wide_beam_finds_the_best_of_all_short_translations():
    config = TranslationConfig(vocab_size=7, max_position_embeddings=24, **SIZES)
    network = new_translation_network(config, seed=1).eval()
    with torch.no_grad():
        network.scores.bias[END] = 4.0  # endings come soon: short ones hold nearly all probability
    source = [4, 5, 6]
    everything = {}
    for length in range(5):
        for target in itertools.product((4, 5, 6), repeat=length):
            table = log_probabilities(network, source, target)
            total = sum(float(table[step, token]) for step, token in enumerate((*target, END)))
            everything[target] = worth(total, length + 1, 0.0)
    best = max(everything, key=everything.get)
    found = translate(network, [source], beam=60, length_penalty=0.0)[0]
    assert found.best.ids == best
    assert found.best.score == pytest.approx(everything[best], abs=1e-4)
    for one in found.hypotheses:
        if len(one.ids) < 5:
            assert one.score == pytest.approx(everything[one.ids], abs=1e-4)


def test_a_translation_that_does_not_end_is_said_to_be_unfinished(network):
    config = network.config
    endless = new_translation_network(config, seed=2).eval()
    with torch.no_grad():
        endless.scores.bias[END] = -100.0
    for beam in (1, 3):
        for one, source in zip(translate(endless, SOURCES, beam=beam), SOURCES, strict=True):
            assert not one.best.finished
            assert len(one.best.ids) == longest_target(len(source) + 1, 24)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "norm_first"), [("copy", False), ("reverse", True)])
def test_copying_and_reversing_are_learned_to_99_percent(task, norm_first):
    """Some 20 seconds on a core."""
    config = TranslationConfig(
        vocab_size=14, max_position_embeddings=24, norm_first=norm_first, **SIZES
    )
    network = new_translation_network(config)
    training = LoopConfig(steps=500, learning_rate=6e-3, warmup=0.1, weight_decay=0.0)
    optimizer = make_optimizer(network, training)
    generator = torch.Generator().manual_seed(1)

    def draw(count):
        sizes = torch.randint(2, 8, (count,), generator=generator).tolist()
        sources = [torch.randint(4, 14, (n,), generator=generator).tolist() for n in sizes]
        return sources, [ids if task == "copy" else ids[::-1] for ids in sources]

    for step in range(training.steps):
        sources, targets = draw(64)
        answers = to_batch(targets)
        given = torch.cat((torch.full((64, 1), START), answers[:, :-1]), 1)
        keep = (answers.flatten() != PAD).nonzero()[:, 0]
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, training)
        found = network(to_batch(sources), given, keep, answers.flatten()[keep])
        (found.loss / len(keep)).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    network.eval()
    sources, targets = draw(500)
    for beam in (1, 4):
        found = [list(one.best.ids) for one in translate(network, sources, beam=beam)]
        right = sum(a == b for a, b in zip(found, targets, strict=True))
        assert right / 500 >= 0.99
