"""A prepared `AttentionMap` as what the view reads: JSON with weights as base64.

Weights of the head shown travel as float16 (three significant digits); the thumbnails of all heads
as 8-bit averages over at most 32 x 32 blocks, each head relative to its own largest block. A head
that spreads its attention evenly stays pale: no scale ends below four times an even spread.

What the view says, in English; the page hands over the same keys in the reader's language.
"""

from __future__ import annotations

import math
import tomllib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.attention_view.drawing import strongest_lines
from embeddings.probing.attention_answers import AttentionMap, HeadProfile, Side
from embeddings.results import Value

WORDING = Path(__file__).parents[1] / "wording" / "attention_view.toml"
LABELS: dict[str, str] = tomllib.loads(WORDING.read_text(encoding="utf-8"))


THUMBNAIL = 32  # rows and columns at most
EVEN = 4  # the darkest shade stands for at least so many times an even spread
ATTENTION_VIEWS = ("lines", "matrix", "grid")


class ViewState(Value):
    """Which layer (from 1), which head (by name), how it is drawn, and which word of the first text is chosen.

    ``word``: number of the chosen unit among those that attend, from 0; -1 for none.
    ``turn``: which of the view's wishes this answers; it counts them from 1.
    """

    layer: int = 1
    head: str = "1"
    view: str = "lines"
    turn: int = 0
    word: int = -1


class Panel(Value, eq=False):
    """One text in the view: its map as shown, its heads' profiles, and its title.

    ``key`` tells maps apart: the view keeps the heads that it has of one key.
    """

    shown: AttentionMap
    profiles: tuple[HeadProfile, ...]
    title: str = ""
    key: str = ""


def payload(
    panels: Sequence[Panel],
    at: ViewState,
    sent: Iterable[tuple[int, str]],
    *,
    labels: Mapping[str, str] | None = None,
    language: str = "en",
) -> dict[str, object]:
    """Return what the view draws.

    Parameters
    ----------
    panels : sequence of Panel
        Texts next to each other, of one network.
    at : ViewState
        Where the view starts.
    sent : iterable of (layer, head)
        The heads whose weights go along.
    labels : mapping of str to str, optional
        In another language; keys as in `LABELS`.
    language : str
        For numbers: "en", "ru", "de".
    """
    first, pairs = panels[0].shown, list(sent)
    return {
        "layers": first.layers,
        "heads": list(first.heads),
        "at": asdict(at),
        "panels": [_panel(panel, pairs) for panel in panels],
        "labels": dict(labels or LABELS),
        "language": language,
    }


def thumbnails(weights: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Average maps of shape (..., from, to) over blocks, at most 32 x 32; 255 is the largest block, or `scale_end`."""
    rows, columns = (_starts(size) for size in weights.shape[-2:])
    if not len(rows) or not len(columns):
        return np.zeros((*weights.shape[:-2], len(rows), len(columns)), np.uint8)
    blocks = np.add.reduceat(np.add.reduceat(weights, columns, -1), rows, -2)
    areas = np.outer(np.diff([*rows, weights.shape[-2]]), np.diff([*columns, weights.shape[-1]]))
    blocks = blocks / areas.astype(np.float32)
    top = np.maximum(blocks.max((-2, -1), keepdims=True), scale_end(weights.shape[-1]))
    small: NDArray[np.uint8] = np.rint(blocks / top * 255).astype(np.uint8)
    return small


def scale_end(columns: int) -> float:
    """Return the least weight that the darkest shade may stand for."""
    return min(1.0, EVEN / max(1, columns))


def shown_lines(weights: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the cells of a head that are drawn as lines, each relative to the head's largest weight, or `scale_end`."""
    return strongest_lines(weights, float(weights.max(initial=scale_end(weights.shape[1]))))


def _starts(size: int) -> NDArray[np.intp]:
    """Return where each of at most 32 blocks of ``size`` begins."""
    return np.arange(min(size, THUMBNAIL)) * size // max(1, min(size, THUMBNAIL))


def _panel(panel: Panel, sent: Sequence[tuple[int, str]]) -> dict[str, object]:
    """Return one text: its two sides, its thumbnails, the heads asked for with the cells that are lines."""
    heads = {f"{layer}/{head}": panel.shown.head_weights(layer, head) for layer, head in sent}
    return {
        "key": panel.key,
        "title": panel.title,
        "scale": scale_end(len(panel.shown.to_side)),
        "from": _side(panel.shown.from_side),
        "to": _side(panel.shown.to_side),
        "weights": {name: _text(values.astype("<f2")) for name, values in heads.items()},
        "lines": {
            name: _text(shown_lines(values).astype("<u4" if values.size > 1 << 16 else "<u2"))
            for name, values in heads.items()
        },
        "thumbnails": _small(panel),
        "profiles": [_profile(profile) for profile in panel.profiles],
    }


@lru_cache(maxsize=4)
def _small(panel: Panel) -> dict[str, object]:
    """Return the thumbnails of all heads; computed once, for the same texts are sent again and again."""
    small = thumbnails(panel.shown.weights)
    return {"rows": small.shape[-2], "columns": small.shape[-1], "bytes": _text(small)}


def _side(side: Side) -> list[dict[str, object]]:
    """Return the units of a side: what is written, which sentence, whether [CLS] or [SEP]."""
    return [
        {"text": label, "segment": segment, "special": special}
        for label, segment, special in zip(side.labels, side.segments, side.special, strict=True)
    ]


def _profile(profile: HeadProfile) -> dict[str, object]:
    """Return what the small label of a head says."""
    return {
        "layer": profile.layer,
        "head": profile.head,
        "pattern": profile.pattern,
        "share": round(profile.share, 3),
        "entropy": round(profile.entropy, 2),
        "distance": None if math.isnan(profile.distance) else round(profile.distance, 1),
    }


def _text(values: NDArray[np.generic]) -> str:
    """Return an array's bytes, in C order, as base64."""
    return b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")
