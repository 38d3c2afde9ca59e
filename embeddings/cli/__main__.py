"""``python -m embeddings.cli`` is ``klyuch``."""

from embeddings.cli import main

main()
