"""Table 1 of the GloVe paper, by its signs, on English Wikipedia."""

import os
from pathlib import Path

import pytest

from embeddings.analysis.cooccurrence_ratios import ratios
from embeddings.corpora.encoded_corpus import EncodingConfig, encode
from embeddings.static.cooccurrence import count_cooccurrences
from embeddings.static.glove import GloveConfig, train_glove
from embeddings.static.glove_folder import cooccurrence_table


@pytest.mark.slow
@pytest.mark.mirror
@pytest.mark.timeout(900)
def test_solid_is_near_ice_and_gas_near_steam(tmp_path):
    folder = Path(os.environ["KLYUCH_MIRROR"]) / "corpora"
    sources = [folder / f"en_wikipedia.{part}.txt.xz" for part in (1, 2)]
    corpus = encode(sources, tmp_path, EncodingConfig(min_count=20))
    counts = count_cooccurrences(corpus)
    model = train_glove(counts, corpus.vocabulary, GloveConfig(iterations=25))
    words = ["ice", "steam", "solid", "gas", "water", "fashion"]
    table = cooccurrence_table(counts, model, corpus.vocabulary, words)
    solid, gas, water, fashion = ratios(table, "ice", "steam", words[2:]).rows
    assert solid.ratio > 1.5
    assert gas.ratio < 1 / 1.5
    assert 0.5 < water.ratio < 2
    assert gas.ratio < min(water.ratio, fashion.ratio)
    assert solid.predicted_ratio > 1 > gas.predicted_ratio
