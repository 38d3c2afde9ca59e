"""Cached loaders: the only place where the app keeps what it has read."""
