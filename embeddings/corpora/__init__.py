"""Texts as they are kept: files read, corpora as ids, contexts of a word, labelled and parallel text, concordances."""
