"""Small texts that have what makes counting hard."""

import random


def a_text(seed, lines=400):
    """Lines of words of uneven frequency in three alphabets, with blank lines, Windows ends, marks to compose and no last line end."""
    draw = random.Random(seed)
    words = ["ключ", "Straße", "the", "KEY", "за\u0301мок", "don't", "1914-1918", "naive", "Schloß"]
    words += [f"w{number}" for number in range(300)]
    made = []
    for _ in range(lines):
        line = " ".join(
            words[int(draw.random() ** 3 * len(words))] for _ in range(draw.randrange(12))
        )
        made.append(line + draw.choice(["\n", "\n", "\r\n", " nai\u0308ve\n"]))
    return "".join(made).rstrip("\n").encode()
