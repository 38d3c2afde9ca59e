"""What pages forget when a model has come, gone, or changed its name."""

from __future__ import annotations

from app.loaders import network_answers, shelf_models


def renew_shelf() -> None:
    """Forget what was read from the shelf."""
    for loader in (*shelf_models.OF_THE_SHELF, *network_answers.OF_THE_SHELF):
        loader.clear()
