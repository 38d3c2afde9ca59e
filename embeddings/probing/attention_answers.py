"""Answers about attention: whose places stand on its two sides, its weights, what each head does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from embeddings.arrays import Float32s
from embeddings.optional import optional
from embeddings.results import Result, Table, Value
from embeddings.verbs import Verb

if TYPE_CHECKING:
    import pandas as pd

ATTENTION_MEASURES = ("weights", "norms")
AVERAGE, ROLLOUT = "average", "rollout"  # names in the place of a head's number
TYPICAL = 0.4  # share of a head's attention from which on it is named after where it goes
BROAD = 0.8  # entropy, relative to an even spread, from which on a head is called broad


class Side(Value, eq=False):
    """One side of attention: what looks, or what is looked at; tuples have one entry a unit.

    ``labels``: tokens (``##ом``), or words as written in the text.
    ``offsets``: (start, end) in characters of the unit's own sentence, (0, 0) for a special token.
    ``segments``: 0 for the first sentence, 1 for the second.
    ``words``: number of the unit's word, from 0, never falling.
    ``word_labels``: one entry a word: the word as written in the text.
    ``special``: whether the unit is a [CLS] or [SEP].
    """

    labels: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    segments: tuple[int, ...]
    words: tuple[int, ...]
    word_labels: tuple[str, ...]
    special: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.labels)


class AttentionMap(Result, eq=False):
    """Attention of every head of every layer.

    ``weights``: float32, shape (layers, heads, from, to); a row tells how what looks shares its
    attention; rows sum to 1 unless columns were left out.
    ``heads``: names of the second axis: "1", "2" ... and "average", "rollout" where added.
    ``from_side``, ``to_side``: what looks and what is looked at; one object in self-attention.
    ``level``: "token" or "word".
    ``truncated``: how many tokens at the end did not fit the network and were left out.
    ``unknown``: pieces of the text that the network's vocabulary does not have ([UNK]).
    ``shared``: whether all layers have the same attention weights (ALBERT).
    ``measure``: what ``weights`` are: "weights", or "norms", the lengths ||alpha f(x)|| of what each weight fetches, whose rows
    have no fixed sum.
    """

    model: str
    from_side: Side
    to_side: Side
    weights: Float32s
    heads: tuple[str, ...]
    level: str = "token"
    truncated: int = 0
    unknown: tuple[str, ...] = ()
    shared: bool = False
    measure: str = "weights"

    prepare = Verb("probing.attention_maps.prepare")
    head_profiles = Verb("probing.attention_maps.head_profiles")
    _repr_mimebundle_ = Verb("attention_view.html_page.notebook_view")

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return len(self.weights)

    @property
    def numbered(self) -> list[int]:
        """Places of the heads that have a number: all but the average and the rollout."""
        return [place for place, name in enumerate(self.heads) if name.isdigit()]

    @property
    def is_self(self) -> bool:
        """Whether a text looks at itself (not a translation at its source)."""
        return self.from_side is self.to_side

    @property
    def tokens(self) -> tuple[str, ...]:
        """Tokens (or words) that look."""
        return self.from_side.labels

    @property
    def words(self) -> tuple[str, ...]:
        """Words that look, whatever the level."""
        return self.from_side.word_labels

    def telling_head(self) -> tuple[int, str]:
        """Return layer (from 1) and name of the head whose words attend most to one other word at least two places away.

        Special tokens, punctuation, neighbours and the word itself do not count: a head that looks at the next token says
        nothing of the sentence. The measure is the largest such weight of a word, averaged over words. The first head of the
        first layer where no pair of words is left.
        """
        rows, columns = (
            np.array([any(map(str.isalnum, label)) for label in side.labels], bool)
            & ~np.array(side.special, bool)
            for side in (self.from_side, self.to_side)
        )
        distance = np.abs(np.subtract.outer(np.arange(len(rows)), np.arange(len(columns))))
        counts = rows[:, None] & columns & (distance > 1)
        if not counts.any():
            return 1, self.heads[0]
        largest = (self.weights[:, self.numbered] * counts).max(-1)[:, :, rows].mean(-1)
        layer, head = np.unravel_index(int(largest.argmax()), largest.shape)
        return int(layer) + 1, self.heads[self.numbered[int(head)]]

    def to_frame(self, layer: int = 0, head: str = "") -> pd.DataFrame:
        """Return a pandas frame of a layer (from 1): one row per token that looks, one column per token looked at.

        ``head`` is one of ``heads``; "" takes the mean of the heads that have a number. Without a layer it is the `table`.
        """
        if not layer:
            return Result.to_frame(self)
        with optional():
            import pandas as pd

        mean = self.weights[layer - 1, self.numbered].mean(0)
        weights = self.head_weights(layer, head) if head else mean
        return pd.DataFrame(weights, index=list(self.tokens), columns=list(self.to_side.labels))

    def table(self) -> Table:
        """Return a line a weight: layer and head, what looks, what is looked at."""
        return ["layer", "head", "from", "to", "weight"], [
            [layer, head, start, end, weight]
            for layer in range(1, self.layers + 1)
            for head in self.heads
            for start, row in zip(
                self.from_side.labels, self.head_weights(layer, head).tolist(), strict=True
            )
            for end, weight in zip(self.to_side.labels, row, strict=True)
        ]

    def head_weights(self, layer: int, head: str) -> Float32s:
        """Weights of a layer (from 1) and a head (by name), shape (from, to)."""
        weights: Float32s = self.weights[layer - 1, self.heads.index(head)]
        return weights


class HeadProfile(Value):
    """Where one head looks, on average over the tokens that are not [CLS] or [SEP].

    ``previous``, ``following``, ``itself``, ``cls``, ``sep``: share of attention in [0, 1] that
    goes to the token before, behind, the same, [CLS], [SEP]; the first three are NaN where two
    texts meet.
    ``entropy``: bits; ``evenness``: entropy over that of an even spread, in [0, 1].
    ``distance``: tokens between what looks and what is looked at.
    """

    layer: int
    head: str
    previous: float
    following: float
    itself: float
    cls: float
    sep: float
    entropy: float
    evenness: float
    distance: float

    @property
    def pattern(self) -> str:
        """What the head is named after: the largest share of at least 0.4, "broad", or nothing."""
        names = ("previous", "following", "itself", "cls", "sep")
        largest = max(names, key=lambda name: np.nan_to_num(getattr(self, name)))
        if getattr(self, largest) >= TYPICAL:
            return largest
        return "broad" if self.evenness >= BROAD else ""

    @property
    def share(self) -> float:
        """Share of attention that the pattern stands for; evenness for "broad", 0 for none."""
        if not self.pattern:
            return 0.0
        return float(self.evenness if self.pattern == "broad" else getattr(self, self.pattern))
