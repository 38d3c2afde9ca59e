"""``klyuch attention``: where the heads of a network look, as a page to open, a picture, or numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.cli import attention_ablate  # noqa: F401
from embeddings.cli.arguments import check_file_target, open_named
from embeddings.cli.nouns import verb
from embeddings.cli.output import counted, emit
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel, ViewState

ENDINGS = (".html", ".svg", ".npz")


@verb("attention")
def attention(
    text: str,
    *,
    model: str,
    output: Path,
    second: str = "",
    layer: int = 0,
    head: str = "average",
    view: str = "lines",
    word_level: bool = False,
    rollout: bool = False,
    special: str = "shown",
    sentences: str = "all",
    norms: bool = False,
    as_json: bool = False,
) -> None:
    """Write the attention of a text: .html (all heads, to look at), .svg (one head), .npz (the weights of all heads).

    The .npz holds `weights` (layers, heads, from, to), float32, with `heads`, `from_tokens`,
    `to_tokens`, `from_segments`, `to_segments`.
    """
    from embeddings.attention_view.payload import VIEWS, Panel, ViewState
    from embeddings.probing.attention_maps import BETWEEN, as_shares, head_profiles, prepare
    from embeddings.probing.attention_weights import attention as read_attention

    if output.suffix.lower() not in ENDINGS:
        raise InputError("attention_output", path=output)
    check_file_target(output)
    check_choice("view", view, VIEWS)
    check_choice("sentences", sentences, BETWEEN)
    measure = "norms" if norms else "weights"
    weights = read_attention(open_named(model), text, second, measure)
    shown = prepare(
        weights, level="word" if word_level else "token", special=special, sentences=sentences
    )
    head = "rollout" if rollout else head
    check_choice("head", head, shown.heads)
    layer = layer or shown.layers
    check_range("layer", layer, 1, shown.layers)
    title = " ".join(filter(None, (text.strip(), second.strip())))
    _write(
        output,
        Panel(shown, head_profiles(as_shares(weights)), title, "text"),
        ViewState(layer, head, view),
    )
    value = {
        "output": str(output),
        "layers": shown.layers,
        "heads": list(shown.heads),
        "tokens": list(shown.tokens),
        "truncated": weights.truncated,
        "unknown": list(weights.unknown),
    }
    emit(value, as_json, lambda: _sentence(value))


def _write(output: Path, panel: Panel, at: ViewState) -> None:
    """Write the file that its ending asks for."""
    import numpy as np

    from embeddings.attention_view.html_page import standalone
    from embeddings.attention_view.svg_picture import picture
    from embeddings.files import atomic_file

    shown, ending = panel.shown, output.suffix.lower()
    with atomic_file(output) as temporary:
        if ending == ".svg":
            temporary.write_text(picture([panel], at), encoding="utf-8")
        elif ending == ".html":
            page = standalone([panel], at, heading=panel.title, about=shown.model)
            temporary.write_text(page, encoding="utf-8")
        else:
            with temporary.open("wb") as file:
                np.savez_compressed(
                    file,
                    weights=shown.weights,
                    heads=np.array(shown.heads),
                    from_tokens=np.array(shown.from_side.labels),
                    to_tokens=np.array(shown.to_side.labels),
                    from_segments=np.array(shown.from_side.segments),
                    to_segments=np.array(shown.to_side.segments),
                )


def _sentence(value: dict[str, Any]) -> str:
    """Return what was written, and what did not fit or was not known."""
    layers, tokens = counted(value["layers"], "layer"), counted(len(value["tokens"]), "token")
    lines = [f"{value['output']}: {layers}, {tokens}"]
    if value["truncated"]:
        lines.append(f"{counted(value['truncated'], 'token')} at the end did not fit the network.")
    if value["unknown"]:
        lines.append(f"Not in the vocabulary: {', '.join(value['unknown'])}")
    return "\n".join(lines)
