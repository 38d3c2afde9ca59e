"""What the view says, in English; the page hands over the same keys in the reader's language."""

from __future__ import annotations

LABELS: dict[str, str] = {
    "layer": "Layer",
    "head": "Head",
    "average": "average",
    "rollout": "rollout",
    "lines": "Lines",
    "matrix": "Matrix",
    "grid": "All heads",
    "views": "How it is drawn",
    "from": "looks",
    "to": "is looked at",
    "keys": "With the keyboard: arrows change head and layer, Tab goes on into the picture.",
    "hover_lines": "Point at a word to see only its lines; a click holds it.",
    "hover_matrix": "Rows look, columns are looked at. Point at a cell to read its weight.",
    "hover_grid": "A row a layer, a column a head. The darkest shade is each picture's own largest weight; a click opens it.",
    "strongest": "The strongest {shown} of {all} lines are drawn; point at a word to see all of its own.",
    "scale": "weight",
    "save": "Save the picture as",
    "waiting": "Fetching this head …",
    "nothing": "Nothing is left to draw: choose another filter.",
    "previous": "previous",
    "following": "next",
    "itself": "itself",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "broad": "broad",
    "bits": "entropy {entropy} bits, {distance} tokens away on average",
}
