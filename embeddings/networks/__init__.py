"""Transformers: attention, layers, BERT, ALBERT, ModernBERT, the encoder-decoder, and folders that Hugging Face's library opens too."""
