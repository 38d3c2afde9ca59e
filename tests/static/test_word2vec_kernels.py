"""The compiled updates against a plain-numpy reference that draws from the same random stream."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embeddings.static.kernels.skipgram import skipgram_block
from embeddings.static.kernels.windows import BLOCK_WORDS, GROUP
from embeddings.static.kernels.word2vec_kernel import train_piece
from embeddings.static.word2vec import alias_table, keep_thresholds, negative_shares

MASK = (1 << 64) - 1
WINDOWS = st.integers(1, 15)  # many of them longer than the longest sentence
SENTENCES = st.lists(st.integers(0, 10), min_size=1, max_size=6)  # lengths; some are empty


def splitmix64(seed: int) -> Iterator[int]:
    """Steele, Lea and Flood (2014), figure 17."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def reference_blocks(ids, bounds, keep, window, bits):
    """Lists of (word, window begin, window end) up to BLOCK_WORDS words, with the place of the first."""
    block, begun = [], 0
    pieces = [
        (at, min(at + BLOCK_WORDS, end))
        for first, end in pairwise(bounds)
        for at in range(first, end, BLOCK_WORDS)
    ]
    for start, stop in pieces:
        if len(block) + stop - start > BLOCK_WORDS:
            yield block, begun
            block, begun = [], start
        kept = [w for w in ids[start:stop] if next(bits) & 0xFFFFFFFF <= keep[w]]
        base = len(block)
        for at, word in enumerate(kept):
            reach = 1 + ((next(bits) >> 32) * window >> 32)
            window_of = max(0, at - reach) + base, min(len(kept), at + reach + 1) + base
            block.append((word, *window_of))
    yield block, begun


def reference_targets(word, alias, negative, bits):
    """The word and its distinct negatives, with weights."""
    weights = {word: 1.0}
    for _ in range(negative):
        number = next(bits)
        row = (number >> 32) * len(alias) >> 32
        if number & 0xFFFFFFFF >= alias[row, 0]:
            row = int(alias[row, 1])
        if row != word:
            weights[row] = weights.get(row, 0.0) - 1.0
    return list(weights), np.array(list(weights.values()))


def reference_steps(scores, weights, alpha):
    """Step sizes alpha * w * (1 - p) and the loss in nats."""
    signs = np.where(weights > 0, 1.0, -1.0)[:, None]
    right = 1 / (1 + np.exp(-signs * scores))
    loss = -(np.abs(weights)[:, None] * np.log(right)).sum()
    return alpha * weights[:, None] * (1 - right), loss


class OwnRows:
    """Words with a row of ``inputs`` each; those in reach of the window have their ``vectors`` by their places."""

    def __init__(self, inputs, members=None):
        self.inputs, self.members, self.vectors = inputs, members, {}

    def __len__(self):
        return len(self.inputs)

    def size(self, _word):
        """How much a word weighs in the mean of CBOW."""
        return 1

    def enter(self, place, word):
        self.vectors[place] = self.inputs[word]  # a view: what it learns is in ``inputs``

    def leave(self, place, _word):
        del self.vectors[place]


def reference_position(sg, inputs, contexts, sizes, target, outputs, alpha):
    """One window, in place: Mikolov et al. (2013), equation 4; groups of output rows in turn.

    ``inputs`` has a vector for each of ``contexts``; in the mean of CBOW they weigh as much as ``sizes`` says.
    """
    (rows, weights), stack = target, np.array([inputs[context] for context in contexts])
    if not sg:
        mean = np.average(stack, axis=0, weights=sizes)
        steps, loss = reference_steps((outputs[rows] @ mean)[:, None], weights, alpha)
        error = steps[:, 0] @ outputs[rows]
        outputs[rows] += steps * mean
        for context in contexts:
            inputs[context] += error
        return loss, 1
    steps, loss = reference_steps(outputs[rows] @ stack.T, weights, alpha)
    for k in range(0, len(rows), GROUP):
        group, old = rows[k : k + GROUP], outputs[rows[k : k + GROUP]]
        for m, context in enumerate(contexts):
            row = inputs[context].copy()
            inputs[context] += steps[k : k + GROUP, m] @ old
            outputs[group] += np.outer(steps[k : k + GROUP, m], row)
    return loss, len(contexts)


