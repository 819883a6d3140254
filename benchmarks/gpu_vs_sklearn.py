"""NMF on a GPU against scikit-learn on the CPU of the same machine, and how near it is to limits.

python benchmarks/gpu_vs_sklearn.py [--without-sklearn] [--iterations 100] [--json FILE]

X is generated: Zipfian terms, planted topics, tf-idf, rows of length 1; float32. scikit-learn's coordinate
descent and Quire start from the same random factors; both are timed to 1.001 × the error that scikit-learn
ends with, as in ``engine_beats_sklearn.py``, for they may settle in different optima. Quire also runs to its
own end. Kernels are compiled before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import cupy as cp
import cupyx.scipy.sparse as cpsp
import numpy as np
import scipy.sparse as sp

from quire.factorization import factorize
from quire.ops.backend import as_matrix
from quire.ops.gpu import GpuMatrix
from quire.rules.hals import Hals
from quire.topics import assign
from quire.trace import Stopping

K = 64
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


def start_of(X: sp.csr_array, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = np.float32(np.sqrt(X.mean() / K))
    return (size * np.abs(rng.standard_normal((X.shape[0], K), np.float32)),
            size * np.abs(rng.standard_normal((K, X.shape[1]), np.float32)))  # fmt: skip


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
            said[f"{side}_gram_ms"] = milliseconds(lambda F=F: matrix.gram(F))
            n, least = len(F), 8 * X.nnz + 8 * len(F) + B.nbytes + 2 * F.nbytes
            said[f"{side}_least_GB"] = least / 1e9
            said[f"{side}_share_of_bandwidth"] = least / bandwidth / said[f"{side}_ms"] * 1e3
            said[f"{side}_gathered_TB_s"] = (X.nnz * (8 + 4 * K)) / said[f"{side}_product_ms"] / 1e9
            rows = matrix._rows(side)
            csr = cpsp.csr_matrix((rows.data, rows.indices, rows.indptr.astype(np.int32)), (n, len(B)))
            said[f"{side}_cusparse_product_ms"] = milliseconds(lambda csr=csr, B=B: csr @ B)
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


def peer_path(X: sp.csr_array, W: np.ndarray, H: np.ndarray, iterations: int) -> list[tuple[float, float]]:
    """Seconds and objective after every five iterations of scikit-learn's coordinate descent."""
    from sklearn.decomposition import non_negative_factorization

    path, seconds = [], 0.0
    warnings.simplefilter("ignore")
    with GpuMatrix(X.astype(np.float64)) as matrix:
        for _ in range(0, iterations, 5):
            began = time.perf_counter()
            W, H, _ = non_negative_factorization(
                X, W, H, n_components=K, init="custom", solver="cd", max_iter=5, tol=0
            )
            seconds += time.perf_counter() - began
            path.append((seconds, objective_of(matrix, W, H)))
    return path


def against_sklearn(X: sp.csr_array, iterations: int) -> dict[str, Any]:
    """Both to 1.001 × the error that scikit-learn ends with, from the same random start."""
    W, H = start_of(X)
    path = peer_path(X, W.copy(), H.copy(), iterations)
    end, level = path[-1][1], 1.001 * path[-1][1]
    number = next(i for i, (_, objective) in enumerate(path) if objective <= level)
    ours = []
    for _ in range(4):  # the first one warms up
        cp.get_default_memory_pool().free_all_blocks()
        began = time.perf_counter()
        with GpuMatrix(X) as matrix:
            matrix.product("H", matrix.factor(W))  # makes the transpose
            cp.cuda.Device().synchronize()
            taken = time.perf_counter() - began
            found = factorize(
                matrix, (W, H), Hals(), Stopping(max_iter=500, tol=0), callback=lambda s: s.objective <= level
            )
            ours.append((taken, found.trace[-1].seconds, time.perf_counter() - began, len(found.trace)))
            assert found.stopped == "callback"
            last = factorize(matrix, (W, H), Hals(), Stopping(max_iter=500, tol=0))
    taken, to_level, whole, steps = sorted(ours[1:], key=lambda o: o[2])[1]
    return {
        "sklearn_iterations": 5 * len(path), "sklearn_s": path[-1][0], "sklearn_objective": end,
        "sklearn_iterations_to_level": 5 * (number + 1), "sklearn_s_to_level": path[number][0],
        "upload_and_transpose_s": taken, "to_level_s": to_level, "iterations_to_level": steps,
        "whole_with_transfers_and_last_solve_s": whole,
        "times_sooner_loop": path[number][0] / to_level,
        "times_sooner_with_upload": path[number][0] / (taken + to_level),
        "times_sooner_everything": path[number][0] / whole,
        "own_end_iterations": len(last.trace), "own_end_s": last.trace[-1].seconds,
        "own_end_objective": last.objective, "own_end_over_sklearns": last.objective / end - 1,
    }  # fmt: skip


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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--without-sklearn", action="store_true")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    bandwidth = copy_bandwidth()
    results: dict[str, Any] = {"gpu": name, "k": K, "copy_TB_s": bandwidth / 1e12}
    cp.get_default_memory_pool().free_all_blocks()
    for size, shape in SIZES.items():
        began = time.perf_counter()
        X = corpus(*shape)
        print(
            f"{size}: {X.shape}, {X.nnz:,} entries, made in {time.perf_counter() - began:.1f} s", flush=True
        )
        results[size] = half_steps(X, bandwidth)
        if size == "100k" and not options.without_sklearn:
            results[size] |= agreement(X) | against_sklearn(X, options.iterations)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    for size in SIZES:
        for key, value in results[size].items():
            print(f"{size:>5} {key:<40} {value:,.4g}")
    print(f"{name}: a copy moves {bandwidth / 1e12:.2f} TB/s")


if __name__ == "__main__":
    main()
