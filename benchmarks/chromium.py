"""The browser that measurements of the pages open."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser."""
    named = os.environ.get("KLYUCH_BROWSER")
    path = named or next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()
