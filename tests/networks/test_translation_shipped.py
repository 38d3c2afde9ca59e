"""The translators that ship still translate as well as when they were scored."""

import os
from pathlib import Path

import pytest

from embeddings.corpora.labelled import read_sentence_pairs
from embeddings.files import WEIGHTS
from embeddings.networks.decoding import DecodingConfig
from embeddings.networks.encoder_decoder import find_bert
from embeddings.probing.network import open_reader
from embeddings.probing.translator import open_translator, translate
from embeddings.shelf import data, list_models
from embeddings.training.translation.translation_run import bleu

BOUNDS = {"en-de-transformer": 33.0, "en-de-bert-fused": 33.0}  # BLEU of 100 lines, greedy


@pytest.mark.mirror
@pytest.mark.parametrize("name", BOUNDS)
def test_the_first_hundred_lines_of_validation_stay_above_the_bound(name):
    folder = data() / "models" / name
    networks = [entry.path for entry in list_models() if entry.kind == "network"]
    place = find_bert(folder, networks)
    translator = open_translator(folder, None if place is None else open_reader(place))
    texts = Path(os.environ["KLYUCH_MIRROR"]) / "evaluation" / "multi30k"
    pairs = read_sentence_pairs(texts / "val.en", texts / "val.de")
    found = translate(translator, pairs.source[:100], DecodingConfig(beam=1))
    assert bleu([one.target for one in found], pairs.target[:100]).score > BOUNDS[name]


@pytest.mark.mirror
def test_both_weigh_10_megabytes_together():
    sizes = [(data() / "models" / name / WEIGHTS).stat().st_size for name in BOUNDS]
    assert sum(sizes) <= 10_000_000
