"""What scikit-learn asks of a transformer: parameters, checks of the input, frames in and out.

Written out so that the base install needs no scikit-learn; the errors use its words, because pipelines and
`sklearn.utils.estimator_checks` look for them.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from functools import cache
from importlib import import_module
from typing import Self

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Floats
from embeddings.configuration import check_choice
from embeddings.errors import InputError

CONTAINERS = ("default", "pandas", "polars")


class Transformer:
    """Base of estimators whose parameters are the arguments of ``__init__``, kept under their names."""

    n_components_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

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

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what `transform` returns: "default" (an array), "pandas" or "polars"; None changes nothing."""
        if transform is not None:
            check_choice("transform", transform, CONTAINERS)
            self._sklearn_output_config = {"transform": transform}  # `sklearn.clone` copies it
        return self

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the columns that `transform` gives, as pca0, pca1."""
        self._check_fitted()
        name = type(self).__name__.lower()
        return np.array([f"{name}{number}" for number in range(self.n_components_)], dtype=object)

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        arguments = ", ".join(
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not defaults[name].default
        )
        return f"{type(self).__name__}({arguments})"

    def __sklearn_tags__(self) -> object:
        """Tell scikit-learn that this transforms dense numbers, keeps float32 and wants no target."""
        from sklearn.utils import Tags, TargetTags, TransformerTags

        kinds = TransformerTags(preserves_dtype=["float64", "float32"])
        return Tags("transformer", TargetTags(required=False), kinds)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_components_")

    def _check_fitted(self) -> None:
        """Raise a `NotFittedError` before `fit`: scikit-learn's own where that is loaded."""
        if not self.__sklearn_is_fitted__():
            raise _not_fitted_error("sklearn.exceptions" in sys.modules)(
                "pca_unfitted", name=type(self).__name__
            )

    def _checked(self, rows: object, *, fitting: bool = False) -> Floats:
        """Return the rows as a matrix whose columns are those of `fit`, or become those.

        Raises
        ------
        InputError
            For sparse, complex or empty data, and for other columns than `fit` saw.
        """
        if not fitting:
            self._check_fitted()
        names, matrix = _column_names(rows), as_matrix(rows)
        if fitting:
            self.n_features_in_ = matrix.shape[1]
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return matrix
        self._check_names(names)
        if matrix.shape[1] != self.n_features_in_:
            raise InputError("pca_columns", found=matrix.shape[1], expected=self.n_features_in_)
        return matrix

    def _check_names(self, names: NDArray[np.object_] | None) -> None:
        """Refuse columns of other names, or in another order, than those of `fit`."""
        fitted, kind = getattr(self, "feature_names_in_", None), type(self).__name__
        if names is not None and fitted is not None:
            if list(names) != list(fitted):
                raise InputError(
                    "pca_names", found=", ".join(names), expected=", ".join(map(str, fitted))
                )
        elif names is not None:
            warnings.warn(
                f"X has feature names, but {kind} was fitted without feature names", stacklevel=4
            )
        elif fitted is not None:
            warnings.warn(
                f"X does not have valid feature names, but {kind} was fitted with feature names",
                stacklevel=4,
            )

    def _in_container(self, array: Floats, rows: object) -> Floats:
        """Return what `transform` computed as `set_output`, or ``sklearn.set_config``, asks."""
        chosen = getattr(self, "_sklearn_output_config", {}).get("transform")
        if chosen is None and "sklearn" in sys.modules:
            chosen = sys.modules["sklearn"].get_config()["transform_output"]
        names = self.get_feature_names_out()
        frame: object = array
        if chosen == "pandas":
            import pandas as pd

            frame = pd.DataFrame(array, index=getattr(rows, "index", None), columns=names)
        elif chosen == "polars":
            frame = import_module("polars").DataFrame(array, schema=list(names), orient="row")
        return frame  # type: ignore[return-value] # who asks for a frame expects one


@cache
def _not_fitted_error(is_sklearn_loaded: bool) -> type[InputError]:
    """Return an `InputError` that is scikit-learn's NotFittedError too, if that can be caught at all."""
    also = sys.modules["sklearn.exceptions"].NotFittedError if is_sklearn_loaded else AttributeError
    return type("NotFittedError", (InputError, also), {})


def _column_names(rows: object) -> NDArray[np.object_] | None:
    """Return the names of a data frame's columns; None where there are none, or not only texts."""
    names = list(getattr(rows, "columns", ()))
    are_texts = {isinstance(name, str) for name in names}
    if are_texts == {True, False}:
        raise InputError("pca_mixed_names")
    return np.array(names, dtype=object) if are_texts == {True} else None


def as_matrix(rows: object) -> Floats:
    """Return a float32 or float64 matrix; half precision becomes float32, other numbers float64.

    Raises
    ------
    InputError
        For sparse or complex data, another number of axes than two, and no rows or no columns.
    """
    if hasattr(rows, "toarray") and hasattr(rows, "nnz"):
        raise InputError("pca_sparse")
    array: Floats = np.asarray(rows)
    if np.iscomplexobj(array):
        raise InputError("pca_complex")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    if array.ndim != 2:
        raise InputError("pca_matrix", shape=array.shape)
    if not array.shape[0]:
        raise InputError("pca_no_rows", shape=array.shape)
    if not array.shape[1]:
        raise InputError("pca_no_columns", shape=array.shape)
    return array
