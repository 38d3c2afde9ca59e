"""Translators with fresh weights, written as folders."""

import torch

from embeddings.networks.encoder_decoder import TranslationConfig, new_translation_network
from embeddings.text.subwords import train_subwords
from embeddings.training.translation.translation_run import export_translator

SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 61,
}


def write_translator(folder, texts, size, seed=1, card=None, **settings):
    """Write a translator whose vocabulary of at most ``size`` tokens is learned from ``texts``; return its folder."""
    vocabulary = train_subwords([*texts] * 4, size)
    config = TranslationConfig(vocab_size=len(vocabulary), **{**SIZES, **settings})
    network = new_translation_network(config, seed)
    with torch.no_grad():
        for weights in network.parameters():
            weights.mul_(2.5)  # wide, so that heads and candidates differ
    about = {"kind": "translation", "method": "transformer", "language": "en-de"}
    export_translator(network, vocabulary, folder, about | (card or {}))
    return folder
