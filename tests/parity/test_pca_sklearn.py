"""PCA agrees with scikit-learn, keeps its digits at a large mean, and refuses in sentences."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import compose, config_context, datasets, decomposition
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from embeddings import PCA
from embeddings.errors import InputError


def spread(n, columns, seed=0, dtype=np.float64):
    """Rows with well-parted variances in mixed directions."""
    random = np.random.default_rng(seed)
    turned = np.linalg.qr(random.normal(size=(columns, columns)))[0]
    rows = random.normal(size=(n, columns)) * 1.7 ** -np.arange(columns) @ turned
    return (rows + random.normal(size=columns)).astype(dtype)


def compare(rows, components, standardize, atol=1e-5, whiten=False):
    ours = PCA(components, standardize=standardize, whiten=whiten).fit(rows)
    exact = rows.astype(np.float64)
    fed = StandardScaler().fit_transform(exact) if standardize else exact
    theirs = decomposition.PCA(components, svd_solver="full", whiten=whiten).fit(fed)
    names = ("explained_variance_", "explained_variance_ratio_", "singular_values_")
    for name in (*names, "noise_variance_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=atol)
    signs = np.sign((ours.components_ * theirs.components_).sum(axis=1))
    sizes = np.sort(np.abs(theirs.components_), axis=1)
    tied = sizes[:, -1] - sizes[:, -2] < 1e-6 if sizes.shape[1] > 1 else np.zeros(components, bool)
    assert (signs[~tied] == 1).all()
    np.testing.assert_allclose(ours.components_ * signs[:, None], theirs.components_, atol=atol)
    expected = theirs.transform(fed) * signs
    np.testing.assert_allclose(ours.transform(rows), expected, atol=atol * 10)
    return ours


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 40), st.integers(2, 8), st.integers(0, 99), st.booleans())
def test_components_agree_with_sklearn_at_any_shape(n, columns, seed, standardize):
    rows = spread(n, columns, seed)
    fed = StandardScaler().fit_transform(rows) if standardize else rows
    values = np.linalg.svd(fed - fed.mean(axis=0), compute_uv=False) ** 2
    components = min(2, n - 1, columns)
    gaps = -np.diff(np.append(values, 0))[:components]
    if (gaps > 1e-3 * values[0]).all():  # equal eigenvalues leave the directions open
        compare(rows, components, standardize)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize(("n", "columns", "components"), [(500, 12, 12), (5, 40, 3), (2, 3, 1)])
def test_many_few_and_fewer_rows_than_columns(n, columns, components, standardize):
    compare(spread(n, columns), components, standardize)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_short_floats_agree_too(dtype):
    rows = spread(3000, 6, dtype=dtype)
    assert compare(rows, 2, False, atol=2e-5).transform(rows).dtype == np.float32


def test_a_mean_a_million_times_the_spread_costs_no_digits():
    rows = spread(4000, 5)
    far = PCA(3, standardize=False).fit(rows + 1e6)
    near = PCA(3, standardize=False).fit(rows)
    np.testing.assert_allclose(far.explained_variance_, near.explained_variance_, rtol=1e-8)
    np.testing.assert_allclose(far.transform(rows + 1e6), near.transform(rows), atol=1e-8)


def test_a_first_guess_at_the_mean_that_misleads_is_corrected(monkeypatch):
    monkeypatch.setattr("embeddings.analysis.pca.SAMPLE", 1)  # the guess is the first row
    rows = np.random.default_rng(0).normal(size=(100_000, 2)).astype(np.float32)
    rows[0] = 1e4
    pca = PCA(1, standardize=False).fit(rows)
    np.testing.assert_allclose(pca.mean_, rows.mean(axis=0, dtype=np.float64), rtol=1e-5)
    expected = np.linalg.eigvalsh(np.cov(rows.T.astype(np.float64)))[1]
    np.testing.assert_allclose(pca.explained_variance_[0], expected, rtol=1e-5)


def test_a_constant_column_has_scale_one_and_no_loading():
    rows = spread(50, 3, dtype=np.float32)
    rows[:, 1] = 0.1
    pca = PCA(2).fit(rows)
    assert pca.scale_[1] == 1
    assert np.abs(pca.components_[:, 1]).max() < 1e-9
    np.testing.assert_allclose(pca.explained_variance_ratio_.sum(), 1)


def test_equal_rows_have_no_variance():
    pca = PCA(2).fit(np.ones((5, 3)))
    assert pca.explained_variance_ratio_.tolist() == [0, 0]
    assert np.isfinite(pca.transform(np.ones((1, 3)))).all()


@given(st.integers(0, 50))
@settings(deadline=None, max_examples=10)
def test_components_are_orthonormal_and_all_of_them_give_the_rows_back(seed):
    rows = spread(20, 5, seed)
    pca = PCA(5)
    np.testing.assert_allclose(pca.inverse_transform(pca.fit_transform(rows)), rows, atol=1e-9)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(5), atol=1e-9)


def test_the_largest_loading_is_positive_and_row_order_does_not_turn_the_map():
    rows = spread(300, 6)
    pca, turned = PCA(3).fit(rows), PCA(3).fit(rows[::-1])
    largest = np.abs(pca.components_).argmax(axis=1)
    assert (pca.components_[np.arange(3), largest] > 0).all()
    np.testing.assert_allclose(pca.components_, turned.components_, atol=1e-9)


@pytest.mark.parametrize(
    ("components", "rows", "sentence"),
    [
        (0, np.eye(4), "n_components=0 cannot be computed from 4 rows of 4 columns"),
        (5, np.eye(4), "n_components=5 cannot be computed"),
        (1.5, np.eye(4), "n_components=1.5 cannot be computed"),
        ("mle", np.ones((3, 4)), "n_components=mle cannot be computed"),
        (1, np.ones((1, 4)), r"1 sample\(s\)"),
        (1, np.ones(4), r"got an array of shape \(4,\) instead"),
        (1, np.array([[1.0, np.nan], [0, 1]]), "NaN"),
        (1, np.ones((3, 2)) * 1j, "Complex data not supported"),
        (1, sparse.eye(4), "dense data is required"),
        (1, np.array([[1e200, 0.0], [-1e200, 1]]), "too large to be squared"),
    ],
)
def test_what_cannot_be_fitted_is_refused(components, rows, sentence):
    with pytest.raises(InputError, match=sentence):
        PCA(components).fit(rows)


def test_other_columns_than_fitted_are_refused():
    pca = PCA(2).fit(spread(9, 3))
    with pytest.raises(InputError, match="X has 4 features, but PCA is expecting 3"):
        pca.transform(np.ones((2, 4)))
    with pytest.raises(InputError, match="X has 3 features, but PCA is expecting 2"):
        pca.inverse_transform(np.ones((2, 3)))


# what scikit-learn asks of a transformer


def test_scikit_learn_finds_nothing_wrong():
    with warnings.catch_warnings():
        # it warns of every estimator that does not inherit from its base
        warnings.simplefilter("ignore")
        reports = check_estimator(PCA(), on_fail=None, on_skip=None)
    wrong = [report["check_name"] for report in reports if report["status"] == "failed"]
    assert wrong == []
    assert len(reports) > 40


@pytest.mark.parametrize("components", [None, 0.5, 0.9, 0.999, "mle"])
def test_the_number_of_components_is_chosen_as_there(components):
    rows = datasets.load_wine().data
    ours = PCA(components, standardize=False).fit(rows)
    theirs = decomposition.PCA(components, svd_solver="full").fit(rows)
    assert ours.n_components_ == theirs.n_components_
    np.testing.assert_allclose(
        ours.explained_variance_, theirs.explained_variance_, rtol=1e-9, atol=1e-9
    )
    standard = StandardScaler().fit_transform(rows)
    theirs = decomposition.PCA(components, svd_solver="full").fit(standard)
    assert PCA(components).fit(rows).n_components_ == theirs.n_components_


def test_the_probabilistic_model_is_that_of_scikit_learn():
    rows = spread(80, 6)
    ours = PCA(3, standardize=False).fit(rows)
    theirs = decomposition.PCA(3, svd_solver="full").fit(rows)
    np.testing.assert_allclose(
        ours.get_covariance(), theirs.get_covariance(), rtol=1e-8, atol=1e-10
    )
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(rows), theirs.score_samples(rows), rtol=1e-8)
    np.testing.assert_allclose(ours.score(rows), theirs.score(rows), rtol=1e-8)


def test_frames_come_back_as_frames_with_their_rows_names():
    frame = pd.DataFrame(spread(9, 3), columns=list("abc"), index=list("ihgfedcba"))
    ours = PCA(2).set_output(transform="pandas").fit_transform(frame)
    assert ours.index.tolist() == list("ihgfedcba")
    assert ours.columns.tolist() == ["pca0", "pca1"]
    np.testing.assert_array_equal(ours.to_numpy(), PCA(2).fit(frame).transform(frame))
    with config_context(transform_output="pandas"):
        assert isinstance(PCA(2).fit_transform(frame), pd.DataFrame)
    parts = compose.ColumnTransformer([("map", PCA(1), ["a", "b"])]).set_output(transform="pandas")
    assert parts.fit_transform(frame).columns.tolist() == ["map__pca0"]


def test_columns_in_another_order_are_refused():
    frame = pd.DataFrame(spread(9, 3), columns=list("abc"))
    pca = PCA(2).fit(frame)
    assert pca.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(InputError, match="feature names should match"):
        pca.transform(frame[["c", "b", "a"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        pca.transform(frame.to_numpy())


@pytest.mark.parametrize("standardize", [False, True])
def test_whitened_coordinates_are_scikit_learns_and_go_back(standardize):
    rows = spread(60, 5)
    found = compare(rows, 3, standardize, atol=1e-10, whiten=True).transform(rows)
    np.testing.assert_allclose(found.std(axis=0, ddof=1), 1)
    whole = PCA(5, standardize=standardize, whiten=True)
    np.testing.assert_allclose(whole.inverse_transform(whole.fit_transform(rows)), rows, atol=1e-9)


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack", "randomized"])
def test_arguments_of_scikit_learn_that_change_no_answer_are_taken(solver):
    rows = spread(60, 5)
    pca = PCA(2, svd_solver=solver, random_state=3, copy=False).fit(rows.copy())
    assert np.array_equal(pca.components_, PCA(2).fit(rows).components_)
    assert f"svd_solver='{solver}'" in repr(pca) or solver == "auto"
    with pytest.raises(InputError, match="svd_solver"):
        PCA(2, svd_solver="lapack").fit(rows)
