"""BLEU by sacrebleu, with the signature that says how it was counted."""

from __future__ import annotations

from collections.abc import Sequence

from embeddings.optional import optional
from embeddings.results.network_answers import BleuScore


def bleu(translations: Sequence[str], references: Sequence[str]) -> BleuScore:
    """Score translations against one reference each.

    Returns
    -------
    BleuScore
        ``score``: cased, detokenised text, tokenised by 13a (Post 2018). ``lower_score``: the same with all
        letters lowered, which comes near what papers on Multi30k report.
    """
    with optional():
        from sacrebleu.metrics.bleu import BLEU

    cased, lowered = BLEU(), BLEU(lowercase=True)
    first = cased.corpus_score(list(translations), [list(references)])
    second = lowered.corpus_score(list(translations), [list(references)])
    return BleuScore(
        float(first.score),
        str(cased.get_signature()),
        float(second.score),
        str(lowered.get_signature()),
        len(translations),
    )
