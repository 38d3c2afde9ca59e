"""What scikit-learn's tools ask of a transformer, without scikit-learn: pipelines, clones, grids of parameters."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_choice

if TYPE_CHECKING:
    from typing import Self


class Transformer:
    """Base of estimators whose parameters are the arguments of ``__init__``, kept under their names."""

    n_components_: int

    def get_params(self, deep: bool = True) -> dict[str, object]:  # noqa: ARG002 - as it is called there
        """Return the parameters by name."""
        names = [
            name for name in inspect.signature(type(self).__init__).parameters if name != "self"
        ]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **parameters: object) -> Self:
        """Set parameters by name; others are refused."""
        for name, value in parameters.items():
            check_choice("parameter", name, tuple(self.get_params()))
            setattr(self, name, value)
        return self

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the columns that `transform` gives, as pca0, pca1."""
        name = type(self).__name__.lower()
        return np.array([f"{name}{number}" for number in range(self.n_components_)], dtype=object)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({told})"

    def __sklearn_tags__(self) -> object:
        """Tell scikit-learn that this transforms dense numbers and wants no target."""
        from sklearn.utils import Tags, TargetTags, TransformerTags

        return Tags("transformer", TargetTags(required=False), TransformerTags())
