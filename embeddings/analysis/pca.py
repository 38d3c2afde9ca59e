"""PCA from scratch: standardise, covariance, eigenvectors, projection.

Decisions:
- rows are centred first, then multiplied, block by block: extra memory is one block, and a large
  mean costs no digits, as it does where n times mean times mean' is subtracted afterwards;
- `numpy.linalg.eigh` runs on one thread: on a busy machine two threads take seconds for it;
- the largest loading of each component is positive, so that a map does not flip between runs;
- pipelines, clones and grids of scikit-learn take it, and scikit-learn is not imported.

Pearson (1901); Hotelling (1933). Attributes are called as in scikit-learn.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_choice
from embeddings.errors import InputError

if TYPE_CHECKING:
    from typing import Self

    from threadpoolctl import ThreadpoolController

BLOCK = 1 << 18  # numbers in a block of rows: 1 MiB of float32, fits the L2 cache
SAMPLE = 4096  # rows whose mean is the first guess at the mean of all
_one_thread = threading.Lock()


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
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({arguments})"

    def __sklearn_tags__(self) -> object:
        """Tell scikit-learn that this transforms dense numbers and wants no target."""
        from sklearn.utils import Tags, TargetTags, TransformerTags

        return Tags("transformer", TargetTags(required=False), TransformerTags())


class PCA(Transformer):
    """Principal components of the rows of a matrix.

    1. z = (x - mean) / standard deviation (divisor n) per column, or x - mean alone;
    2. C = Z'Z / (n - 1); 3. eigenvalues of C, falling, with eigenvectors V; 4. T = Z V_L.

    Parameters
    ----------
    n_components : int, default 2
        How many components to keep, between 1 and min(rows, columns).
    standardize : bool, default True
        True equals scikit-learn's StandardScaler then PCA, False its PCA alone. A constant column
        has scale 1.

    Attributes
    ----------
    components_ : NDArray of float64, shape (n_components, columns)
        Orthonormal rows; the entry of largest magnitude in each is positive.
    explained_variance_ : NDArray of float64, shape (n_components,)
        Eigenvalues, falling.
    explained_variance_ratio_ : NDArray of float64, shape (n_components,)
        Share of the total variance; zero where there is none.
    singular_values_ : NDArray of float64, shape (n_components,)
        sqrt(explained_variance_ * (n - 1)).
    noise_variance_ : float
        Mean of the eigenvalues left out, min(rows, columns) - n_components of them; 0 where none is.
    mean_, scale_ : NDArray of float64, shape (columns,)
        Taken from each column; ``scale_`` is 1 everywhere where ``standardize`` is False.
    n_components_, n_features_in_, n_samples_ : int
        Components kept, columns and rows seen by `fit`.

    Examples
    --------
    >>> pca = PCA(n_components=1, standardize=False).fit(np.array([[0.0, 0.0], [2.0, 0.0]]))
    >>> pca.components_, pca.explained_variance_
    (array([[1., 0.]]), array([2.]))
    """

    components_: NDArray[np.float64]
    explained_variance_: NDArray[np.float64]
    explained_variance_ratio_: NDArray[np.float64]
    singular_values_: NDArray[np.float64]
    mean_: NDArray[np.float64]
    scale_: NDArray[np.float64]
    noise_variance_: float
    n_components_: int
    n_features_in_: int
    n_samples_: int

    def __init__(self, n_components: int = 2, *, standardize: bool = True) -> None:
        self.n_components = n_components
        self.standardize = standardize

    def fit(self, rows: NDArray[np.floating], y: object = None) -> Self:  # noqa: ARG002 - a pipeline gives it
        """Find the components of ``rows``, shape (rows, columns), float32 or float64; ``y`` plays no part.

        Raises
        ------
        InputError
            If ``rows`` is not a matrix of at least two finite rows, or has fewer rows or columns
            than ``n_components``.
        """
        rows = _as_matrix(rows)
        n, columns = rows.shape
        if not 1 <= self.n_components <= min(n, columns) or n < 2:
            raise InputError("pca_components", value=self.n_components, rows=n, columns=columns)
        self.mean_, products = _centred_products(rows)
        self.scale_ = np.ones(columns)
        if self.standardize:
            self.scale_ = _scales(rows, self.mean_, products)
            products /= np.outer(self.scale_, self.scale_)
        covariance = products / (n - 1)
        values, components = _eigen(covariance)
        total, kept = values.sum(), values[: self.n_components]
        self.components_ = _with_fixed_signs(components[: self.n_components])
        self.explained_variance_ = kept
        self.explained_variance_ratio_ = kept / total if total > 0 else np.zeros_like(kept)
        self.singular_values_ = np.sqrt(kept * (n - 1))
        left_out = values[self.n_components : min(n, columns)]
        self.noise_variance_ = float(left_out.mean()) if len(left_out) else 0.0
        self.n_components_, self.n_features_in_, self.n_samples_ = self.n_components, columns, n
        return self

    def transform(self, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the coordinates of ``rows``: shape (rows, n_components), the rows' precision."""
        rows = _as_matrix(rows)
        if rows.shape[1] != self.n_features_in_:
            raise InputError("pca_columns", found=rows.shape[1], expected=self.n_features_in_)
        mean = self.mean_.astype(rows.dtype)
        loadings = (self.components_ / self.scale_).T  # (columns, n_components)
        rest = (self.mean_ - mean) @ loadings  # what rounding took from the mean
        weights, rest = loadings.astype(rows.dtype), rest.astype(rows.dtype)
        coordinates = np.empty((len(rows), self.n_components_), dtype=rows.dtype)
        for start, block in _centred_blocks(rows, mean):
            np.matmul(block, weights, out=coordinates[start : start + len(block)])
        coordinates -= rest
        return coordinates

    def fit_transform(self, rows: NDArray[np.floating], y: object = None) -> NDArray[np.floating]:
        """`fit`, then `transform` the same rows; ``y`` plays no part."""
        return self.fit(rows, y).transform(rows)

    def inverse_transform(self, coordinates: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the rows that ``coordinates`` stand for; exact when every component is kept."""
        coordinates = _as_matrix(coordinates)
        if coordinates.shape[1] != self.n_components_:
            raise InputError("pca_columns", found=coordinates.shape[1], expected=self.n_components_)
        return np.asarray(
            (coordinates @ self.components_) * self.scale_ + self.mean_, dtype=coordinates.dtype
        )


def _as_matrix(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return a float32 or float64 matrix; a half-precision one becomes float32."""
    rows = np.asarray(rows)
    if rows.dtype == np.float16:
        rows = rows.astype(np.float32)
    elif rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    if rows.ndim != 2:
        raise InputError("pca_matrix", shape=rows.shape)
    return rows


def _centred_blocks(
    rows: NDArray[np.floating], centre: NDArray[np.floating]
) -> Iterator[tuple[int, NDArray[np.floating]]]:
    """Yield the first row's number and ``rows - centre``, in one buffer that is used again."""
    size = max(64, BLOCK // max(1, rows.shape[1]))
    buffer = np.empty((min(size, len(rows)), rows.shape[1]), dtype=rows.dtype)
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        yield start, np.subtract(block, centre, out=buffer[: len(block)])


def _centred_products(
    rows: NDArray[np.floating],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean of the columns, and Z'Z of the centred rows Z, both summed over blocks in float64."""
    centre = rows[:: max(1, len(rows) // SAMPLE)].mean(axis=0, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, products, shift = _products_around(rows, centre)
        if (shift > np.diag(products)).any():  # the sample misled: its mean lies outside the data
            mean, products, _ = _products_around(rows, mean)
    if not np.isfinite(products).all():
        raise InputError("pca_number")
    return mean, products


def _products_around(
    rows: NDArray[np.floating], centre: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean, Z'Z, and how much of its diagonal came from ``centre`` not being the mean."""
    n, columns = rows.shape
    near = centre.astype(rows.dtype)  # rounded; the rest is corrected below
    sums, products = np.zeros(columns), np.zeros((columns, columns))
    for _, block in _centred_blocks(rows, near):
        sums += np.ones(len(block), dtype=rows.dtype) @ block
        products += block.T @ block
    rest = sums / n
    products -= n * np.outer(rest, rest)
    return near + rest, products, n * rest**2


def _scales(
    rows: NDArray[np.floating], mean: NDArray[np.float64], products: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return each column's standard deviation with divisor n; 1 where it is constant."""
    n = len(rows)
    variance = np.maximum(np.diag(products) / n, 0)
    tiny = float(np.finfo(np.float64).eps)
    constant = variance <= n * tiny * variance + (n * mean * tiny) ** 2  # scikit-learn's bound
    for column in np.flatnonzero(variance <= (1e-5 * mean) ** 2):  # rounding, or really constant?
        constant[column] |= rows[:, column].min() == rows[:, column].max()
    return np.where(constant, 1.0, np.sqrt(variance))


def _eigen(covariance: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues, falling and not negative, and their eigenvectors as rows."""
    with _one_thread, _blas().limit(limits=1, user_api="blas"):
        values, vectors = np.linalg.eigh(covariance)
    return np.maximum(values[::-1], 0), vectors.T[::-1]


@cache
def _blas() -> ThreadpoolController:
    """Return the handle on numpy's BLAS, looked for once (it takes milliseconds)."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _with_fixed_signs(components: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn each row so that its entry of largest magnitude is positive; the first of equal ones."""
    size = np.abs(components)
    largest = np.argmax(size >= size.max(axis=1, keepdims=True) * (1 - 1e-9), axis=1)
    signs = np.sign(components[np.arange(len(components)), largest])
    turned: NDArray[np.float64] = components * signs[:, None]
    return turned
