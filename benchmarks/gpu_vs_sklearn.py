"""NMF on a GPU against scikit-learn on the CPU of the same machine, and how near it is to limits.

python benchmarks/gpu_vs_sklearn.py --json FILE [--without-sklearn] [--iterations 100]   where the GPU is
python benchmarks/gpu_vs_sklearn.py --write FILE [--tests FILE]   where the documentation is

X is generated: Zipfian terms, planted topics, tf-idf, rows of length 1; float32. scikit-learn's coordinate
descent and Quire get the same start (NNDSVDa, scikit-learn's default), and are timed to the objectives that
scikit-learn has after each five iterations. Kernels are compiled before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

from measure import table, write_section


def measured(options: argparse.Namespace) -> dict[str, Any]:
    import cupy as cp
    import gpu_measures as measures

    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    bandwidth = measures.copy_bandwidth()
    cp.get_default_memory_pool().free_all_blocks()
    versions = f"Python {platform.python_version()}, CuPy {cp.__version__}, {os.cpu_count()} CPU cores"
    results: dict[str, Any] = {
        "gpu": name, "versions": versions, "when": time.strftime("%Y-%m-%d"), "k": measures.K,
        "copy_TB_s": bandwidth / 1e12,
    }  # fmt: skip

    def keep(**more: Any) -> None:
        results.update(more)
        options.json.write_text(json.dumps(results, indent=1))
        print(f"{time.perf_counter() - began:.0f} s: {', '.join(more)}", flush=True)

    began = time.perf_counter()
    for size, shape in measures.SIZES.items():
        X = measures.corpus(*shape)
        keep(**{size: measures.half_steps(X, bandwidth)})
        if size == "100k":
            keep(agreement=measures.agreement(X))
            smaller = X
    keep(many=measures.many_starts())
    if not options.without_sklearn:
        keep(peer=measures.against_sklearn(smaller, options.iterations, options.seconds))
    return results


def _against(results: dict[str, Any]) -> str:
    peer = results["peer"]
    same, default = peer["same"], peer["default"]
    rows = []
    for (number, seconds, objective), *reached in zip(
        peer["path"], same["reached_at"], default["reached_at"], strict=True
    ):
        if number not in (5, 10, 20, 50, peer["path"][-1][0]):
            continue
        cells = [str(number), f"{objective:,.1f}", f"{seconds:.1f}"]
        for at, way in zip(reached, (same, default), strict=True):
            if at is None:
                cells += ["not reached", "", ""]
            else:
                there = at[1] + way["upload_s"]
                cells += [str(at[0]), f"{1e3 * at[1]:.1f}", f"{seconds / at[1]:,.0f}×, {seconds / there:,.0f}×"]
        rows.append(cells)
    headings = ["scikit-learn's iterations", "½‖X − WH‖²", "s", "the same steps: iterations", "ms", "sooner",
                "Quire's own: iterations", "ms", "sooner"]  # fmt: skip
    last, seconds, level = peer["path"][-1]
    whole = (
        "“Sooner” without and with X's way to the GPU (copied and transposed in "
        f"{1e3 * same['upload_s']:.0f} ms). The same steps are scikit-learn's: one sweep a half step, no "
        "extrapolation. Everything, from X in the host's memory to both factors there, with the last exact "
        "solve for W, takes "
        f"{1e3 * same['whole_s']:.0f} ms to the objective that scikit-learn has after {last} iterations and "
        f"{seconds:.1f} s: **{seconds / same['whole_s']:,.0f}×** sooner (bar: 500×)."
    )
    if default["reached_at"][-1] is None:
        whole += (
            " Quire's own steps, several sweeps and extrapolation, fall faster at first and here end in "
            f"another local optimum, after {default['iterations']} iterations and "
            f"{1e3 * default['loop_s']:.0f} ms, {default['end'] / level - 1:.1e} above scikit-learn's: they "
            "never reach its last objective from this start."
        )
    return f"{table(headings, rows)}\n\n{whole}"


def _iterations(results: dict[str, Any]) -> str:
    rows = []
    for size, name in (("100k", "100,000 × 50,000, 8 M values"), ("1M", "1,000,000 × 50,000, 60 M values")):
        said = results[size]
        share = (said["W_least_GB"] + said["H_least_GB"]) / results["copy_TB_s"] / said["both_half_steps_ms"]
        cusparse = f"{said['W_cusparse_product_ms']:.1f} + {said['H_cusparse_product_ms']:.1f}"
        rows.append([
            name, f"{said['W_ms']:.2f} + {said['H_ms']:.2f}", f"**{said['both_half_steps_ms']:.2f}**",
            f"{said['iteration_ms']:.2f}", cusparse, f"{share:.0%}",
            f"{said['W_gathered_TB_s']:.1f}, {said['H_gathered_TB_s']:.1f}",
            f"{said['W_kullback_leibler_ms']:.1f} + {said['H_kullback_leibler_ms']:.1f}",
        ])  # fmt: skip
    headings = ["X, k = 64", "half steps W + H, ms", "both", "whole iteration", "cuSPARSE's products alone",
                "share of the bandwidth", "TB/s gathered", "Kullback–Leibler half steps"]  # fmt: skip
    note = (
        "The share of the bandwidth is that of an ideal step, which reads X and both factors and writes one, "
        f"each once, at the {results['copy_TB_s']:.2f} TB/s of a copy. What bounds the step is another "
        "thing: a row of the other factor is gathered for every value of X, from the cache (TB/s gathered, "
        "in the products). Bar at the second size: both half steps in 12 ms."
    )
    return f"{table(headings, rows)}\n\n{note}"


def section(results: dict[str, Any], tests: str) -> str:
    same, many = results["agreement"], results["many"]
    agreed = (
        f"CPU and GPU from the same random start, 50 iterations: objectives differ by "
        f"{same['objectives_differ']:.1e} (bar 1e-4), {same['same_labels']:.2%} of the documents have the "
        f"same topic (bar 99 %); an iteration takes {same['quire_cpu_iteration_ms']:.0f} ms on the machine's "
        f"CPU and {same['quire_gpu_iteration_ms']:.2f} ms on its GPU."
    )
    together = (
        f"{many['starts']} starts of {many['iterations']} iterations, 18,846 × 40,000 with 2 M values, k = "
        f"{many['k']}: one after the other {many['apart']:.2f} s, together {many['together']:.2f} s "
        f"(**{many['apart'] / many['together']:.1f}×**), objectives the same to "
        f"{many['objectives_differ']:.0e}."
    )
    parts = [
        "## On a GPU",
        "`python benchmarks/gpu_vs_sklearn.py --json FILE` there, `--write FILE` here: generated documents, "
        f"64 topics, float32. Measured {results['when']} on one {results['gpu']}; {results['versions']}."
        + results.get("note", ""),
        "### Time to scikit-learn's objective",
        "100,000 × 50,000, 8 M values; both from the same NNDSVDa start.",
        _against(results) if "peer" in results else "",
        "### An iteration",
        _iterations(results),
        "### Agreement and several starts",
        agreed,
        together,
    ]
    if tests:
        parts += ["The tests of the GPU back end, on that machine:", f"```\n{tests.strip()}\n```"]
    return "\n\n".join(part for part in parts if part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=Path("gpu.json"))
    parser.add_argument("--without-sklearn", action="store_true")
    parser.add_argument("--iterations", type=int, default=100, help="of scikit-learn, at most")
    parser.add_argument("--seconds", type=float, default=600, help="for scikit-learn, about")
    parser.add_argument("--write", type=Path, help="results to write into the documentation")
    parser.add_argument("--tests", type=Path, help="with --write: what pytest said on that machine")
    options = parser.parse_args()
    if options.write:
        tests = options.tests.read_text() if options.tests else ""
        write_section("gpu", section(json.loads(options.write.read_text()), tests))
        return
    results = measured(options)
    if "peer" in results:
        sys.stdout.write(section(results, "") + "\n")


if __name__ == "__main__":
    main()
