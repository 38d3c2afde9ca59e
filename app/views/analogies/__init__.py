"""Analogies: a formula of words, its answers, and whole test sets."""
