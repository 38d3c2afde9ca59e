"""Classify: what a classifier says of a text, and which words moved it."""
