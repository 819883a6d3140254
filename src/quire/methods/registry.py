"""The estimators that a recipe takes by name: a new one is its own file here, and a line below."""

from __future__ import annotations

from quire.methods.affinity import AffinityPropagation
from quire.methods.ensemble.estimator import Ensemble
from quire.methods.estimator import TopicEstimator
from quire.methods.lsi import LSI
from quire.methods.means import KMeans, ProjectiveNMF, SoftKMeans, SphericalKMeans
from quire.methods.nmf import NMF
from quire.methods.plsi import PLSI
from quire.methods.posterior import PPC, SPPC
from quire.methods.simplex import SimplexNMF
from quire.methods.sparse import SparseNMF
from quire.methods.spectral import AA, NC

METHODS: dict[str, type[TopicEstimator]] = {
    "Ensemble": Ensemble,
    "NMF": NMF,
    "SparseNMF": SparseNMF,
    "SimplexNMF": SimplexNMF,
    "PPC": PPC,
    "SPPC": SPPC,
    "PLSI": PLSI,
    "ProjectiveNMF": ProjectiveNMF,
    "KMeans": KMeans,
    "SphericalKMeans": SphericalKMeans,
    "SoftKMeans": SoftKMeans,
    "LSI": LSI,
    "AA": AA,
    "NC": NC,
    "AffinityPropagation": AffinityPropagation,
}
