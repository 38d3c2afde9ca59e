"""Bricks assembled: BERT, ALBERT, their heads, and folders that Hugging Face's library opens too."""
