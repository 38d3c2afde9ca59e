"""Lab: what was measured, held against the sources."""
