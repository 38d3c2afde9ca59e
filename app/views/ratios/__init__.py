"""Ratios: co-occurrence ratios of two words over many."""
