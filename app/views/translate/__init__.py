"""Translate: a sentence translated, and how."""
