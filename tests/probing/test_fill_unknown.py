"""Fill the blank: a word that the vocabulary lacks has no probability of its own."""

from embeddings.probing.fill_mask import fill
from embeddings.probing.network import open_reader


def test_a_word_that_the_vocabulary_lacks_has_no_probability_not_that_of_unk(tiny_bert):
    found = fill(open_reader(tiny_bert), "Старик [MASK].", 1, words=["银行", "и"])
    assert [asked.word for asked in found.masks[0].requested] == ["и"]
    assert found.unknown == ("银行",)
