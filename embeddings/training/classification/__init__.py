"""Fine-tuning for sentence classification: its task and its run."""
