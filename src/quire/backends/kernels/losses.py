"""The CPU kernels of the losses other than least squares.

What ``cpu.kernels`` says holds for them too; their twins are in ``reference.losses``.
"""

from __future__ import annotations

from typing import Any

from quire.backends.kernels.loss_simd import misfit, pull_is, pull_kl, renew_is, renew_kl


def rescale(
    indptr: Any, indices: Any, data: Any, B: Any, sums: Any, beta: float, l1: float, l2: float, floors: Any,
    F: Any, sweeps: int, patience: float, rows: Any, report: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Multiplicative updates of rows start:stop of F, several of a row while its rows of B are in cache.

    ``sums`` are those of B's columns. A row stops after ``sweeps`` sweeps, or once a sweep gains at most
    ``patience`` times what its first one did, which goes to the row's line of ``report``. ``rows`` (2 × k) is to
    work in.
    """
    k = F.shape[1]
    q, v = rows[0], rows[1]
    until = indptr[stop]
    for i in range(start, stop):
        enough = 0.0
        for s in range(sweeps):
            q[:] = 0
            if beta == 1:
                pull_kl(F, i * k, B, data, indices, indptr[i], indptr[i + 1], until, floors, q)
                gained = renew_kl(F, i * k, q, sums, l1, l2)
            else:
                v[:] = 0
                pull_is(F, i * k, B, data, indices, indptr[i], indptr[i + 1], until, floors, q, v)
                gained = renew_is(F, i * k, q, v, l1, l2)
            if s == 0:
                enough = patience * gained
                report[i, 0] = gained
            if gained <= enough:
                break


def divergence(
    indptr: Any, indices: Any, data: Any, B: Any, P: Any, beta: float, floors: Any, report: Any, start: int,
    stop: int,
) -> None:  # fmt: skip
    """Write to ``report`` what the entries of rows start:stop add to the divergence of X and P Bᵀ."""
    k, until = P.shape[1], indptr[stop]
    for i in range(start, stop):
        report[i, 0] = misfit(P, i * k, B, data, indices, indptr[i], indptr[i + 1], until, floors, beta == 1)
