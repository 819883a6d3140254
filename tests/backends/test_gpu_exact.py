"""Rows solved exactly on the GPU, and steps written in Python that run there."""

import numpy as np
import pytest
from problems import SIDES, TOLERANCE, close, on_gpu, problem, steady, types

from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.gpu.matrix import GpuMatrix
from quire.backends.reference.matrix import ReferenceMatrix
from quire.engine.rules.ppc import Posterior, shares
from quire.engine.rules.simplex import Rri, onto_ball, onto_simplex
from quire.engine.rules.single import KINDS, Single
from quire.engine.rules.soft import Soft

LIMITS = [(0.0, 0.0), (0.3, 0.0), (0.0, 1.5)]


def _objective(F, P, G, l1):
    F, P = F.astype(np.float64), P.astype(np.float64)
    return 0.5 * np.einsum("it,ts,is->i", F, G, F) - np.sum((P - l1) * F, axis=1)


@on_gpu
@types
@pytest.mark.parametrize("k", [1, 2, 7, 33, 64, 130])
@pytest.mark.parametrize(("l1", "total"), LIMITS)
@pytest.mark.parametrize("begun", ["random", "zeros", "sparse"])
def test_rows_are_those_of_the_reference(k, dtype, l1, total, begun):
    X, factors = problem(k, dtype, n=60, d=40)
    if begun != "random":
        for factor in factors.values():
            factor[:, (slice(None) if begun == "zeros" else slice(0, None, 2))] = 0
    other_factors = problem(k, dtype, n=60, d=40)[1]
    tolerance = 10 * TOLERANCE[dtype]
    slow = ReferenceMatrix(X) if k <= 7 else CpuMatrix(X, 1)  # for the reference is slow
    with GpuMatrix(X) as fast:
        for side, other in SIDES:
            B = other_factors[other]
            G = steady(B.T.astype(np.float64) @ B)
            F, P = fast.factor(factors[side]), fast.product(side, fast.factor(B))
            said = fast.solve_rows(F, P, G, l1, total)
            expected = slow.factor(factors[side])
            told = slow.solve_rows(expected, slow.factor(fast.array(P, k)), G, l1, total)
            close(fast.array(F, k), slow.array(expected, k), tolerance)
            assert said == pytest.approx(told, rel=tolerance, abs=tolerance)
            assert not F[:, k:].any()
            close(fast.gram(F)[:k, :k], slow.gram(expected)[:k, :k], 10 * tolerance)
    slow.close()


@on_gpu
@types
@pytest.mark.parametrize("damage", ["twins", "a sum", "zero topics", "all zero"])
@pytest.mark.parametrize(("l1", "total"), LIMITS)
def test_a_singular_gram_matrix(dtype, damage, l1, total):
    """The solution is not unique; its height is."""
    k = 9
    X, factors = problem(k, dtype, n=50, d=40)
    B = factors["H"]
    if damage == "twins":
        B[:, 5:] = B[:, :4]
    elif damage == "a sum":
        B[:, 8] = B[:, 0] + B[:, 1]
    elif damage == "zero topics":
        B[:, [1, 4]] = 0
    else:
        B[:] = 0
    slow = ReferenceMatrix(X)
    G = slow.gram(B)
    with GpuMatrix(X) as fast:
        F, P = fast.factor(factors["W"]), fast.product("W", fast.factor(B))
        fast.solve_rows(F, P, G, l1, total)
        found, products = fast.array(F, k), fast.array(P, k)
    expected = factors["W"].copy()
    slow.solve_rows(expected, products, G, l1, total)
    l1 = 0.0 if total else l1
    close(_objective(found, products, G, l1), _objective(expected, products, G, l1), 10 * TOLERANCE[dtype])
    assert found.min() >= 0
    if total:
        np.testing.assert_allclose(found.sum(axis=1), total, rtol=1e-5)


@on_gpu
def test_many_topics():
    k = 512
    X, factors = problem(k, np.float32, n=40, d=600)
    slow = ReferenceMatrix(X)
    G = steady(slow.gram(factors["H"]))
    with GpuMatrix(X) as fast:
        F, P = fast.factor(factors["W"]), fast.product("W", fast.factor(factors["H"]))
        fast.solve_rows(F, P, G, 0.0, 0.0)
        found, products = fast.array(F, k).astype(np.float64), fast.array(P, k)
    gradient = found @ G - products
    scale = np.abs(products).max()
    assert np.abs(gradient[found > 0]).max(initial=0) <= 1e-4 * scale
    assert gradient.min() >= -1e-4 * scale


@on_gpu
@types
@pytest.mark.parametrize(
    "rule",
    [*(Single(kind) for kind in KINDS), Soft(2.0), Posterior(exact=False), Posterior(), Rri(), Rri(constraint="nnl2")],
)
def test_steps_of_rules_written_in_python(rule, dtype):
    """What a rule does to the rows (or the topics) of the device's arrays is what it does to NumPy's."""
    X, factors = problem(7, dtype, n=60, d=40)
    factors["W"] = shares(factors["W"])
    factors["H"] += dtype(0.01)
    slow, tolerance = ReferenceMatrix(X), 10 * TOLERANCE[dtype]
    with GpuMatrix(X) as fast:
        for side, other in SIDES:
            F, B = fast.factor(factors[side]), fast.factor(factors[other])
            expected = factors[side].copy()
            G = slow.gram(factors[other])
            said = rule.update(fast, side, F, B, G)
            told = rule.update(slow, side, expected, factors[other], G)
            close(fast.array(F, 7), expected, tolerance)
            assert said == pytest.approx(told, rel=tolerance, abs=tolerance)


@on_gpu
def test_a_python_step_sees_blocks_of_the_device(monkeypatch):
    monkeypatch.setattr("quire.backends.gpu.matrix._ITEMS", 64)
    X, factors = problem(7, np.float64, n=60, d=40)
    sizes = []

    def halve(F, P):
        assert not isinstance(F, np.ndarray)
        sizes.append(len(F))
        F *= 0.5
        return float(F.sum()), 1.0

    with GpuMatrix(X) as fast:
        F = fast.factor(factors["W"])
        said = fast.by_rows(F, fast.factor(factors["W"]), 7, halve)
        close(fast.array(F, 7), factors["W"] / 2, 1e-12)
    assert sum(sizes) == 60 > max(sizes)
    assert said == pytest.approx((factors["W"].sum() / 2, len(sizes)))


@on_gpu
@pytest.mark.parametrize("project", [onto_simplex, onto_ball])
@pytest.mark.parametrize("values", [[0.5, 0.9, -1.0], [-3.0, -2.0], [1e9, 1.0, 2.0], [0.25] * 4, [7.0]])
def test_projections_are_those_of_numpy(project, values):
    import cupy

    q = np.array(values)
    np.testing.assert_allclose(project(cupy.asarray(q)).get(), project(q), rtol=1e-9, atol=1e-12)
