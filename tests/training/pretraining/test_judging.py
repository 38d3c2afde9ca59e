"""A linear judge finds what a state holds, and nothing where it holds nothing."""

import numpy as np
import pytest
import torch
from torch import nn

from benchmarks.research.sentence_judging import judge, pair_set, standard_error
from embeddings.errors import InputError
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import BertConfig
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus

SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "vocab_size": 60,
    "max_position_embeddings": 24,
}


@pytest.fixture(scope="module")
def corpus():
    generator = np.random.default_rng(1)
    documents = [[generator.integers(5, 60, 6).tolist() for _ in range(24)] for _ in range(60)]
    return PreparedCorpus.from_documents({"en_a.txt": documents}, 60)


def pairs(corpus, objective="sop", count=400):
    return pair_set(
        corpus, objective, heldout=0.3, pairs=count, max_tokens=24, special=SpecialIds()
    )


class Knowing(nn.Module):
    """An encoder whose [CLS] state is given by a rule over the batch."""

    def __init__(self, rule):
        super().__init__()
        self.rule = rule
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, ids, *_, keep, **__):
        class Output:
            last = self.rule(ids, keep)

        return Output


def knowing(rule):
    network = new_network(BertConfig(**SIZES))
    network.encoder = Knowing(rule)
    return network


def test_both_sides_have_as_many_true_as_false_pairs(corpus):
    found = pairs(corpus)
    for side in (found.training, found.heldout):
        assert (side.label == 0).sum() == (side.label == 1).sum() > 20


def test_the_judge_finds_a_rule_on_the_state(corpus):
    found = pairs(corpus)
    labels = {
        tuple(side.ids[row]): int(side.label[number])
        for side in (found.training, found.heldout)
        for row in range(len(side))
        for number in range(side.bounds[row], side.bounds[row + 1])
        if side.bounds[row + 1] - side.bounds[row] == 1
    }
    noise = torch.Generator().manual_seed(3)

    def rule(ids, keep):
        answers = [labels.get(tuple(row.tolist()), 0) for row in ids.to(torch.int32)]
        states = torch.randn(len(keep), 16, generator=noise)
        for place, flat in enumerate(keep.tolist()):
            states[place, 3] += 8 * answers[flat // ids.shape[1]]
        return states

    assert judge(knowing(rule), found).accuracy > 0.9


def test_the_judge_finds_nothing_in_noise(corpus):
    noise = torch.Generator().manual_seed(4)
    found = judge(
        knowing(lambda _, keep: torch.randn(len(keep), 16, generator=noise)), pairs(corpus)
    )
    assert abs(found.accuracy - 0.5) < 4 * found.standard_error
    assert found.standard_error == standard_error(found.accuracy, found.pairs)


def test_the_judge_leaves_the_network_alone_and_repeats(corpus):
    network = new_network(BertConfig(**SIZES))
    before = [p.clone() for p in network.parameters()]
    one, other = (judge(network, pairs(corpus, "nsp")) for _ in range(2))
    assert one == other
    for old, new in zip(before, network.parameters(), strict=True):
        assert torch.equal(old, new)


@pytest.mark.parametrize(("objective", "said"), [("none", "objective"), ("order", "objective")])
def test_a_task_without_labels_cannot_be_judged(corpus, objective, said):
    with pytest.raises(InputError, match=said):
        pairs(corpus, objective)
