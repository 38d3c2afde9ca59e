"""Change: what changed between two texts."""
