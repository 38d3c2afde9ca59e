"""The encoder-decoder Transformer, plain or with BERT fused into it, and its folder. Vaswani et al. (2017); Zhu et al. (2020).

One vocabulary for both languages. Token embeddings times sqrt(hidden_size), plus sinusoidal positions, enter encoder and decoder.
The decoder reads the target behind its BOS token and scores the next token at each position. A fused network attends to BERT's
frozen states as a second memory and starts from the weights of a plain one. The folder holds config.json, model.safetensors,
tokenizer.json and card.json.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from embeddings.configuration import CheckedConfig, check_fields, check_range, setting, to_json
from embeddings.errors import InputError
from embeddings.files import CONFIG, WEIGHTS, read_json, write_json
from embeddings.model_card import verify_card
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.encoder_decoder_layers import (
    ByteDropout,
    LayerCache,
    SourceLayer,
    SourceWeights,
    TargetLayer,
    TargetWeights,
)
from embeddings.networks.fused_attention import Memory, as_memory
from embeddings.networks.huggingface_folder import (
    check_waves,
    fill_network,
    find_named_bert,
    lay_out,
    load_weights,
    read_own_settings,
    read_weights,
)
from embeddings.networks.layers import LayerNorm, TokenLoss, sinusoidal, token_loss
from embeddings.networks.quantized_weights import dequantize_weights, quantize_weights

PAD, UNKNOWN, START, END = 0, 1, 2, 3  # ids of the special tokens, the first of every vocabulary


class TranslationConfig(CheckedConfig):
    """Sizes and switches of an encoder-decoder.

    The defaults are the tiny Transformer that suits some ten thousand sentence pairs.
    """

    model_type: str = setting("translation", "What config.json says this is.")
    vocab_size: int = setting(
        6_000, "Tokens in the vocabulary of both languages.", END + 2, 10_000_000
    )
    hidden_size: int = setting(128, "Hidden size: columns of the states between layers.", 2, 65_536)
    num_hidden_layers: int = setting(4, "Layers of the encoder, and of the decoder.", 1, 1_000)
    num_attention_heads: int = setting(4, "Attention heads of a layer.", 1, 65_536)
    intermediate_size: int = setting(256, "Width inside the feed-forward network.", 1, 1_000_000)
    dropout: float = setting(0.3, "Dropout of embeddings and of each part's output.", 0.0, 0.99)
    attention_dropout: float = setting(0.0, "Dropout of attention weights.", 0.0, 0.99)
    max_position_embeddings: int = setting(
        128, "Longest source or target, in tokens.", 8, 1_000_000
    )
    norm_first: bool = setting(True, "Normalise before each part of a layer, not after.")
    share_embeddings: bool = setting(True, "One token embedding matrix for source and target.")
    tie_word_embeddings: bool = setting(
        True, "Score the vocabulary with the target's embedding matrix."
    )
    bert_size: int = setting(0, "Width of the BERT that is fused in; 0: none.", 0, 65_536)
    drop_net: float = setting(
        1.0, "Drop-net rate: how often only one branch is trained, with BERT.", 0.0, 1.0
    )

    def __post_init__(self) -> None:
        check_fields(self, skip=("num_attention_heads",))  # its bound is another setting
        check_range("num_attention_heads", self.num_attention_heads, 1, self.hidden_size)
        if self.hidden_size % self.num_attention_heads:
            raise InputError(
                "network_heads", hidden_size=self.hidden_size, heads=self.num_attention_heads
            )


class Encoded(NamedTuple):
    """A batch of sources as the decoder needs them: states, BERT's states, and what the encoder attended to."""

    source: Memory
    bert: Memory | None
    weights: tuple[SourceWeights, ...] = ()


class Decoded(NamedTuple):
    """States of the new target positions, caches that hold them, and what each layer attended to."""

    hidden: Tensor
    caches: tuple[LayerCache, ...]
    weights: tuple[TargetWeights, ...] = ()


