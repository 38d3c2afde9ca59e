"""Numbers in the cells of the attention matrix are read in both themes, however dark the cell."""

import pytest

from app.figures.palette import DARK, GROUNDS, LIGHT
from embeddings.attention_view.drawing import DRAWING
from tests.app.figure_contrast import blend, contrast, parse_colour

SHARES = (0.74, 0.78)  # of a sentence's colour, the rest ink: view.css


def mixed(colour, ink, share):
    """What the style sheet's color-mix gives."""
    red, green, blue = parse_colour(colour)[0]
    return blend(f"rgba({red}, {green}, {blue}, {share})", ink)


@pytest.mark.parametrize("ink", [DARK, LIGHT])
@pytest.mark.parametrize("segment", [0, 1])
def test_the_ink_is_read_on_every_shade_of_a_numbered_cell(ink, segment):
    colour = mixed(DRAWING.segments[segment], ink, SHARES[segment])
    red, green, blue = parse_colour(colour)[0]
    for step in range(101):
        opacity = DRAWING.numbered * step / 100
        cell = blend(f"rgba({red}, {green}, {blue}, {opacity})", GROUNDS[ink])
        assert contrast(ink, cell) >= 4.5
