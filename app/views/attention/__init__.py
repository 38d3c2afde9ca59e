"""Attention: what each head of a network looks at."""
