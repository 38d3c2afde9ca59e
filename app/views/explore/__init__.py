"""Explore: nearest words, a list of words, words on a map, pairs."""
