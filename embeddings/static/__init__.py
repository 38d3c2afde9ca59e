"""One vector per word: Word2Vec and GloVe with compiled inner loops."""