class TranslationNetwork(nn.Module):
    """Encoder, decoder and the scores of the vocabulary."""

    waves: Tensor

    def __init__(self, config: TranslationConfig) -> None:
        super().__init__()
        self.config = config
        size = config.hidden_size
        self.source_tokens = nn.Embedding(config.vocab_size, size)
        self.target_tokens = nn.Embedding(config.vocab_size, size)
        waves = sinusoidal(config.max_position_embeddings + 1, size)
        self.register_buffer("waves", waves, persistent=False)
        self.dropout = ByteDropout(config.dropout)
        count = config.num_hidden_layers
        self.encoder = nn.ModuleList(SourceLayer(config) for _ in range(count))
        self.decoder = nn.ModuleList(TargetLayer(config) for _ in range(count))
        self.encoder_norm = LayerNorm(size, eps=1e-5) if config.norm_first else nn.Identity()
        self.decoder_norm = LayerNorm(size, eps=1e-5) if config.norm_first else nn.Identity()
        self.scores = nn.Linear(size, config.vocab_size)
        self.tie()

    def tie(self) -> None:
        """Make one of matrices that are shared."""
        if self.config.share_embeddings:
            self.target_tokens = self.source_tokens
        if self.config.tie_word_embeddings:
            self.scores.weight = self.target_tokens.weight

    def encode(
        self, source: Tensor, bert: Memory | None = None, need_weights: bool = False
    ) -> Encoded:
        """Read a batch of sources.

        Parameters
        ----------
        source : LongTensor, shape (batch, tokens)
            Ids, each row closed by `END` and filled up with `PAD`.
        bert : Memory, optional
            Last layer of BERT, shape (batch, BERT's tokens, bert_size), for a fused network.

        Raises
        ------
        InputError
            If a source is longer than ``max_position_embeddings``, or BERT is missing.
        """
        return self.encode_vectors(self.source_tokens(source), source != PAD, bert, need_weights)

    def encode_vectors(
        self, vectors: Tensor, real: Tensor, bert: Memory | None = None, need_weights: bool = False
    ) -> Encoded:
        """Read rows of the token embedding matrix, shape (batch, tokens, hidden_size), or replacements of them.

        ``real``, shape (batch, tokens), is False at padding; the rest is as in `encode`.
        """
        if bert is None and self.config.bert_size:
            raise InputError("translation_needs_bert")
        memory = as_memory(self._embed(vectors), real)
        hidden, weights = memory.states, []
        for layer in self.encoder:
            hidden, attended = layer(hidden, memory.mask, bert, need_weights)
            weights.append(attended)
        states = Memory(self.encoder_norm(hidden), memory.mask)
        return Encoded(states, bert, tuple(weights) if need_weights else ())

    def open(self, encoded: Encoded) -> tuple[LayerCache, ...]:
        """Return the decoder's caches before the first target token."""
        return tuple(layer.open(encoded.source, encoded.bert) for layer in self.decoder)  # type: ignore[operator]

    def decode(
        self, target: Tensor, caches: tuple[LayerCache, ...], need_weights: bool = False
    ) -> Decoded:
        """Run the next target ids, shape (batch, new), behind those that the caches hold."""
        return self.decode_vectors(self.target_tokens(target), caches, need_weights)

    def decode_vectors(
        self, vectors: Tensor, caches: tuple[LayerCache, ...], need_weights: bool = False
    ) -> Decoded:
        """Run rows of the token embedding matrix, shape (batch, new, hidden_size), or replacements of them."""
        past = caches[0].past
        hidden = self._embed(vectors, 0 if past is None else past.keys.shape[2])
        longer, weights = [], []
        for layer, cache in zip(self.decoder, caches, strict=True):
            hidden, grown, attended = layer(hidden, cache, need_weights)
            longer.append(grown)
            weights.append(attended)
        return Decoded(
            self.decoder_norm(hidden), tuple(longer), tuple(weights) if need_weights else ()
        )

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        keep: Tensor,
        answers: Tensor,
        bert: Memory | None = None,
        smoothing: float = 0.0,
    ) -> TokenLoss:
        """Return the loss of a batch.

        Parameters
        ----------
        source, target : LongTensor, shape (batch, tokens)
            The target stands behind `START`.
        keep, answers : LongTensor, shape (kept,)
            Flat positions of the target whose next token counts, and those tokens.
        smoothing : float
            Share of the answer's probability that is spread over the vocabulary.
        """
        hidden = self.decode(target, self.open(self.encode(source, bert))).hidden
        kept = hidden.flatten(0, 1)[keep]
        return token_loss(kept, self.scores.weight, self.scores.bias, answers, smoothing)

    def _embed(self, vectors: Tensor, start: int = 0) -> Tensor:
        """Return embeddings times sqrt(hidden_size), plus waves from position ``start`` on."""
        stop = start + vectors.shape[1]
        if stop > len(self.waves):
            bound = self.config.max_position_embeddings
            raise InputError("network_too_long", tokens=stop, bound=bound)
        hidden = vectors * math.sqrt(self.config.hidden_size) + self.waves[start:stop]
        device = vectors.device.type
        if torch.is_autocast_enabled(device):  # from here on what is added up is bf16 too
            hidden = hidden.to(torch.get_autocast_dtype(device))
        return self.dropout(hidden)


