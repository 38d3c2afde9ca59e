"""Scripts of finished research, kept as they ran: their results stand in ``benchmarks/results`` and docs/results.md."""
