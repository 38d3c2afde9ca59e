"""One script a page: read inputs, ask, draw, explain."""
