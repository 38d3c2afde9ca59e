"""The Jacobian lens: a layer's state, mapped to the last layer by the mean Jacobian between the two, and then read by the MLM head.

    p_l = softmax(head(J_l (h_l - m_l) + m_L)), J_l the mean of dh_L / dh_l, m_l the mean state of layer l, all at masked positions

The logit lens (nostalgebraist 2020) reads h_l as it is, though layers write into directions of their own. The mean Jacobian is the first
order of what the layers above do at the same position; what they do with other positions is left out. A lens belongs to one network and
is computed once: it ships in the network's folder, or is kept in the user's own folder under the sha256 of the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from embeddings.arrays import Float32s, Float64s
from embeddings.errors import CheckpointError, InputError, refusals
from embeddings.files import WEIGHTS, atomic_file, home, sha256
from embeddings.networks.bert_config import NetworkConfig
from embeddings.networks.huggingface_folder import LENS
from embeddings.probing.context_states import TokenSpan
from embeddings.probing.fill_mask import layer_states, token_head
from embeddings.probing.network import Network, in_batches, pad, products_a_token
from embeddings.probing.sentence_answers import Lens
from embeddings.results import Report
from embeddings.vectors.packed_arrays import check_numbers, check_shapes

LENSES = "lenses"
POSITIONS, MIN_POSITIONS = 210, 8  # that Jacobians are averaged over
HELDOUT_POSITIONS = 120  # that agreement is measured on
TEXT_TOKENS = 20  # of a sentence, about
WORK = 5e13  # products in all, some minutes on two cores: a network of BERT-base's size has 38 positions
SENTENCES_AT_A_TIME = 16


def weights_digest(reader: Network) -> str:
    """Return the sha256 of a network's file of weights; "" of a network that comes from no such file."""
    path = reader.folder / WEIGHTS if reader.folder else None
    return sha256(path) if path and path.is_file() else ""


def stored_lens(reader: Network) -> Lens:
    """Return the lens of a network: the one in its folder, or the one that was computed here.

    Raises
    ------
    InputError
        If there is none, or only those of other weights.
    CheckpointError
        If its file is damaged.
    """
    digest = weights_digest(reader)
    if digest and reader.folder:
        for path in (reader.folder / LENS, own_path(digest)):
            if path.is_file() and (lens := read_lens(path, reader.config, digest)) is not None:
                return lens
    raise InputError("lens_none", name=reader.name)


def own_path(digest: str) -> Path:
    """Return where the lens of the weights with this sha256 is kept for the user."""
    return home() / LENSES / f"{digest}.safetensors"


def read_lens(path: Path, config: NetworkConfig, digest: str) -> Lens | None:
    """Read the lens of a network of this shape and sha256 of the weights; None if it belongs to other weights.

    Raises
    ------
    CheckpointError
        If the file is damaged.
    """
    layers, size = config.num_hidden_layers, config.hidden_size
    shapes = {"jacobians": (layers, size, size), "means": (layers + 1, size)}
    shapes |= {"kl": (2, layers), "same": (2, layers)}
    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            if about["weights"] != digest:
                return None
            arrays = {name: file.get_tensor(name).astype(np.float32) for name in shapes}
        check_shapes(arrays, **shapes)
        for name, array in arrays.items():
            check_numbers(name, array, -3.4e38, 3.4e38)  # finite
        return Lens(
            **arrays,
            positions=int(about["positions"]),
            heldout_positions=int(about["heldout_positions"]),
            weights=digest,
        )
    except (SafetensorError, LookupError, ValueError, TypeError) as error:
        raise CheckpointError("lens_damaged", path=path, reason=error) from error


def write_lens(lens: Lens, path: Path) -> None:
    """Write a lens, the Jacobians as float16; a full disk is an `InputError`."""
    tensors = {"jacobians": np.ascontiguousarray(lens.jacobians, np.float16)}
    tensors |= {name: np.ascontiguousarray(getattr(lens, name)) for name in ("means", "kl", "same")}
    about = {n: str(getattr(lens, n)) for n in ("weights", "positions", "heldout_positions")}
    with refusals(), atomic_file(path) as new:
        save_file(tensors, new, about)


