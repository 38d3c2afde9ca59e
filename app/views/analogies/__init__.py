"""Analogies: a formula of words, its answers, and whole sets of questions."""
