"""Associations: pairs, the odd one out, an axis between two poles, a list each with each, association tests."""