def fit_lens(
    reader: Network, texts: Sequence[str], heldout: Sequence[str], report: Report | None = None
) -> Lens:
    """Average Jacobians over texts, a masked token in each, and measure on other texts how far both lenses agree with the last layer.

    Parameters
    ----------
    texts, heldout : sequence of str
        As many are read as the size of the network allows, at most `POSITIONS` and `HELDOUT_POSITIONS`.
    report : callable, optional
        Called with `Progress` in texts.

    Raises
    ------
    InputError
        If the network has no MLM head, or is so large that fewer than `MIN_POSITIONS` can be computed.
    """
    token_head(reader)
    size = reader.config.hidden_size
    affordable = int(WORK / (TEXT_TOKENS * size * products_a_token(reader.config)))
    if affordable < MIN_POSITIONS:
        raise InputError("lens_large", name=reader.name, positions=affordable, bound=MIN_POSITIONS)
    masked = _masked(reader, texts, min(POSITIONS, affordable))
    if not masked:
        raise InputError("lens_texts", name=reader.name)
    jacobians = np.zeros((reader.config.num_hidden_layers, size, size))
    means = np.zeros((reader.config.num_hidden_layers + 1, size))

    def ask(rows: list[int]) -> tuple[Float32s, Float32s]:
        return _summed_jacobians(reader, [masked[row] for row in rows])

    lengths = [len(m.tokens.ids) for m in masked]
    for _, (slopes, states) in in_batches(reader, lengths, SENTENCES_AT_A_TIME, ask, report):
        jacobians += slopes
        means += states
    lens = Lens(
        (jacobians / len(masked)).astype(np.float16).astype(np.float32),  # as it is stored
        (means / len(masked)).astype(np.float32),
        *_agreement(reader, None, []),
        len(masked),
        0,
        weights_digest(reader),
    )
    others = _masked(reader, heldout, HELDOUT_POSITIONS)
    raw, mapped = _agreement(reader, None, others), _agreement(reader, lens, others)
    kl, same = (np.stack(pair) for pair in zip(raw, mapped, strict=True))
    return replace(lens, kl=kl, same=same, heldout_positions=len(others))


def _masked(reader: Network, texts: Sequence[str], most: int) -> list[TokenSpan]:
    """Mask one token of each text, drawn with a fixed seed; texts that the network cannot take whole are left out."""
    chance = np.random.default_rng(1)
    masked: list[TokenSpan] = []
    for text in texts:
        tokens = reader.wordpiece.encode(text)
        places = [i for i, (_, end) in enumerate(tokens.offsets) if end]
        if places and len(tokens.ids) <= reader.longest and len(masked) < most:
            at = int(chance.choice(places))
            ids = (*tokens.ids[:at], reader.wordpiece.mask_id, *tokens.ids[at + 1 :])
            masked.append(TokenSpan(replace(tokens, ids=ids), (at,)))
    return masked


def _summed_jacobians(reader: Network, masked: Sequence[TokenSpan]) -> tuple[Float32s, Float32s]:
    """Return Jacobians and states at the masks, summed over texts: (layers, hidden, hidden) and (layers + 1, hidden)."""
    with torch.enable_grad():
        ids, segments, real = pad(reader, [m.tokens for m in masked])
        flat = [row * ids.shape[1] + m.positions[0] for row, m in enumerate(masked)]
        keep = torch.tensor(flat, device=ids.device)
        output = reader.network.encoder(ids, segments, real, need_states=True, keep=keep)
        below, last = output.hidden_states[:-1], output.last
        rows = []
        for column in range(last.shape[-1]):  # row ``column`` of each Jacobian: one backward pass
            slopes = torch.autograd.grad(last[:, column].sum(), below, retain_graph=True)
            rows.append(torch.stack([slope.flatten(0, 1)[keep].sum(0) for slope in slopes]))
        states = [h.detach().flatten(0, 1)[keep].sum(0) for h in below] + [last.detach().sum(0)]
    return torch.stack(rows, 1).cpu().numpy(), torch.stack(states).cpu().numpy()


def _agreement(
    reader: Network, lens: Lens | None, masked: Sequence[TokenSpan]
) -> tuple[Float32s, Float32s]:
    """Return KL(last layer, layer l) in nats and the share of equal first guesses, each a mean over texts, shape (layers,)."""
    head = token_head(reader)
    layers = reader.config.num_hidden_layers
    kl, same = np.zeros(layers), np.zeros(layers)

    def ask(rows: list[int]) -> tuple[Float64s, Float64s]:
        with torch.inference_mode():
            states = layer_states(reader, [masked[row] for row in rows], lens=lens)
            logs = torch.stack([head(h).float().log_softmax(-1) for h in states]).double()
            apart = (logs[-1].exp() * (logs[-1] - logs[:-1])).sum((-1, -2))
            equal = (logs[:-1].argmax(-1) == logs[-1].argmax(-1)).double().sum(-1)
        return apart.cpu().numpy(), equal.cpu().numpy()

    lengths = [len(sentence.tokens.ids) for sentence in masked]
    for _, (apart, equal) in in_batches(reader, lengths, SENTENCES_AT_A_TIME, ask):
        kl += apart / len(masked)
        same += equal / len(masked)
    return kl.astype(np.float32), same.astype(np.float32)
