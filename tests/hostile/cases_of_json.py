"""Cards and lists that break who reads them later."""

from tests.hostile.hostile_inputs import CASES, DEEP, NESTED, case, put


def shelf_with(card):
    """What writes a home with one model whose card is given, and a sound one."""

    def write(folder):
        put(folder / "models" / "hostile" / "card.json", card)
        return folder

    return write


CARDS = {
    "deep": '{"kind": "static", "corpus": ' + DEEP + "}",
    "nested_975": NESTED,
    "list": "[]",
    "number": "9" * 5000,
    "large_number": '{"kind": "static", "settings": {"words": %s}}' % ("9" * 30),
    "surrogate": '{"kind": "static", "method": "\\ud800"}',
    "not_utf8": b'{"kind": "\xff"}',
    "empty": b"",
    "types": {
        "kind": "static",
        "corpus": [[]],
        "origin": "x",
        "scores": {"a": {"accuracy": "x", "covered": []}, "b": [], "c": 1e400},
        "settings": "x",
        "files": {"../x": 1, "": None, "a\0b": [], ".": {}, "..": 1},
        "language": {"a": 1},
        "created": [1],
        "method": ["x"] * 1000,
        "network": [],
    },
    "kind": {"kind": ["static"]},
    "whatever": {"kind": "whatever"},
    "large": '{"a": "' + "x" * (5 << 20) + '"}',
}
for name, card in CARDS.items():
    CASES[f"card_{name}"] = ("shelf", shelf_with(card))


@case("shelf")
def card_that_is_a_folder(folder):
    (folder / "models" / "hostile" / "card.json").mkdir(parents=True)
    return folder


@case("associations")
def association_lists_nested_without_end(folder):
    return put(folder / "a.toml", "X = " + "[" * 100_000)
