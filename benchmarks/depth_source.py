"""What source S1 printed in its tables 2 and 3: the configurations (layers, hidden size) and what they came to."""

from __future__ import annotations

TABLES = {
    "equal_parameters": ((1, 110), (2, 102), (3, 96), (4, 90)),
    "equal_operations": ((1, 110), (2, 104), (3, 98), (4, 94)),
}
SOURCE = {
    "corpus": "WikiSplit",
    "pairs": 500_000,
    "epochs": 10,
    "equal_parameters": [
        {
            "layers": 1,
            "hidden_size": 110,
            "nsp_accuracy": 0.66,
            "total_loss": 9.22,
            "minutes": 30.7,
        },
        {
            "layers": 2,
            "hidden_size": 102,
            "nsp_accuracy": 0.63,
            "total_loss": 9.25,
            "minutes": None,
        },
        {"layers": 3, "hidden_size": 96, "nsp_accuracy": 0.74, "total_loss": 9.14, "minutes": None},
        {"layers": 4, "hidden_size": 90, "nsp_accuracy": 0.77, "total_loss": 9.09, "minutes": 51.3},
    ],
    "equal_operations": [
        {"layers": 1, "hidden_size": 110, "nsp_accuracy": 0.64, "minutes": 30.0},
        {"layers": 2, "hidden_size": 104, "nsp_accuracy": 0.66, "minutes": 30.0},
        {"layers": 3, "hidden_size": 98, "nsp_accuracy": 0.68, "minutes": 30.0},
        {"layers": 4, "hidden_size": 94, "nsp_accuracy": 0.74, "minutes": 30.0},
    ],
}
