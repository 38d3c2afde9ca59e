"""Scripts of finished research, kept as they ran; those that no longer run are in the history, their results in ``benchmarks/results``."""
