"""What pages forget when a model has come, gone, or changed its name."""

from __future__ import annotations

from app import network_resources, resources


def renew_shelf() -> None:
    """Forget what was read from the shelf."""
    for loader in (*resources.OF_THE_SHELF, *network_resources.OF_THE_SHELF):
        loader.clear()
