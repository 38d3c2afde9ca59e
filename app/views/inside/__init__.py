"""Inside: every array on a sentence's way through an encoder or a decoder."""
