"""Train: a text becomes a model."""
