"""States, senses, substitutes and attention of a network: torch in, numpy out."""
