"""Networks judged on sentence tasks, also those that they were not trained on (ALBERT, Lan et al. 2020, table 5).

A network that was trained without a task has no head for it, and another task's head would answer
another question. So each is judged by a head of the same making: a linear map on its frozen [CLS]
state, trained on pairs of the training documents until a convex loss is at its bottom, the same
number of steps for all, and scored on pairs of held-out documents. Nothing is masked. What the head
finds is what the state holds in a form that one linear map can read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from embeddings.configuration import check_choice
from embeddings.errors import InputError
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.layers import block_mask
from embeddings.pretraining.packing import Packed, SpecialIds, pack_pairs
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.pretraining.sentence_pairs import OBJECTIVES, Pairs, Segments, draw_pairs
from embeddings.analysis.score_answers import standard_error

STEPS, PENALTY = 60, 1e-3  # of L-BFGS; on the squared weights, features of deviation 1
_SEED = 20_190_926


@dataclass(frozen=True, slots=True)
class Judged:
    """Share of held-out pairs classified rightly, its standard error, and how many there were.

    Half of the pairs are true: chance is 0.5.
    """

    accuracy: float
    standard_error: float
    pairs: int


@dataclass(frozen=True, slots=True)
class PairSet:
    """Packed pairs of one task, those with a label; ``training`` for the head, ``heldout`` for its score."""

    training: Packed
    heldout: Packed


def pair_set(
    corpus: PreparedCorpus,
    objective: str,
    *,
    heldout: float,
    pairs: int,
    max_tokens: int,
    special: SpecialIds,
) -> PairSet:
    """Draw at most ``pairs`` pairs of the documents of each side; always the same.

    Parameters
    ----------
    objective : str
        "nsp" or "sop".
    heldout : float
        Share of documents that no network of the comparison was trained on.

    Raises
    ------
    InputError
        If one of the two sides has no pair.
    """
    check_choice("objective", objective, OBJECTIVES[:2])
    segments = Segments.of(corpus, max_tokens)
    sides = []
    for documents in corpus.split(heldout):
        generator = np.random.default_rng(_SEED)
        drawn = draw_pairs(corpus, segments, documents, objective, generator)
        labelled = _labelled(drawn, pairs)
        if not len(labelled):
            raise InputError("pairs_too_few", pairs=0, documents=len(documents))
        sides.append(pack_pairs(corpus, labelled, max_tokens, special))
    return PairSet(*sides)


def _labelled(pairs: Pairs, count: int) -> Pairs:
    """The first ``count`` that have two segments, cut so that both labels are as frequent."""
    true, false = (np.flatnonzero(pairs.label == label) for label in (0, 1))
    each = min(len(true), len(false), max(1, count // 2))
    return pairs.take(np.sort(np.concatenate((true[:each], false[:each]))))


def judge(
    network: PretrainingNetwork, pairs: PairSet, *, rows: int = 64, steps: int = STEPS
) -> Judged:
    """Train a linear head on the frozen [CLS] states of a network, and score it."""
    states, labels = _states(network, pairs.training, rows)
    mean, deviation = states.mean(0), states.std(0) + 1e-6
    weight, bias = _fit((states - mean) / deviation, labels, steps)
    heldout, answers = _states(network, pairs.heldout, rows)
    right = ((heldout - mean) / deviation @ weight + bias > 0) == (answers > 0)
    share = float(right.float().mean())
    return Judged(share, standard_error(share, len(answers)), len(answers))


@torch.no_grad()
def _states(network: PretrainingNetwork, packed: Packed, rows: int) -> tuple[Tensor, Tensor]:
    """Last states of every pair's [CLS], shape (pairs, hidden_size), and labels, float32."""
    network.eval()
    device = next(network.parameters()).device

    def move(array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    states, labels = [], []
    for start in range(0, len(packed), rows):
        part = packed.rows(start, start + rows)
        last = network.encoder(
            move(part.ids).long(),
            move(part.segments).long(),
            position_ids=move(part.positions).long(),
            mask=block_mask(move(part.blocks).long()),
            keep=move(part.first),
        ).last
        states.append(last.float().cpu())
        labels.append(torch.from_numpy(part.label).float())
    return torch.cat(states), torch.cat(labels)


def _fit(states: Tensor, labels: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """Logistic regression with a small penalty, by L-BFGS from zeros: the same every time."""
    weight = torch.zeros(states.shape[1], requires_grad=True)
    bias = torch.zeros((), requires_grad=True)
    search = torch.optim.LBFGS([weight, bias], max_iter=steps, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        search.zero_grad()
        scores = states @ weight + bias
        loss = F.binary_cross_entropy_with_logits(scores, labels)
        loss = loss + PENALTY * weight.square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    search.step(closure)  # type: ignore[no-untyped-call]
    return weight.detach(), bias.detach()
