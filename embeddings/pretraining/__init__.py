"""Text to examples: documents, prepared ids, sentence pairs, packed rows, masks."""
