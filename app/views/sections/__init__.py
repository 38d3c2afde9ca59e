"""Parts of pages that are long enough to stand alone."""