def reference_piece(sg, ids, bounds, keep, alias, words, outputs, options):
    """What `train_piece` does, in Python over float64; words enter before their first window and leave behind their last."""
    window, negative, seed, alpha, last = options
    bits = splitmix64(seed)
    total, pairs = 0.0, 0
    for block, begun in reference_blocks(ids, bounds, keep, window, bits):
        rate = alpha + (last - alpha) * begun / max(1, len(ids))
        targets = [reference_targets(word, alias, negative, bits) for word, _, _ in block]
        entered = 0
        for at, (_, first, end) in enumerate(block):
            while entered < min(at + window + 1, len(block)):
                words.enter(entered, block[entered][0])
                entered += 1
            if contexts := [j for j in range(first, end) if j != at]:
                sizes = [words.size(block[j][0]) for j in contexts]
                loss, count = reference_position(
                    sg, words.vectors, contexts, sizes, targets[at], outputs, rate
                )
                total, pairs = total + loss, pairs + count
            if at >= window:
                words.leave(at - window, block[at - window][0])
        for at in range(max(0, len(block) - window), len(block)):
            words.leave(at, block[at][0])
    return total, pairs


def flat(matrix, columns):
    """As the kernels take it: padded rows, one spare row."""
    padded = np.zeros((len(matrix) + 1, columns), np.float32)
    padded[:-1, : matrix.shape[1]] = matrix
    return padded.reshape(-1)


