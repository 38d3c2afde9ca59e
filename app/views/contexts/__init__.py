"""Contexts: a word in many sentences, its senses layer by layer."""
