"""Which words of a source, and which earlier words of a translation, moved each word of it, so that they add up to its log p.

Integrated gradients and occlusion (`embeddings.probing.attribution`) over the rows of the token embedding matrices of
encoder and decoder at once. The baseline's rows are 0 (Sundararajan et al. 2017, section 4): positions without words. The source's EOS
token and the target's BOS token stay as they are. A fused network reads the source a second time through BERT, whose baseline is
[MASK] in the place of each token; what a word adds there is part of what it adds.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from embeddings.networks.decoding import DecodingConfig, decoding, next_log_probabilities, search
from embeddings.networks.encoder_decoder import END, START
from embeddings.networks.fused_attention import Memory, as_memory
from embeddings.probing.attention_answers import Side
from embeddings.probing.attention_weights import words_of
from embeddings.probing.attribution import (
    TOLERANCE,
    Answer,
    Path,
    RowGroup,
    TensorRows,
    attribute_groups,
    masked_path,
)
from embeddings.probing.network import Network, all_real
from embeddings.probing.translation_answers import TranslationAttribution
from embeddings.probing.translator import Translator, attention_of, encode, one_text

MIN_POINTS = 65  # points of the path that are always allowed: those of its parts, each halved once
POINTS = 1536  # points times words of the translation, each of which has a gradient of its own


def attribute_translation(
    translator: Translator,
    text: str,
    config: DecodingConfig | int | None = None,
    tolerance: float = TOLERANCE,
) -> TranslationAttribution:
    """Translate a sentence and return what each of its words, and each earlier word of the translation, adds to each word.

    Parameters
    ----------
    translator : Translator
    text : str
        One sentence that the network can read at once.
    config : DecodingConfig or int, optional
        Of the beam search; a number is the width of the beam.
    tolerance : float, default 0.05
        Nats that the largest residual may have; it is what it is at the largest number of points, which is the smaller, the longer
        the translation.

    Raises
    ------
    InputError
        If the text is empty, or longer than the network takes at once.

    References
    ----------
    Sundararajan et al. (2017), "Axiomatic Attribution for Deep Networks", section 3.
    """
    (piece,), encoded = encode(translator, [one_text(translator, text)])
    best = search(translator.network, encoded, decoding(config))[0].best
    attention = attention_of(translator, text, best)
    output_ids = best.outputs
    source, target, bert = attention.source_side, attention.target_side, attention.bert_side
    path = _path(translator, (*piece.ids, END), (START, *output_ids[:-1]), piece.text)
    groups = [*_source_groups(source, bert), *_target_groups(target, bert is not None)]
    answer = _answer_of(translator, output_ids, target)
    most = max(MIN_POINTS, POINTS // len(target.word_labels))
    attributions = attribute_groups(answer, path, groups, tolerance, most)
    columns = len(words_of(source))
    return TranslationAttribution(
        attention.source,
        attention.target,
        tuple(source.word_labels[number] for number, _ in words_of(source)),
        target.word_labels,
        attributions.answers,
        attributions.baselines,
        attributions.residuals,
        attributions.gradients[:, :columns],
        attributions.occlusions[:, :columns],
        attributions.gradients[:, columns:],
        attributions.occlusions[:, columns:],
        attributions.steps,
    )


def _answer_of(translator: Translator, output_ids: Sequence[int], target: Side) -> Answer:
    """Return what gives log p of each word of a translation, from rows for encoder, decoder and BERT."""
    network, device = translator.network, translator.device
    ids, words = (torch.tensor(each, device=device) for each in (output_ids, target.words))

    def answer(rows: TensorRows) -> Tensor:
        memory = None if translator.bert is None else _bert_memory(translator.bert, rows[2])
        encoded = network.encode_vectors(rows[0], all_real(rows[0]), memory)
        hidden = network.decode_vectors(rows[1], network.open(encoded)).hidden
        logs = next_log_probabilities(network, hidden)
        of_tokens = logs.gather(-1, ids.expand(len(logs), -1)[..., None])[..., 0]
        sums = of_tokens.new_zeros(len(logs), len(target.word_labels))
        return sums.index_add(1, words, of_tokens)

    return answer


def _bert_memory(bert: Network, rows: Tensor) -> Memory:
    """Return BERT's last layer for rows of its token embedding matrix."""
    return as_memory(bert.network.encoder.from_vectors(rows).last, all_real(rows))


def _path(translator: Translator, source: Sequence[int], target: Sequence[int], text: str) -> Path:
    """Return the way from no words to all words, of encoder, decoder and, if it is fused in, BERT."""
    network, device = translator.network, translator.device
    with torch.no_grad():
        source_rows = network.source_tokens(torch.tensor(source, device=device))
        target_rows = network.target_tokens(torch.tensor(target, device=device))
    no_source, no_target = torch.zeros_like(source_rows), torch.zeros_like(target_rows)
    no_source[-1], no_target[0] = source_rows[-1], target_rows[0]
    starts, ends = [no_source, no_target], [source_rows, target_rows]
    if translator.bert is not None:
        wordpiece = translator.bert.wordpiece
        table = translator.bert.network.encoder.inputs.tokens
        ids = wordpiece.encode(text).ids
        fixed = [i in (wordpiece.cls_id, wordpiece.sep_id) for i in ids]
        masked = masked_path(table, ids, fixed, wordpiece.mask_id)
        starts += masked.start
        ends += masked.end
    return Path(tuple(starts), tuple(ends))


def _source_groups(source: Side, bert: Side | None) -> list[RowGroup]:
    """Return the tokens of each word of the source; BERT's tokens are those of the word with which they share most characters."""
    words = [positions for _, positions in words_of(source)]
    if bert is None:
        return [(tuple(positions), ()) for positions in words]
    spans = [(source.offsets[p[0]][0], source.offsets[p[-1]][1]) for p in words]
    of_bert: list[list[int]] = [[] for _ in words]
    for position, (start, end) in enumerate(bert.offsets):
        if not bert.special[position]:
            shared = [min(end, last) - max(start, first) for first, last in spans]
            of_bert[shared.index(max(shared))].append(position)
    return [
        (tuple(positions), (), tuple(rows)) for positions, rows in zip(words, of_bert, strict=True)
    ]


def _target_groups(target: Side, fused: bool) -> list[RowGroup]:
    """Return where the decoder reads each word of the target: a position behind where it writes it."""
    last = len(target.words) - 1
    positions: list[list[int]] = [[] for _ in target.word_labels]
    for position, number in enumerate(target.words[:last]):
        positions[number].append(position + 1)
    return [((), tuple(rows), ())[: 2 + fused] for rows in positions]
