"""PCA from scratch: standardise, covariance, eigenvectors, projection.

Decisions:
- rows are centred first, then multiplied, block by block: extra memory is one block, and a large
  mean costs no digits, as it does where n times mean times mean' is subtracted afterwards;
- `numpy.linalg.eigh` runs on one thread: on a busy machine two threads take seconds for it;
- the largest loading of each component is positive, so that a map does not flip between runs;
- it passes scikit-learn's `check_estimator` (`embeddings.analysis.estimator`), and scikit-learn is not imported.

Pearson (1901); Hotelling (1933). Attributes are called as in scikit-learn.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Self

import numpy as np

from embeddings.analysis.estimator import Transformer, as_matrix
from embeddings.arrays import Float64s, Floats
from embeddings.configuration import check_choice
from embeddings.errors import InputError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

NUMBERS_AT_A_TIME = 1 << 18  # numbers in a block of rows: 1 MiB of float32, fits the L2 cache
SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")  # of scikit-learn
SAMPLE = 4096  # rows whose mean is the first guess at the mean of all
_one_thread = threading.Lock()


class PCA(Transformer):
    """Principal components of the rows of a matrix.

    1. z = (x - mean) / standard deviation (divisor n) per column, or x - mean alone;
    2. C = Z'Z / (n - 1); 3. eigenvalues of C, falling, with eigenvectors V; 4. T = Z V_L.

    Parameters
    ----------
    n_components : int, float, "mle" or None, default 2
        How many components to keep, between 1 and min(rows, columns); a number between 0 and 1: as
        many as explain more than this share of the variance; "mle": by Minka (2000); None: all.
    standardize : bool, default True
        True equals scikit-learn's StandardScaler then PCA, False its PCA alone. A constant column
        has scale 1.
    whiten : bool, default False
        Divide the coordinates by their standard deviation, so that each has variance 1.
    svd_solver, copy, random_state
        Taken as scikit-learn takes them, and without effect: every solver's name gives the exact components, and the
        rows stay as they are.

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
    feature_names_in_ : NDArray of str, shape (columns,)
        The names of the columns, where `fit` was given a data frame.

    Examples
    --------
    >>> pca = PCA(n_components=1, standardize=False).fit(np.array([[0.0, 0.0], [2.0, 0.0]]))
    >>> pca.components_, pca.explained_variance_
    (array([[1., 0.]]), array([2.]))
    """

    components_: Float64s
    explained_variance_: Float64s
    explained_variance_ratio_: Float64s
    singular_values_: Float64s
    mean_: Float64s
    scale_: Float64s
    noise_variance_: float
    n_components_: int
    n_samples_: int

    def __init__(
        self,
        n_components: int | float | str | None = 2,
        *,
        standardize: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        copy: bool = True,
        random_state: object = None,
    ) -> None:
        self.n_components = n_components
        self.standardize = standardize
        self.whiten = whiten
        self.svd_solver, self.copy, self.random_state = svd_solver, copy, random_state

    def fit(self, rows: Floats, y: object = None) -> Self:  # noqa: ARG002 - a pipeline gives it
        """Find the components of ``rows``, shape (rows, columns), float32 or float64; ``y`` plays no part.

        Raises
        ------
        InputError
            If ``rows`` is not a matrix of at least two finite rows, or has fewer rows or columns
            than ``n_components``.
        """
        rows = self._checked(rows, fitting=True)
        n, columns = rows.shape
        if n < 2:
            raise InputError("pca_one_row", shape=rows.shape)
        self._check_components(n, columns)
        check_choice("svd_solver", self.svd_solver, SOLVERS)
        self.mean_, products = _centred_products(rows)
        self.scale_ = np.ones(columns)
        if self.standardize:
            self.scale_ = _scales(rows, self.mean_, products)
            products /= np.outer(self.scale_, self.scale_)
        covariance = products / (n - 1)
        values, components = _eigen(covariance)
        total = values.sum()
        shares = values / total if total > 0 else np.zeros_like(values)
        size = self._size(values, shares, n)
        kept = values[:size]
        self.components_ = _with_fixed_signs(components[:size])
        self.explained_variance_ = kept
        self.explained_variance_ratio_ = shares[:size]
        self.singular_values_ = np.sqrt(kept * (n - 1))
        left_out = values[size : min(n, columns)]
        self.noise_variance_ = float(left_out.mean()) if len(left_out) else 0.0
        self.n_components_, self.n_samples_ = size, n
        return self

    def _check_components(self, n: int, columns: int) -> None:
        """Refuse an ``n_components`` that a matrix of this shape does not have."""
        asked = self.n_components
        if isinstance(asked, str):
            is_sound = asked == "mle" and n >= columns
        elif isinstance(asked, Integral):
            is_sound = not isinstance(asked, bool) and 1 <= int(asked) <= min(n, columns)
        else:
            is_sound = asked is None or (isinstance(asked, Real) and 0 < float(asked) < 1)
        if not is_sound:
            raise InputError("pca_components", value=asked, rows=n, columns=columns)

    def _size(self, values: Float64s, shares: Float64s, n: int) -> int:
        """Return how many components ``n_components`` asks for."""
        largest = min(n, len(values))
        if self.n_components is None:
            return largest
        if isinstance(self.n_components, str):
            return minka_dimension(values, n)
        if isinstance(self.n_components, Integral):
            return int(self.n_components)
        beyond = int(np.searchsorted(np.cumsum(shares), self.n_components, side="right"))
        return min(beyond + 1, largest)

    def transform(self, rows: Floats) -> Floats:
        """Return the coordinates of ``rows``: shape (rows, n_components), the rows' precision."""
        given, rows = rows, self._checked(rows)
        mean = self.mean_.astype(rows.dtype)
        loadings = (self.components_ / self.scale_).T / self._lengths()  # (columns, n_components)
        rest = (self.mean_ - mean) @ loadings  # what rounding took from the mean
        weights, rest = loadings.astype(rows.dtype), rest.astype(rows.dtype)
        coordinates = np.empty((len(rows), self.n_components_), dtype=rows.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            for start, block in _centred_blocks(rows, mean):
                np.matmul(block, weights, out=coordinates[start : start + len(block)])
            coordinates -= rest
        if not np.isfinite(coordinates).all():  # what is not finite in a row reaches each of these
            raise InputError("pca_number")
        return self._in_container(coordinates, given)

    def fit_transform(self, rows: Floats, y: object = None) -> Floats:
        """`fit`, then `transform` the same rows; ``y`` plays no part."""
        return self.fit(rows, y).transform(rows)

    def inverse_transform(self, coordinates: Floats) -> Floats:
        """Return the rows that ``coordinates`` stand for; exact when every component is kept."""
        self._check_fitted()
        coordinates = as_matrix(coordinates)
        if coordinates.shape[1] != self.n_components_:
            raise InputError("pca_columns", found=coordinates.shape[1], expected=self.n_components_)
        turned = (coordinates * self._lengths()) @ self.components_
        return np.asarray(turned * self.scale_ + self.mean_, dtype=coordinates.dtype)

    def _lengths(self) -> Float64s:
        """Return what the coordinates are divided by, shape (n_components,): their standard deviation if ``whiten``."""
        if not self.whiten:
            return np.ones(self.n_components_)
        return np.sqrt(np.maximum(self.explained_variance_, np.finfo(np.float64).eps))

    def get_covariance(self) -> Float64s:
        """Return the covariance of the probabilistic model (Tipping and Bishop 1999), shape (columns, columns).

        Of the standardised columns where ``standardize`` is True.
        """
        self._check_fitted()
        excess = np.maximum(self.explained_variance_ - self.noise_variance_, 0)
        covariance = (self.components_.T * excess) @ self.components_
        covariance[np.diag_indices_from(covariance)] += self.noise_variance_
        return np.asarray(covariance)

    def get_precision(self) -> Float64s:
        """Return the inverse of `get_covariance`."""
        return np.asarray(np.linalg.inv(self.get_covariance()))

    def score_samples(self, rows: Floats) -> Float64s:
        """Return the log-likelihood of each row under the probabilistic model, in nats."""
        z = (self._checked(rows) - self.mean_) / self.scale_
        covariance = self.get_covariance()
        _, log_volume = np.linalg.slogdet(covariance)
        squares = np.einsum("ij,ij->i", z, np.linalg.solve(covariance, z.T).T)
        return np.asarray(-0.5 * (squares + z.shape[1] * np.log(2 * np.pi) + log_volume))

    def score(self, rows: Floats, y: object = None) -> float:  # noqa: ARG002 - a grid gives it
        """Return the mean of `score_samples`."""
        return float(self.score_samples(rows).mean())


def minka_dimension(values: Float64s, n: int) -> int:
    """Return the number of components with the largest evidence, from all eigenvalues, falling.

    Minka (2000), "Automatic choice of dimensionality for PCA", equation 77, in the form of scikit-learn.
    """
    evidence = [_log_evidence(values, size, n) for size in range(1, len(values))]
    return int(np.argmax(evidence)) + 1 if evidence else 1


def _log_evidence(values: Float64s, size: int, n: int) -> float:
    """Laplace's approximation of the log evidence for ``size`` components, up to a constant."""
    from scipy.special import gammaln

    columns, tiny = len(values), 1e-15
    if values[size - 1] < tiny:
        return -np.inf
    dimensions = columns - np.arange(size)
    log_prior = np.sum(gammaln(dimensions / 2) - np.log(np.pi) * dimensions / 2) - size * np.log(2)
    noise = max(tiny, values[size:].sum() / (columns - size))
    fit = np.log(values[:size]).sum() + np.log(noise) * (columns - size)
    free = columns * size - size * (size + 1) / 2
    inverse = 1 / np.concatenate([values[:size], np.full(columns - size, noise)])
    gaps = values[:size, None] - values[None, :]
    steps = inverse[None, :] - inverse[:size, None]
    later = np.triu(np.ones((size, columns), dtype=bool), 1)  # pairs i < j
    with np.errstate(divide="ignore", invalid="ignore"):
        hessian = np.log(gaps[later] * steps[later]).sum() + later.sum() * np.log(n)
    return float(
        log_prior
        - n / 2 * fit
        + np.log(2 * np.pi) * (free + size) / 2
        - hessian / 2
        - size * np.log(n) / 2
    )


def _centred_blocks(rows: Floats, centre: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield the first row's number and ``rows - centre``, in one buffer that is used again."""
    size = max(64, NUMBERS_AT_A_TIME // max(1, rows.shape[1]))
    buffer = np.empty((min(size, len(rows)), rows.shape[1]), dtype=rows.dtype)
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        yield start, np.subtract(block, centre, out=buffer[: len(block)])


def _centred_products(rows: Floats) -> tuple[Float64s, Float64s]:
    """Mean of the columns, and Z'Z of the centred rows Z, both summed over blocks in float64."""
    centre = rows[:: max(1, len(rows) // SAMPLE)].mean(axis=0, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, products, shift = _products_around(rows, centre)
        if (shift > np.diag(products)).any():  # the sample misled: its mean lies outside the data
            mean, products, _ = _products_around(rows, mean)
    if not np.isfinite(products).all():
        raise InputError("pca_number")
    return mean, products


def _products_around(rows: Floats, centre: Float64s) -> tuple[Float64s, Float64s, Float64s]:
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


def _scales(rows: Floats, mean: Float64s, products: Float64s) -> Float64s:
    """Return each column's standard deviation with divisor n; 1 where it is constant."""
    n = len(rows)
    variance = np.maximum(np.diag(products) / n, 0)
    tiny = float(np.finfo(np.float64).eps)
    constant = variance <= n * tiny * variance + (n * mean * tiny) ** 2  # scikit-learn's bound
    for column in np.flatnonzero(variance <= (1e-5 * mean) ** 2):  # rounding, or really constant?
        constant[column] |= rows[:, column].min() == rows[:, column].max()
    return np.where(constant, 1.0, np.sqrt(variance))


def _eigen(covariance: Float64s) -> tuple[Float64s, Float64s]:
    """Eigenvalues, falling and not negative, and their eigenvectors as rows."""
    with _one_thread, _blas().limit(limits=1, user_api="blas"):
        values, vectors = np.linalg.eigh(covariance)
    return np.maximum(values[::-1], 0), vectors.T[::-1]


@cache
def _blas() -> ThreadpoolController:
    """Return the handle on numpy's BLAS, looked for once (it takes milliseconds)."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _with_fixed_signs(components: Float64s) -> Float64s:
    """Turn each row so that its entry of largest magnitude is positive; the first of equal ones."""
    size = np.abs(components)
    largest = np.argmax(size >= size.max(axis=1, keepdims=True) * (1 - 1e-9), axis=1)
    signs = np.sign(components[np.arange(len(components)), largest])
    return components * signs[:, None]
