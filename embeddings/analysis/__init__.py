"""Neighbours, analogies, senses and scores: computed from vectors with numpy."""
