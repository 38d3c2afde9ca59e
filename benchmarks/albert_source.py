"""What source S4 and the paper behind it (Lan et al. 2020, table 5) say of BERT and ALBERT: figures to hold ours beside."""

from __future__ import annotations

SHARED = ("all", "attention", "feed_forward", "none")
WIDTHS = (64, 128, 256)
TASKS = ("none", "nsp", "sop")
PUBLISHED = (
    "bert-base",
    "bert-large",
    "albert-base",
    "albert-large",
    "albert-xlarge",
    "albert-xxlarge",
)

SOURCE: dict[str, object] = {
    "parameters_millions": {  # table 6.1
        "bert-base": 108, "bert-large": 334, "albert-base": 12, "albert-large": 18, "albert-xlarge": 60, "albert-xxlarge": 235,
    },
    "throughput_against_bert_large": {
        "bert-base": 4.7, "bert-large": 1.0, "albert-base": 5.6, "albert-large": 1.7, "albert-xlarge": 0.6, "albert-xxlarge": 0.3,
    },
    "sharing": [  # table 8.3, 12 layers, hidden 768
        {"embedding_size": 128, "shared": "all", "parameters_millions": 12},
        {"embedding_size": 128, "shared": "attention", "parameters_millions": 64},
        {"embedding_size": 128, "shared": "feed_forward", "parameters_millions": 38},
        {"embedding_size": 128, "shared": "none", "parameters_millions": 89},
        {"embedding_size": 768, "shared": "all", "parameters_millions": 31},
        {"embedding_size": 768, "shared": "attention", "parameters_millions": 83},
        {"embedding_size": 768, "shared": "feed_forward", "parameters_millions": 57},
        {"embedding_size": 768, "shared": "none", "parameters_millions": 108},
    ],
    "objectives": [  # table 8.4; the row without a sentence task and the MLM column as in Lan et al.
        {"trained_with": "none", "mlm_accuracy": 0.549, "nsp_accuracy": 0.524, "sop_accuracy": 0.533},
        {"trained_with": "nsp", "mlm_accuracy": 0.545, "nsp_accuracy": 0.905, "sop_accuracy": 0.520},
        {"trained_with": "sop", "mlm_accuracy": 0.540, "nsp_accuracy": 0.789, "sop_accuracy": 0.865},
    ],
}  # fmt: skip