def initialise_translation(network: TranslationNetwork, generator: torch.Generator) -> None:
    """Draw matrices by Glorot's rule, token embedding matrices from N(0, 1 / hidden_size), biases 0.

    Times sqrt(hidden_size) the tables then stand on one level with the waves. Of a matrix of three
    (or two) blocks each block is drawn as the matrix that it is.
    """
    blocks = {"query_key_value": 3, "key_value": 2}
    for name, module in network.named_modules():
        if isinstance(module, nn.Embedding):
            nn.init.normal_(
                module.weight, 0.0, network.config.hidden_size**-0.5, generator=generator
            )
        elif isinstance(module, nn.Linear) and module is not network.scores:
            for block in module.weight.chunk(blocks.get(name.rpartition(".")[2], 1)):
                nn.init.xavier_uniform_(block, generator=generator)
            nn.init.zeros_(module.bias)
    nn.init.zeros_(network.scores.bias)
    if not network.config.tie_word_embeddings:
        nn.init.normal_(
            network.scores.weight, 0.0, network.config.hidden_size**-0.5, generator=generator
        )


def new_translation_network(config: TranslationConfig, seed: int = 1) -> TranslationNetwork:
    """Return a network with fresh weights; the same seed gives the same."""
    network = TranslationNetwork(config)
    with torch.no_grad():
        initialise_translation(network, torch.Generator().manual_seed(seed))
    return network


@torch.inference_mode()
def bert_memory(bert: PretrainingNetwork, input_ids: Tensor, real: Tensor) -> Memory:
    """Return BERT's last layer for a batch of sources.

    Parameters
    ----------
    input_ids : LongTensor, shape (batch, tokens)
        [CLS] source [SEP], in BERT's own tokens.
    real : BoolTensor, shape (batch, tokens)
        False at padding.
    """
    states = bert.encoder(input_ids, attention_mask=real).last
    return as_memory(states, real)


def copy_plain_weights(fused: TranslationNetwork, plain: TranslationNetwork) -> tuple[str, ...]:
    """Give the fused network the weights of the plain one; return the names of those that stay fresh.

    Raises
    ------
    CheckpointError
        If the plain network is of another size, or has a weight that the fused one lacks.
    """
    plain_state = plain.state_dict()
    state = fused.state_dict() | plain_state
    load_weights(fused, state, "warm_start")
    return tuple(name for name in state if name not in plain_state)


def save_translation(
    network: TranslationNetwork, folder: Path, dtype: torch.dtype = torch.float16
) -> None:
    """Write config.json and model.safetensors into an existing folder; int8 is for matrices, a row a scale."""
    copies = _copies(network.config)
    weights = {n: t.detach().cpu() for n, t in network.state_dict().items() if n not in copies}
    state = (
        quantize_weights(weights)
        if dtype == torch.int8
        else {n: t.to(dtype) for n, t in weights.items()}
    )
    state = {name: tensor.contiguous() for name, tensor in state.items()}
    save_file(state, str(folder / WEIGHTS), metadata={"format": "pt"})
    write_json(folder / CONFIG, to_json(network.config))


def open_translation(folder: Path) -> TranslationNetwork:
    """Read a folder, float32, ready to translate (dropout off).

    Raises
    ------
    MissingFileError, CheckpointError, FormatError
        If a file is missing, damaged, of another kind, or does not fit the others.
    """
    verify_card(folder)
    config = read_own_settings(folder, TranslationConfig, "translation")
    check_waves(config.max_position_embeddings + 1, config.hidden_size, folder / CONFIG)
    state: dict[str, Tensor] = dequantize_weights(read_weights(folder / WEIGHTS), folder / WEIGHTS)
    for copy, name in _copies(config).items():
        if name in state:
            state[copy] = state[name]
    network = fill_network(lay_out(lambda: TranslationNetwork(config)), state, folder / WEIGHTS)
    network.tie()
    return network


def find_bert(folder: Path, networks: Iterable[Path]) -> Path | None:
    """Return which of some network folders holds the BERT that a fused model names; None for a plain model.

    Raises
    ------
    CheckpointError
        If none of them does; the sentence says the name and the sha256.
    MissingFileError
        If a fused model has no card.
    """
    is_fused = bool(read_json(folder / CONFIG).get("bert_size"))
    return find_named_bert(folder, networks, "translation_bert_missing") if is_fused else None


def _copies(config: TranslationConfig) -> dict[str, str]:
    """Weights that are the same object as another: name -> where it is stored."""
    source, target = "source_tokens.weight", "target_tokens.weight"
    copies: dict[str, str] = {}
    if config.share_embeddings:
        copies[target] = source
    if config.tie_word_embeddings:
        copies["scores.weight"] = source if config.share_embeddings else target
    return copies
