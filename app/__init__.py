"""The pages in the browser: widgets, figures and sentences over `embeddings`."""
