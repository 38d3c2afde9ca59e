"""Networks by name that are known to fit: of families that open here, published with safe weights, in the languages of the pages."""

from __future__ import annotations

from embeddings.results.hub_networks import SuggestedNetwork

MULTILINGUAL = "multilingual"  # some hundred languages, those of the pages among them

SUGGESTIONS = (
    SuggestedNetwork("google-bert/bert-base-uncased", ("en",), "BERT", 12, 768),
    SuggestedNetwork("google-bert/bert-base-cased", ("en",), "BERT", 12, 768),
    SuggestedNetwork("distilbert/distilbert-base-uncased", ("en",), "DistilBERT", 6, 768),
    SuggestedNetwork("FacebookAI/roberta-base", ("en",), "RoBERTa", 12, 768),
    SuggestedNetwork("albert/albert-base-v2", ("en",), "ALBERT", 12, 768),
    SuggestedNetwork("jhu-clsp/ettin-encoder-17m", ("en",), "ModernBERT", 7, 256),
    SuggestedNetwork("jhu-clsp/ettin-encoder-32m", ("en",), "ModernBERT", 10, 384),
    SuggestedNetwork("cointegrated/rubert-tiny2", ("ru",), "BERT", 3, 312),
    SuggestedNetwork("cointegrated/rubert-tiny", ("ru", "en"), "BERT", 3, 312),
    SuggestedNetwork("google-bert/bert-base-german-cased", ("de",), "BERT", 12, 768),
    SuggestedNetwork("distilbert/distilbert-base-german-cased", ("de",), "DistilBERT", 6, 768),
    SuggestedNetwork("google-bert/bert-base-multilingual-cased", (MULTILINGUAL,), "BERT", 12, 768),
    SuggestedNetwork(
        "distilbert/distilbert-base-multilingual-cased", (MULTILINGUAL,), "DistilBERT", 6, 768
    ),
    SuggestedNetwork("FacebookAI/xlm-roberta-base", (MULTILINGUAL,), "XLM-RoBERTa", 12, 768),
)
