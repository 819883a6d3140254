"""What ``gpu_vs_sklearn.py`` measures, on a machine with a GPU."""

from __future__ import annotations

import time
import warnings
from typing import Any

import cupy as cp
import cupyx.scipy.sparse as cpsp
import numpy as np
import scipy.sparse as sp

from quire.backends.backend import as_matrix
from quire.backends.gpu.matrix import GpuMatrix
from quire.engine.loop import factorize, factorize_many
from quire.engine.rules.hals import Hals
from quire.engine.start import first_factors
from quire.engine.trace import Stopping
from quire.methods.assignment import assign

K = 64
WAYS = {"same": (Hals(sweeps=1), False), "default": (Hals(), True)}  # scikit-learn's steps, and Quire's own
SIZES = {"100k": (100_000, 50_000, 8_000_000), "1M": (1_000_000, 50_000, 60_000_000)}


def corpus(n: int, d: int, nnz: int, topics: int = 64, seed: int = 0) -> sp.csr_array:
    """Draw terms from a Zipf law, half of them in an order of the document's topic; exactly nnz entries."""
    rng = cp.random.default_rng(seed)
    keys = cp.zeros(0, np.int64)
    zipf = cp.cumsum(1 / (5 + cp.arange(d, dtype=np.float64)))
    zipf /= zipf[-1]
    mine = rng.integers(0, topics, n)
    while len(keys) < nnz:
        row = rng.integers(0, n, nnz // 2)
        term = cp.searchsorted(zipf, rng.random(len(row)))
        own = (term * 7919 + mine[row] * 104_729 + 13) % d
        term = cp.where(rng.random(len(row)) < 0.5, own, cp.minimum(term, d - 1))
        keys = cp.unique(cp.concatenate([keys, row * d + term]))
    keys = cp.sort(keys[cp.argsort(rng.random(len(keys)))[:nnz]])
    row, term = keys // d, (keys % d).astype(np.int32)
    counts = 1 + cp.floor(-cp.log(rng.random(nnz) + 1e-12) / 1.5)
    values = counts * cp.log(n / (1 + cp.bincount(term, minlength=d)))[term]
    lengths = cp.sqrt(cp.bincount(row, weights=values**2, minlength=n))
    values = (values / lengths[row]).astype(np.float32)
    indptr = cp.concatenate([cp.zeros(1, np.int64), cp.cumsum(cp.bincount(row, minlength=n))])
    X = sp.csr_array((values.get(), term.get(), indptr.get().astype(np.int32)), (n, d))
    del keys, row, term, counts, values
    cp.get_default_memory_pool().free_all_blocks()
    return X


def start_of(X: sp.csr_array, seed: int = 1, k: int = K) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = np.float32(np.sqrt(X.mean() / k))
    return (size * np.abs(rng.standard_normal((X.shape[0], k), np.float32)),
            size * np.abs(rng.standard_normal((k, X.shape[1]), np.float32)))  # fmt: skip


def milliseconds(call: Any, repeats: int = 20) -> float:
    """Median between events on the device."""
    call()
    times = []
    for _ in range(repeats):
        first, last = cp.cuda.Event(), cp.cuda.Event()
        first.record()
        call()
        last.record()
        last.synchronize()
        times.append(cp.cuda.get_elapsed_time(first, last))
    return float(np.median(times))


def copy_bandwidth() -> float:
    """Bytes read and written a second by a large copy."""
    a = cp.ones(1 << 30, np.float32)
    b = cp.empty_like(a)
    return 2 * a.nbytes / milliseconds(lambda: cp.copyto(b, a)) * 1e3


def half_steps(X: sp.csr_array, bandwidth: float) -> dict[str, Any]:
    """Time the half steps and their parts after a few iterations, when factors are as sparse as they get."""
    said: dict[str, Any] = {}
    with GpuMatrix(X) as matrix:
        found = factorize(matrix, start_of(X), Hals(), Stopping(max_iter=10, tol=0))
        factors = {"W": matrix.factor(found.W), "H": matrix.factor(found.H.T)}
        began = time.perf_counter()
        again = factorize(matrix, (found.W, found.H), Hals(), Stopping(max_iter=20, tol=0))
        said["iteration_ms"] = 1e3 * (again.trace[-1].seconds - again.trace[4].seconds) / 15
        said["whole_s_20_iterations"] = time.perf_counter() - began
        for side, other in (("W", "H"), ("H", "W")):
            G, B = matrix.gram(factors[other]), factors[other]
            F = matrix.duplicate(factors[side])

            def step(sweeps: int, side=side, B=B, G=G, F=F, factors=factors) -> None:
                matrix.copy(factors[side], F)
                F *= np.float32(1.1)
                if sweeps:
                    matrix.descend(side, F, B, G, 0.0, sweeps, 0.1)

            prepare = milliseconds(lambda step=step: step(0))
            said[f"{side}_ms"] = milliseconds(lambda: step(6)) - prepare
            said[f"{side}_one_sweep_ms"] = milliseconds(lambda: step(1)) - prepare
            said[f"{side}_product_ms"] = milliseconds(lambda side=side, B=B: matrix.product(side, B))
            said[f"{side}_gram_ms"] = milliseconds(lambda F=F: matrix.gram(F, F))
            n, least = len(F), 8 * X.nnz + 8 * len(F) + B.nbytes + 2 * F.nbytes
            said[f"{side}_least_GB"] = least / 1e9
            said[f"{side}_share_of_bandwidth"] = least / bandwidth / said[f"{side}_ms"] * 1e3
            said[f"{side}_gathered_TB_s"] = (X.nnz * (8 + 4 * K)) / said[f"{side}_product_ms"] / 1e9
            rows = matrix._rows(side)
            csr = cpsp.csr_matrix((rows.data, rows.indices, rows.indptr.astype(np.int32)), (n, len(B)))
            said[f"{side}_cusparse_product_ms"] = milliseconds(lambda csr=csr, B=B: csr @ B, 3)
            F = matrix.duplicate(factors[side]) + np.float32(1e-3)
            said[f"{side}_kullback_leibler_ms"] = milliseconds(
                lambda side=side, B=B, F=F: matrix.rescale(side, F, B, 1, 0.0, 0.0, 1, 0.0), 5
            )
        said["both_half_steps_ms"] = said["W_ms"] + said["H_ms"]
    return said


def objective_of(matrix: GpuMatrix, W: np.ndarray, H: np.ndarray) -> float:
    W_held, H_held = matrix.factor(W), matrix.factor(H.T)
    inner = np.trace(matrix.gram(W_held, matrix.product("W", H_held)))
    return float(matrix.squared_norm / 2 - inner + np.sum(matrix.gram(W_held) * matrix.gram(H_held)) / 2)


def peer_path(X: sp.csr_array, start: Any, iterations: int, limit: float) -> list[tuple[int, float, float]]:
    """Return iterations, seconds and objective after each five iterations of scikit-learn."""
    from sklearn.decomposition import non_negative_factorization

    path, seconds, (W, H) = [], 0.0, (factor.copy() for factor in start)
    warnings.simplefilter("ignore")
    with GpuMatrix(X.astype(np.float64)) as matrix:
        for number in range(5, iterations + 1, 5):
            began = time.perf_counter()
            W, H, _ = non_negative_factorization(X, W, H, n_components=K, init="custom", solver="cd", max_iter=5, tol=0)
            seconds += time.perf_counter() - began
            path.append((number, seconds, objective_of(matrix, W, H)))
            if seconds > limit:
                break
    return path


def one_try(X: sp.csr_array, start: Any, way: str, levels: list[float]) -> dict[str, Any]:
    """From an X in the host's memory to factors there that are as good as the last level, or to the end."""
    cp.get_default_memory_pool().free_all_blocks()
    rule, accelerate = WAYS[way]
    began = time.perf_counter()
    with GpuMatrix(X) as matrix:
        matrix._rows("H")  # makes the transpose
        cp.cuda.Device().synchronize()
        uploaded = time.perf_counter() - began
        found = factorize(
            matrix, start, rule, Stopping(max_iter=500, tol=0), accelerate=accelerate,
            callback=lambda step: step.objective <= levels[-1],
        )  # fmt: skip
        whole = time.perf_counter() - began
    firsts = [next((step for step in found.trace if step.objective <= level), None) for level in levels]
    return {
        "upload_s": uploaded, "loop_s": found.trace[-1].seconds, "whole_s": whole,
        "iterations": len(found.trace), "end": found.trace[-1].objective,
        "reached_at": [None if first is None else [first.iteration, first.seconds] for first in firsts],
    }  # fmt: skip


def against_sklearn(X: sp.csr_array, iterations: int, limit: float) -> dict[str, Any]:
    """Both from the same start; the time that Quire takes to the objectives that scikit-learn reaches."""
    start = first_factors(X, K, "nndsvda", np.random.RandomState(0), device="cuda")
    path = peer_path(X, start, iterations, limit)
    said: dict[str, Any] = {"path": path}
    for way in WAYS:
        tries = [one_try(X, start, way, [objective for *_, objective in path]) for _ in range(4)][1:]
        said[way] = sorted(tries, key=lambda one: one["whole_s"])[1]  # the first one warmed up
    return said


def agreement(X: sp.csr_array, iterations: int = 50) -> dict[str, Any]:
    """Quire on the CPU and on the GPU, from the same start."""
    ends, seconds = [], []
    for device in ("cpu", "cuda"):
        with as_matrix(X, device=device) as matrix:
            factorize(matrix, start_of(X), Hals(), Stopping(max_iter=1, tol=0))  # compiles
            found = factorize(matrix, start_of(X), Hals(), Stopping(max_iter=iterations, tol=0))
        ends.append(found)
        seconds.append((found.trace[-1].seconds - found.trace[0].seconds) / (len(found.trace) - 1))
    labels = [assign(found.W, found.H)[0] for found in ends]
    return {
        "quire_cpu_iteration_ms": 1e3 * seconds[0],
        "quire_gpu_iteration_ms": 1e3 * seconds[1],
        "objectives_differ": abs(ends[1].objective / ends[0].objective - 1),
        "same_labels": float(np.mean(labels[0] == labels[1])),
    }


def many_starts(n_starts: int = 30, k: int = 20, iterations: int = 50) -> dict[str, Any]:
    """Several starts of a corpus of the size of 20 Newsgroups, one after the other and together."""
    X = corpus(18_846, 40_000, 2_000_000, topics=20)
    starts = [tuple(np.ascontiguousarray(F) for F in start_of(X, seed, k)) for seed in range(n_starts)]
    stop, seconds, ends = Stopping(max_iter=iterations, tol=0), {}, {}
    with GpuMatrix(X) as matrix:
        ways = {
            "apart": lambda: [factorize(matrix, start, Hals(), stop) for start in starts],
            "together": lambda: factorize_many(matrix, starts, Hals(), stop),
        }
        for name, way in ways.items():
            way()
            began = time.perf_counter()
            ends[name] = [one.objective for one in way()]
            seconds[name] = time.perf_counter() - began
    differ = max(abs(a / b - 1) for a, b in zip(ends["apart"], ends["together"], strict=True))
    return {"starts": n_starts, "k": k, "iterations": iterations, **seconds, "objectives_differ": differ}
