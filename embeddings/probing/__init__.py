"""Questions asked of a network: its states, senses, substitutes, attention. torch in, numpy out."""
