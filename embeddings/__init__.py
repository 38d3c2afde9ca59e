"""Klyuch: train static and contextual word vectors on the same text, and look inside them.

``from embeddings import PCA, Vectors`` needs numpy alone; networks live in `embeddings.models` and bring torch.
"""

from embeddings._version import __version__
from embeddings.analysis.pca import PCA
from embeddings.vectors.table import Vectors

__all__ = ["PCA", "Vectors", "__version__"]
