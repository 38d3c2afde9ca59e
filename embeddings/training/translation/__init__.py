"""Training an encoder-decoder: its pairs, its task and its run."""