def random_text(words):
    """A generator, and so many ids of thirty words in sentences of about twenty."""
    rng = np.random.default_rng(words)
    ids = np.minimum(rng.geometric(0.15, words) - 1, 29).astype(np.int32)
    cuts = np.sort(rng.choice(words, words // 20, replace=False))
    cuts = cuts[cuts < 1500]  # in the long corpus the last sentence is longer than a block
    return rng, ids, np.concatenate(([0], cuts, cuts[-1:], [words]))  # and one sentence is empty


@pytest.mark.parametrize("sg", [True, False])
@pytest.mark.parametrize(
    ("words", "window", "negative", "sample"),
    [(400, 3, 5, 0.05), (300, 2, 1, 0.0), (200, 9, 13, 0.0), (6000, 2, 5, 0.01)],
    ids=["thinned", "one negative", "wide, three groups of outputs", "more than a block"],
)
def test_kernel_equals_the_plain_numpy_reference(sg, words, window, negative, sample):
    rng, ids, bounds = random_text(words)
    options = window, negative, 12345, 0.05, 0.01
    rows = OwnRows(rng.normal(size=(30, 20)) * 0.5)
    assert check_piece(sg, rows, ids, bounds, sample, options) > words / 4


@settings(max_examples=40, deadline=None)
@given(
    sg=st.booleans(),
    width=st.integers(1, 40),
    size=st.integers(1, 8),
    lengths=SENTENCES,
    window=WINDOWS,
    negative=st.integers(1, 13),
    seed=st.integers(0, 2**32),
)
@example(sg=True, width=1, size=1, lengths=[1], window=15, negative=5, seed=1)
@example(sg=False, width=17, size=1, lengths=[0, 9], window=15, negative=5, seed=1)
def test_kernel_equals_the_reference_at_any_width_window_and_length(
    sg, width, size, lengths, window, negative, seed
):
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, size, sum(lengths)).astype(np.int32)
    bounds = np.concatenate(([0], np.cumsum(lengths)))
    rows, options = (
        OwnRows(rng.normal(size=(size, width)) * 0.5),
        (window, negative, seed, 0.01, 0.002),
    )
    pairs = check_piece(sg, rows, ids, bounds, 0.0, options)
    # CBOW has a pair for each word that is not alone, skip-gram one a neighbour at least
    assert pairs >= sum(length for length in lengths if length > 1)


def check_piece(sg, words, ids, bounds, sample, options, tolerance=1e-5):
    """Check the kernel against the reference from random outputs; return how many pairs both found."""
    window, negative, seed, alpha, last = options
    width = words.inputs.shape[1]
    columns = -(-width // 16) * 16
    counts = np.bincount(ids, minlength=len(words)) + 1
    tables = keep_thresholds(counts, sample), alias_table(negative_shares(counts, 0.75))
    outputs = np.random.default_rng(seed).normal(size=(len(words), width)) * 0.5
    x, y = flat(words.inputs, columns), flat(outputs, columns)
    loss, pairs = train_piece(
        sg, ids, bounds, *tables, words.members, x, y, columns,
        window, negative, np.uint64(seed), alpha, last,
    )  # fmt: skip
    expected = reference_piece(sg, ids.tolist(), bounds, *tables, words, outputs, options)
    assert pairs == expected[1]
    # of a loss near 0 the relative error says nothing: the kernel's logarithm is exact to 2e-7, a pair
    assert loss == pytest.approx(expected[0], rel=tolerance, abs=2e-7 * pairs)
    check_rows(x, words.inputs, columns, tolerance)
    check_rows(y, outputs, columns, tolerance)
    return pairs


def check_rows(rows, expected, columns, tolerance):
    """Hold padded rows to a matrix, and their padding and the spare row to 0."""
    rows, width = rows.reshape(-1, columns), expected.shape[1]
    np.testing.assert_allclose(rows[:-1, :width], expected, atol=tolerance)
    assert not rows[:, width:].any()
    assert not rows[-1].any()


def train_one_pair(inputs, outputs, weights_of_rows, rate):
    """Update word 1 in the window of word 0 in place, with these output rows; return the loss."""
    block = np.array([[0, 1], [0, 1], [2, 2]], np.int32)
    targets = np.full((2, GROUP), len(outputs) // 16 - 1, np.int32)  # the spare row
    weights = np.zeros((2, GROUP), np.float32)
    number = len(weights_of_rows)
    targets[0, :number], weights[0, :number] = [*weights_of_rows], [*weights_of_rows.values()]
    loss, pairs = skipgram_block(block, targets, weights, inputs, outputs, 16, 1, np.float32(rate))
    assert pairs == 1
    return loss


def test_one_pair_by_hand():
    # The window of word 0 holds word 1 = (1, 2). Output 0 = (0.5, 0.25) scores 1 and the negative,
    # output 2 = (1, -1), scores -1.
    x = flat(np.array([[9.0, 9.0], [1.0, 2.0], [9.0, 9.0]]), 16)
    y = flat(np.array([[0.5, 0.25], [9.0, 9.0], [1.0, -1.0]]), 16)
    loss = train_one_pair(x, y, {0: 1, 2: -1}, 0.1)
    assert loss == pytest.approx(2 * 0.31326169, abs=1e-6)  # log(1 + 1/e), twice
    step = 0.1 * 0.26894142  # 1 - logistic(1)
    np.testing.assert_allclose(x[16:18], [1 + step * (0.5 - 1), 2 + step * (0.25 + 1)], atol=1e-6)
    np.testing.assert_allclose(y[:2], [0.5 + step, 0.25 + 2 * step], atol=1e-6)
    np.testing.assert_allclose(y[32:34], [1 - step, -1 - 2 * step], atol=1e-6)


@pytest.mark.parametrize("score", [-200.0, -30.0, -5.0, 0.0, 0.01, 5.0, 30.0, 200.0])
def test_loss_and_step_hold_for_small_and_large_scores(score):
    x = flat(np.array([[0.0], [1.0]]), 16)
    y = flat(np.array([[score], [0.0]]), 16)
    loss = train_one_pair(x, y, {0: 1}, 1.0)
    held = np.clip(score, -80, 80)
    assert loss == pytest.approx(np.log1p(np.exp(-held)), rel=1e-5, abs=2e-7)
    assert y[0] - score == pytest.approx(1 / (1 + np.exp(held)), rel=1e-5, abs=abs(score) * 1e-7)


def test_frequent_words_are_thinned_to_the_expected_share():
    rng = np.random.default_rng(3)
    ids = rng.choice(3, 60_000, p=[0.9, 0.09, 0.01]).astype(np.int32)
    counts = np.bincount(ids)
    keep, alias = keep_thresholds(counts, 0.01), alias_table(negative_shares(counts, 0.75))
    bounds = np.arange(0, 60_001, 10)
    shares = np.minimum(1, np.sqrt(0.01 / (counts / 60_000)) + 0.01 / (counts / 60_000))
    zeros = np.zeros(4 * 16, np.float32)
    tables = keep, alias, None, zeros.copy(), zeros.copy(), 16
    _, pairs = train_piece(True, ids, bounds, *tables, 1, 1, np.uint64(5), 1e-9, 1e-9)
    # each word has a neighbour on either side unless it is the first or last that is kept of ten
    kept = (counts * shares).sum()
    share = kept / 60_000
    sentences_left = 6000 * (1 - (1 - share) ** 10)
    assert pairs == pytest.approx(2 * (kept - sentences_left), rel=0.02)


def test_sample_zero_keeps_every_word():
    assert (keep_thresholds(np.array([10**9, 1, 0]), 0.0) == 2**32 - 1).all()


def test_negatives_follow_count_to_the_power_three_quarters():
    counts = np.array([1000, 300, 50, 7, 1, 0])
    powers = counts**0.75
    np.testing.assert_allclose(negative_shares(counts, 0.75), powers / powers.sum())
    table = alias_table(negative_shares(counts, 0.75))
    thresholds = table[:, 0] / 2.0**32
    drawn = thresholds.copy()
    np.add.at(drawn, table[:, 1], 1 - thresholds)
    np.testing.assert_allclose(drawn / len(counts), powers / powers.sum(), atol=1e-8)
    assert drawn[-1] < 1e-8
