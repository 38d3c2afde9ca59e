"""Counting and training over the workers of a Dask cluster: what one machine does, over shards, merged in their order."""
