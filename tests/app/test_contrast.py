"""Texts are read on what lies behind them, in both themes.

Every figure that any test of a page draws is held to it by the fixture `read_figures` of the conftest.
"""

import re

import numpy as np
import plotly.graph_objects as go
import pytest

from app.figures.palette import BLUE_SHADES, BOTH_WAYS, DARK, LIGHT, OCHRE_SHADES
from app.figures.sentence_words import coloured_text
from app.widgets.outputs import ground
from embeddings.probing.sentence_answers import Attribution, WordShare
from tests.app import figure_contrast
from tests.app.figure_contrast import blend, contrast, unreadable


def test_the_ratio_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)
    assert contrast("#0000ff", "#ffffff") == pytest.approx(8.592, abs=0.001)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("scale", [BLUE_SHADES, OCHRE_SHADES, BOTH_WAYS])
def test_the_ink_is_read_on_every_shade_of_a_scale(scale, dark):
    for share in np.linspace(0, 1, 101):
        behind = blend(figure_contrast.shade(scale, share), figure_contrast.GROUNDS[dark])
        assert contrast(LIGHT if dark else DARK, behind) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_words_coloured_by_their_attribution_are_read(dark):
    words = (WordShare("good", 0, 4, 2.0, 0.5, 1.5), WordShare("bad", 5, 8, -2.0, 0.5, -1.5))
    html = coloured_text(Attribution("good bad", "1", 0.9, 0.9, words, 0.0, 0.0, 8))
    behind = re.findall(r"rgba\([^)]*\)", html)
    assert len(behind) == 2
    for colour in behind:
        seen = blend(colour, figure_contrast.GROUNDS[dark])
        assert contrast(LIGHT if dark else DARK, seen) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_shares_in_a_table_are_read(share, dark):
    seen = blend(ground(share), figure_contrast.GROUNDS[dark])
    assert contrast(LIGHT if dark else DARK, seen) >= 4.5


def test_a_pale_text_and_a_text_on_a_dark_cell_are_found():
    figure = go.Figure(
        go.Heatmap(z=[[0, 1]], texttemplate="%{z}", colorscale=[(0, "#ffffff"), (1, "#333333")])
    )
    figure.update_layout(font={"color": DARK}, title={"text": "t", "font": {"color": "#cccccc"}})
    assert len(unreadable(figure, dark=False)) == 3
    assert blend("rgba(0,0,0,0)", "#123456") == "#123456"
