"""The back end for X in row blocks: W lies beside its blocks, H here, and every step is one sweep.

A half step on W also tells XᵀW and WᵀW of the new rows, summed over the blocks: that is all the half step on
H needs, so an iteration reads X once, and what travels is H one way and those two sums the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.kernels.layout import WIDTH
from quire.backends.matrix import Progress, RowStep, Side, Small, TopicProjection
from quire.backends.opening import Holding
from quire.backends.reference.losses import nearest
from quire.backends.rows import block_tasks as tasks
from quire.backends.rows import row_tasks as rowtasks
from quire.places.codec import storable
from quire.places.parts import Blocks, KeptRows, scale_of
from quire.places.place import Handle

_SAFE = 1e-250  # a squared norm above it has all its digits
_SOLVED = 1e-6  # patience below which rows are solved for good, and nobody asks for XᵀW afterwards


@storable
@dataclass
class BlockFactor:
    """A factor of either side: an array here, rows kept beside the blocks of X, or a product to be made."""

    k: int
    whole: NDArray[Any] | None = None
    parts: list[Handle] | None = None
    of: NDArray[Any] | None = None
    """The H of which this is XHᵀ: made where it is needed, and never kept."""
    before: list[Handle] | None = None
    beta: float = 0.0
    """Stands for [F + beta (F − before)]₊ where it is above 0."""
    statistics: dict[str, Any] = field(default_factory=dict)
    """What the step that made it told: XᵀF, FᵀF, column sums."""

    def become(self, other: BlockFactor) -> None:
        """Stand for the same; what is kept is never changed, so it is not copied."""
        self.parts, self.of, self.before, self.beta = other.parts, other.of, other.before, other.beta
        self.whole = None if other.whole is None else other.whole.copy()
        self.statistics = dict(other.statistics)


class RowBlocks:
    """X in row blocks, to be used in a ``with`` block."""

    def __init__(self, X: Blocks, n_jobs: int | None = None) -> None:
        self.X, self.shape, self.dtype = X, X.shape, X.dtype
        self.scale = scale_of(X.largest)
        self._place = X.place
        self.squared_norm = self._squared_norm()
        self._terms = TermSide(X.shape[1], X.dtype, n_jobs)
        self._holding = Holding(n_jobs, X.place.device, self.scale, self._terms._team)
        self._crosses = True  # whether the last XᵀW that a step on W told was asked for

    def _squared_norm(self) -> float:
        """Return ‖X‖² of the X held; from its rows where that of the X given left the range of numbers."""
        if self.scale == 1 or _SAFE < self.X.squared_norm < 1 / _SAFE:
            return float(self.X.squared_norm / self.scale**4)
        return float(self.squared_rows().sum())

    def close(self) -> None:
        """End the threads; the blocks belong to their place."""
        self._terms.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- factors -----------------------------------------------------------------------------------------

    def factor(self, array: Any) -> BlockFactor:
        """Take an array of a row per document or per term; which of the two shows when it is used."""
        k = array.shape[1]
        if isinstance(array, KeptRows):
            kept = BlockFactor(k, parts=list(array.handles))
            return kept if self.scale == 1 else self._times(kept, np.full(k, 1 / self.scale))
        whole = np.asarray(array, self.dtype)
        if self.scale != 1:
            whole = whole / self.dtype.type(self.scale)
        if len(array) == self.shape[0] != self.shape[1]:
            return BlockFactor(k, parts=self._cut(whole))
        return BlockFactor(k, whole=self._terms.factor(whole))

    def array(self, factor: BlockFactor, k: int) -> Any:
        """Return an array, or for rows kept beside the blocks a :class:`KeptRows`, in the unit of X."""
        if factor.whole is not None:
            whole = factor.whole[:, :k]
            return np.array(whole * self.dtype.type(self.scale) if self.scale != 1 else whole, order="C")
        parts = self._parts(factor)
        if self.scale != 1:
            parts = self._parts(self._times(BlockFactor(factor.k, parts=parts), np.full(k, self.scale)))
        counts = [self._place.put(int(size)) for size in self.X.sizes]
        parts = self._place.sweep(rowtasks.filled_in, parts, counts, args=(k, self.dtype.str))[0]
        return KeptRows(self._place, parts, self.X.sizes, (self.shape[0], k), self.dtype)

    def duplicate(self, factor: BlockFactor) -> BlockFactor:
        """Return one that stands for the same."""
        new = BlockFactor(factor.k)
        new.become(factor)
        return new

    def copy(self, factor: BlockFactor, into: BlockFactor) -> None:
        """Let ``into`` stand for the same."""
        into.become(factor)

    def _parts(self, factor: BlockFactor) -> list[Handle]:
        """Return the rows by block, made where they were not."""
        if factor.of is not None:
            product = (factor.of, self._holding)
            factor.parts = self._place.sweep(tasks.multiplied, self.X.handles, args=product)[0]
            factor.of = None
        if factor.whole is not None:
            factor.parts = self._cut(factor.whole)
            factor.whole = None
        assert factor.parts is not None
        if factor.beta:
            before = factor.before or [None] * len(factor.parts)
            args = (factor.beta, self._holding)
            factor.parts = self._place.sweep(rowtasks.extrapolated, factor.parts, before, args=args)[0]
            factor.before, factor.beta = None, 0.0
        return factor.parts

    def _cut(self, whole: NDArray[Any]) -> list[Handle]:
        blocks = (whole[start:stop] for start, stop in zip(self.X.starts, self.X.starts[1:]))
        return [self._place.put(self._terms.padded(one)) if one.any() else None for one in blocks]

    def _here(self, factor: BlockFactor) -> NDArray[Any]:
        """Return a factor of terms, padded as kernels want it."""
        if factor.whole is None or len(factor.whole) != self.shape[1]:
            raise ValueError(f"A factor of {self.shape[1]} rows is needed for X of shape {self.shape}.")
        return factor.whole

    def _sent(self, factor: BlockFactor) -> NDArray[Any]:
        """Return a factor of terms as tasks take it, without padding."""
        return self._here(factor)[:, : factor.k]

    # -- small things ------------------------------------------------------------------------------------

    def gram(self, factor: BlockFactor, other: BlockFactor | None = None) -> Small:
        """FᵀF or FᵀB, in float64."""
        if factor.whole is not None and (other is None or other.whole is not None):
            G = self._terms.gram(factor.whole, None if other is None else other.whole)
            return G[: factor.k, : factor.k]
        if other is None and "gram" in factor.statistics:
            return np.asarray(factor.statistics["gram"])
        lists = [self._parts(one) for one in (factor, other) if one is not None]
        args = (factor.k, self.dtype.str, self._holding)
        task = rowtasks.gram if other is None else rowtasks.gram_of_two
        G = np.asarray(self._place.sweep(task, *lists, args=args)[1])
        if other is None:
            factor.statistics["gram"] = G
        return G

    def squared_rows(self) -> NDArray[np.float64]:
        """‖x‖² of every document."""
        _, squares = self._place.sweep(tasks.squaring, self.X.handles, args=(self.scale,))
        return np.concatenate(squares)

    def column_sums(self, factor: BlockFactor) -> NDArray[np.float64]:
        """Σ over the rows."""
        if factor.whole is not None:
            return self._terms.column_sums(factor.whole)
        if "sums" not in factor.statistics:
            factor.statistics["sums"] = self._place.sweep(rowtasks.sums, self._parts(factor), args=(factor.k,))[1]
        return np.asarray(factor.statistics["sums"])

    def scale_topics(self, factor: BlockFactor, by: NDArray[np.float64]) -> None:
        """Multiply the columns."""
        if factor.whole is not None:
            factor.whole[:, : len(by)] *= by.astype(self.dtype)
        else:
            factor.become(self._times(factor, by))

    def _times(self, factor: BlockFactor, by: NDArray[np.float64]) -> BlockFactor:
        parts = self._place.sweep(rowtasks.scaled, self._parts(factor), args=(by,))[0]
        return BlockFactor(factor.k, parts=parts)

    def extrapolate(self, factor: BlockFactor, old: BlockFactor, beta: float) -> None:
        """Let ``old`` stand for [F + beta (F − old)]₊; the step that follows makes the rows of it."""
        if factor.whole is not None:
            self._terms.extrapolate(factor.whole, self._here(old), beta)
            return
        before = self._parts(old)
        old.become(factor)
        if beta:
            old.before, old.beta, old.statistics = before, beta, {}

    # -- products and steps ------------------------------------------------------------------------------

    def product(self, side: Side, other: BlockFactor) -> BlockFactor:
        """X Hᵀ, not made before it is needed; or XᵀW, which the step that made W has told already."""
        if side == "W":
            return BlockFactor(other.k, of=self._sent(other).copy())
        return BlockFactor(other.k, whole=self._terms.padded(self._crossed(other)).copy())

    def _crossed(self, factor: BlockFactor) -> NDArray[Any]:
        """Return XᵀW, not to be changed: what the step that made W has told, or made now."""
        if "crossed" in factor.statistics:
            self._crosses = True
        else:
            args = (factor.k, self._holding)
            lists = self.X.handles, self._parts(factor)
            factor.statistics["crossed"] = self._place.sweep(tasks.crossing, *lists, args=args)[1]
        return np.asarray(factor.statistics["crossed"], self.dtype)

    def descend(
        self, side: Side, factor: BlockFactor, other: BlockFactor, G: Small, l1: float, sweeps: int,
        patience: float,
    ) -> Progress:  # fmt: skip
        """Coordinate descent on every row."""
        return self._step("descend", side, factor, other, (G, l1, sweeps, patience), patience > _SOLVED)

    def multiply(self, side: Side, factor: BlockFactor, other: BlockFactor, G: Small, l1: float) -> Progress:
        """Multiply every row."""
        return self._step("multiply", side, factor, other, (G, l1), True)

    def _step(
        self, name: str, side: Side, factor: BlockFactor, other: BlockFactor, arguments: Any, crosses: bool
    ) -> Progress:
        if side == "W":
            return self._half_step(factor, tasks.HalfStep(name, self._sent(other), arguments, crosses))
        P = self._terms.padded(self._crossed(other))
        return self._terms.step(name, self._here(factor), P, arguments)

    def _half_step(self, factor: BlockFactor, step: tasks.HalfStep) -> Progress:
        """Run a step on all rows of W; keep what it told."""
        before = factor.before or [None] * len(self.X.handles)
        beta, factor.beta = factor.beta, 0.0  # the step itself carries the rows on
        rows = self._parts(factor)
        step = replace(step, crosses=step.crosses and self._crosses)
        self._crosses = not step.crosses and self._crosses  # until somebody asks
        args = (beta, step, self._holding)
        parts, sums = self._place.sweep(tasks.half_step, self.X.handles, rows, before, args=args)
        inner, residual, crossed, told = sums
        factor.become(BlockFactor(factor.k, parts=parts))
        factor.statistics = {step.tells: told} | ({} if crossed is None else {"crossed": crossed})
        return Progress(float(inner), float(residual))

    def solve_rows(self, factor: BlockFactor, product: BlockFactor, G: Small, l1: float, total: float) -> Progress:
        """Solve every row exactly."""
        return self._by_product("solve_rows", factor, product, (G, l1, total))

    def by_rows(self, factor: BlockFactor, product: BlockFactor, k: int, step: RowStep) -> Progress:
        """Apply a step to rows of both."""
        return self._by_product("by_rows", factor, product, (k, step), getattr(step, "tells", "gram"))

    def _by_product(
        self, name: str, factor: BlockFactor, product: BlockFactor, arguments: tuple[Any, ...], tells: str = "gram"
    ) -> Progress:
        if product.of is not None:
            return self._half_step(factor, tasks.HalfStep(name, product.of, arguments, tells=tells))
        if factor.whole is not None and product.whole is not None:
            done: Progress = getattr(self._terms, name)(factor.whole, product.whole, *arguments)
            return done
        both = self._parts(factor), self._parts(product)
        parts, sums = self._place.sweep(rowtasks.stepped, *both, args=(name, arguments))
        factor.become(BlockFactor(factor.k, parts=parts))
        return Progress(*sums)

    def by_topics(self, factor: BlockFactor, product: BlockFactor, G: Small, project: TopicProjection) -> Progress:
        """Set one topic of terms after the other."""
        return self._terms.by_topics(self._here(factor), self._here(product), G, project)

    def rescale(
        self, side: Side, factor: BlockFactor, other: BlockFactor, beta: float, l1: float, l2: float,
        sweeps: int, patience: float,
    ) -> Progress:  # fmt: skip
        """Multiplicative updates for another loss."""
        if side == "W":
            step = tasks.HalfStep("rescale", self._sent(other), (beta, l1, l2, sweeps, patience), False)
            return self._half_step(factor, step)
        if beta != 1 or sweeps != 1:
            raise ValueError(
                "Topics by the Itakura-Saito divergence need X in memory: allow more, or take another loss."
            )
        H = self._sent(factor)
        args = (H, self._holding)
        target, totals = self._place.sweep(tasks.aiming, self.X.handles, self._parts(other), args=args)[1]
        new, cost = nearest(target, H, totals, l1, l2)
        tiny = np.finfo(self.dtype).tiny
        new[new < tiny] = 0
        gained = float(np.sum(cost * (new - H) * ((new - H) / np.maximum(H, tiny)), dtype=np.float64))
        H[:] = new
        return Progress(0.0, gained)

    def divergence(self, W: BlockFactor, H: BlockFactor, beta: float) -> float:
        """Return the divergence of X and WH."""
        args = (self._sent(H), beta, self._holding)
        return float(self._place.sweep(tasks.diverging, self.X.handles, self._parts(W), args=args)[1])


class TermSide(CpuMatrix):
    """H and the steps on it, given XᵀW."""

    def __init__(self, n_terms: int, dtype: np.dtype[Any], n_jobs: int | None) -> None:
        super().__init__(np.zeros((1, n_terms), dtype), n_jobs)
        self._given = np.zeros((0, 0), dtype)

    def _targets(self, side: Side, factor: NDArray[Any], other: NDArray[Any], fused: bool) -> NDArray[Any]:
        return self._given

    def step(self, name: str, factor: NDArray[Any], P: NDArray[Any], arguments: tuple[Any, ...]) -> Progress:
        """Change rows in place by ``descend`` or ``multiply``; both arrays are padded."""
        self._given = P
        done: Progress = getattr(self, name)("H", factor, factor[:1], *arguments)
        return done

    def padded(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array with the columns of zeros that kernels want; as it is where it has them."""
        ready = array.shape[1] % WIDTH == 0 and array.flags.c_contiguous and array.dtype == self.dtype
        return array if ready else self.factor(array)
