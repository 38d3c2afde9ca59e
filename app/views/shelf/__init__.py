"""Shelf: models and corpora, their cards, files and scores."""
