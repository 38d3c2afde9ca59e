"""Bricks of a Transformer that know no model."""
