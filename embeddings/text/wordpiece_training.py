"""Learn a WordPiece vocabulary: one cased vocabulary for several languages, from a balanced sample of their texts.

Decisions: NFC, so that й, ё and ö stay one letter; no lower-casing and no stripping of accents,
except stress marks on Cyrillic vowels and soft hyphens, which are typography; all of it is in
``tokenizer.json``, so that every program that opens the folder gives our ids.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

from embeddings.configuration import CheckedConfig, setting
from embeddings.errors import InputError
from embeddings.text.tokenizer import CLS, SEP, SPECIAL, STRESS, UNK, Tokenizer


class WordPieceConfig(CheckedConfig):
    """Settings of `train_wordpiece`."""

    vocab_size: int = setting(
        32_000,
        "Tokens, special ones included; every letter is one, alone and as ##tail.",
        len(SPECIAL) + 1,
        1_000_000,
    )
    min_frequency: int = setting(
        2, "Minimum count of a pair that is merged into one token.", 1, 1_000_000
    )
    limit_alphabet: int = setting(
        600, "Number of letters, the most frequent; the rest is [UNK].", 1, 100_000
    )
    sample_mb: float = setting(30.0, "Million characters sampled from each language.", 1e-6, 1e6)


def untrained() -> tokenizers.Tokenizer:
    """Return the pipeline before training: normalisation, words and punctuation, [CLS] A [SEP] B [SEP]."""
    tokenizer = tokenizers.Tokenizer(
        models.WordPiece(vocab={}, unk_token=UNK, max_input_chars_per_word=100)
    )
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Replace(Regex(STRESS), ""),
            normalizers.Replace("ѐ", "е"),
            normalizers.Replace("ѝ", "и"),
            normalizers.Replace("\u00ad", ""),
            normalizers.BertNormalizer(
                clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False
            ),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    return tokenizer


def train_wordpiece(texts: Iterable[str], config: WordPieceConfig) -> Tokenizer:
    """Learn a vocabulary from an iterable of paragraphs (see `balanced_sample`).

    The same paragraphs give the same tokens in the same order. The library by itself numbers tails in an
    order of chance, and equally frequent pairs join by number: so letters and tails are handed to it in order.
    """
    texts = list(texts)
    letters, tails = alphabet(texts, config.limit_alphabet)
    tokenizer = untrained()
    trainer = trainers.WordPieceTrainer(
        vocab_size=config.vocab_size,
        min_frequency=config.min_frequency,
        initial_alphabet=letters,
        limit_alphabet=len(letters),
        special_tokens=[*SPECIAL, *(f"##{letter}" for letter in tails)],
        continuing_subword_prefix="##",
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() <= len(SPECIAL):
        raise InputError("wordpiece_no_text")
    # training leaves the model's own settings at their defaults: say them again, then the pair template
    state = json.loads(tokenizer.to_str())
    state["model"].update(unk_token=UNK, max_input_chars_per_word=100)
    state["added_tokens"] = [
        token for token in state["added_tokens"] if token["content"] in SPECIAL
    ]
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(state, ensure_ascii=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}",
        pair=f"{CLS} $A {SEP} $B:1 {SEP}:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (CLS, SEP)],
    )
    return Tokenizer(tokenizer)


def alphabet(texts: Iterable[str], limit: int) -> tuple[list[str], list[str]]:
    """Return the ``limit`` most frequent letters in order, and those of them that stand inside a word.

    Of two that are equally frequent the one that comes first in Unicode is kept.
    """
    pipeline = untrained()
    counts: Counter[str] = Counter()
    inside: set[str] = set()
    for text in texts:
        plain = pipeline.normalizer.normalize_str(text)
        counts.update(plain)
        for word, _ in pipeline.pre_tokenizer.pre_tokenize_str(plain):
            inside.update(word[1:])
    kept = sorted((c for c in counts if not c.isspace()), key=lambda c: (-counts[c], c))[:limit]
    return sorted(kept), sorted(inside.intersection(kept))


class LanguageText(NamedTuple):
    """A text of one language; ``characters`` is the total of its paragraphs."""

    language: str
    paragraphs: Iterable[str]
    characters: int


def balanced_sample(files: Sequence[LanguageText], quota: float) -> Iterator[str]:
    """Yield about ``quota`` characters a language, spread evenly over all of its paragraphs.

    Parameters
    ----------
    files : sequence of LanguageText
        A language with less than ``quota`` characters in all gives everything.
    quota : float
        Characters from each language.
    """
    totals: dict[str, int] = {}
    for language, _, size in files:
        totals[language] = totals.get(language, 0) + size
    for language, paragraphs, _ in files:
        share = min(1.0, quota / max(1, totals[language]))
        read = kept = 0.0
        for paragraph in paragraphs:
            read += len(paragraph)
            if kept < share * read:
                kept += len(paragraph)
                yield paragraph
