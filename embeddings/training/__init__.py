"""The training loop, its optimiser, checkpoints, and what each task asks of it."""
