"""Groups of contexts that do not separate are said not to, by the silhouette of the layer shown."""

from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from app.views.contexts import layer_maps
from app.wording import wording


@pytest.mark.parametrize(
    ("silhouette", "warns"), [(0.3, False), (0.049, True), (-0.2, True), (np.nan, False)]
)
def test_a_flat_silhouette_is_a_warning(monkeypatch, silhouette, warns):
    said = []
    monkeypatch.setattr(st, "warning", said.append)
    separation = SimpleNamespace(silhouette=np.array([0.9, silhouette]))
    question = SimpleNamespace(static=None, vector="word")
    layer_maps.say_if_not_apart(SimpleNamespace(say=wording("en")), separation, 1, question)
    assert bool(said) == warns
    assert all("layer 1" in sentence for sentence in said)
