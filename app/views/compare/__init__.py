"""Compare: two models on the same words."""
