"""The CUDA kernels, as text that is compiled on the machine with the GPU, once per width and dtype.

A group of LANES threads has one row. A lane holds QUADS × 4 of its numbers, in registers: the product p, the
factor's row f, the gradient g. The topic t is in lane (t / 4) mod LANES. LANES is a power of two, so that a
warp has whole groups; all threads of a warp take every shuffle together.

A row of X with many entries (a common word, in Xᵀ) is cut into pieces: ``add_pieces`` gives each a group of
its own, and the row's group adds up what they found, in their order, so that the same bits come out always.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from quire.ops.gpubeta import BETA_SOURCE

QUAD = 4  # numbers that are read at once
MOST_SHARED = 48 * 1024  # bytes of shared memory a block may have without asking


class Layout(NamedTuple):
    """How a row of a factor lies over the threads of a group.

    Examples
    --------
    >>> from quire.ops.gpukernels import layout
    >>> layout(64, 4)
    Layout(width=64, lanes=16, quads=1, threads=512, shared=16384)
    """

    width: int
    lanes: int
    quads: int
    threads: int
    shared: int
    """Bytes of shared memory for G; 0 where G is too large for it and is read through the cache."""

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.threads // self.lanes


def layout(k: int, itemsize: int) -> Layout:
    """Return the layout for k topics.

    Examples
    --------
    >>> from quire.ops.gpukernels import layout
    >>> layout(257, 4).width, layout(257, 4).lanes, layout(257, 4).quads
    (260, 32, 3)
    """
    quads = -(-k // QUAD)
    lanes = min(32, 1 << (quads - 1).bit_length())
    width, size = quads * QUAD, itemsize * (quads * QUAD) ** 2
    fits = size <= MOST_SHARED
    return Layout(width, lanes, -(-quads // lanes), 512 if fits else 256, size if fits else 0)


@cache
def kernels(shape: Layout, dtype: np.dtype[Any], device: int) -> Any:
    """Compile for one layout and dtype; CuPy keeps the machine code on disk.

    Examples
    --------
    >>> from quire.ops.gpukernels import SOURCE
    >>> "descend" in SOURCE
    True
    """
    import cupy

    real = "float" if dtype == np.float32 else "double"
    numbers = {
        "WIDTH": shape.width, "LANES": shape.lanes, "QUADS": shape.quads, "THREADS": shape.threads,
        "SHARED": int(shape.shared > 0),
    }  # fmt: skip
    options = ("--std=c++17", f"-DREAL={real}", *(f"-D{name}={value}" for name, value in numbers.items()))
    return cupy.RawModule(code=SOURCE + BETA_SOURCE, options=options)


SOURCE = r"""
typedef long long Long;
typedef REAL Row[QUADS][4];
const unsigned ALL = 0xffffffffu;
const int AT_ONCE = sizeof(REAL) == 4 ? 8 : 4;  // entries whose rows of B are on their way together

__device__ __forceinline__ void load(const float* from, float* to) {
    float4 t = __ldg((const float4*)from);
    to[0] = t.x; to[1] = t.y; to[2] = t.z; to[3] = t.w;
}
__device__ __forceinline__ void load(const double* from, double* to) {
    double2 a = __ldg((const double2*)from), b = __ldg((const double2*)from + 1);
    to[0] = a.x; to[1] = a.y; to[2] = b.x; to[3] = b.y;
}
__device__ __forceinline__ void load_shared(const float* from, float* to) {
    float4 t = *(const float4*)from;
    to[0] = t.x; to[1] = t.y; to[2] = t.z; to[3] = t.w;
}
__device__ __forceinline__ void load_shared(const double* from, double* to) {
    double2 a = *(const double2*)from, b = *((const double2*)from + 1);
    to[0] = a.x; to[1] = a.y; to[2] = b.x; to[3] = b.y;
}
__device__ __forceinline__ void store(float* to, const float* from) {
    *(float4*)to = make_float4(from[0], from[1], from[2], from[3]);
}
__device__ __forceinline__ void store(double* to, const double* from) {
    *(double2*)to = make_double2(from[0], from[1]);
    *((double2*)to + 1) = make_double2(from[2], from[3]);
}
__device__ __forceinline__ int column_of(int q, int lane) { return 4 * (q * LANES + lane); }
__device__ __forceinline__ bool within(int column) {
    return WIDTH == 4 * LANES * QUADS || column < WIDTH;
}
__device__ __forceinline__ void clear(Row row) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
        for (int c = 0; c < 4; ++c) row[q][c] = 0;
}
__device__ __forceinline__ void load_row(const REAL* from, int lane, Row row) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
        if (within(column_of(q, lane))) load(from + column_of(q, lane), row[q]);
}
__device__ __forceinline__ void store_row(REAL* to, int lane, Row row) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
        if (within(column_of(q, lane))) store(to + column_of(q, lane), row[q]);
}

// p += the sum of x_e B[j_e] over some entries; GUARDED for the last ones, which may be fewer.
template <bool GUARDED>
__device__ __forceinline__ void add_some(const int* indices, const REAL* data, const REAL* B, Long e,
                                         Long stop, int lane, Row p) {
    const REAL* at[AT_ONCE];
    REAL x[AT_ONCE];
#pragma unroll
    for (int u = 0; u < AT_ONCE; ++u) {
        bool there = !GUARDED || e + u < stop;
        at[u] = B + (there ? (Long)__ldg(indices + e + u) * WIDTH : 0);
        x[u] = there ? __ldg(data + e + u) : (REAL)0;
    }
#pragma unroll
    for (int q = 0; q < QUADS; ++q) {
        if (!within(column_of(q, lane))) continue;
        REAL b[AT_ONCE][4];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) {
            if (!GUARDED || e + u < stop) load(at[u] + column_of(q, lane), b[u]);
            else b[u][0] = b[u][1] = b[u][2] = b[u][3] = 0;
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u)
#pragma unroll
            for (int c = 0; c < 4; ++c) p[q][c] += x[u] * b[u][c];
    }
}
__device__ __forceinline__ void add_entries(const int* indices, const REAL* data, const REAL* B, Long e,
                                            Long stop, int lane, Row p) {
    for (; e + AT_ONCE <= stop; e += AT_ONCE) add_some<false>(indices, data, B, e, stop, lane, p);
    if (e < stop) add_some<true>(indices, data, B, e, stop, lane, p);
}

struct Side {  // X from one side, with the pieces of its long rows; or a product that is there already
    const Long* indptr;
    const int* indices;
    const REAL* data;
    const int* first_piece;
    const REAL* pieces;
    const REAL* ready;
};
#define SIDE const Long* indptr, const int* indices, const REAL* data, const int* first_piece, \
             const REAL* pieces, const REAL* ready
#define GIVEN Side{indptr, indices, data, first_piece, pieces, ready}

__device__ __forceinline__ void target(Side X, const REAL* B, Long row, int lane, Row p) {
    if (X.ready) return load_row(X.ready + row * WIDTH, lane, p);
    int piece = X.first_piece[row], last = X.first_piece[row + 1];
    if (piece == last) return add_entries(X.indices, X.data, B, X.indptr[row], X.indptr[row + 1], lane, p);
#pragma unroll 4
    for (; piece < last; ++piece) {
        Row one;
        clear(one);
        load_row(X.pieces + (Long)piece * WIDTH, lane, one);
#pragma unroll
        for (int q = 0; q < QUADS; ++q)
#pragma unroll
            for (int c = 0; c < 4; ++c) p[q][c] += one[q][c];
    }
}

// to += by * (row t of G)
__device__ __forceinline__ void add_gram_row(const REAL* G, int t, REAL by, int lane, Row to) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q) {
        if (!within(column_of(q, lane))) continue;
        REAL row[4];
        const REAL* at = G + t * WIDTH + column_of(q, lane);
#if SHARED
        load_shared(at, row);
#else
        load(at, row);
#endif
#pragma unroll
        for (int c = 0; c < 4; ++c) to[q][c] += by * row[c];
    }
}
__device__ __forceinline__ int owners(int q) {  // lanes that have topics in quad q
    return WIDTH / 4 - q * LANES < LANES ? WIDTH / 4 - q * LANES : LANES;
}
// to += f G
__device__ __forceinline__ void add_times_gram(const REAL* G, Row f, int lane, Row to) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
        for (int owner = 0; owner < owners(q); ++owner)
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                REAL value = __shfl_sync(ALL, f[q][c], owner, LANES);
                if (value != 0) add_gram_row(G, column_of(q, owner) + c, value, lane, to);
            }
}
__device__ __forceinline__ const REAL* held_gram(const REAL* G) {
#if SHARED
    extern __shared__ __align__(16) unsigned char memory[];
    REAL* held = (REAL*)memory;
    for (int i = threadIdx.x; i < WIDTH * WIDTH; i += THREADS) held[i] = G[i];
    __syncthreads();
    return held;
#else
    return G;
#endif
}
// Sum over the block in a fixed order.
__device__ __forceinline__ void say(double inner, double residual, double* report) {
    __shared__ double sums[THREADS / 32][2];
    for (int far = 16; far; far /= 2) {
        inner += __shfl_xor_sync(ALL, inner, far);
        residual += __shfl_xor_sync(ALL, residual, far);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32][0] = inner;
        sums[threadIdx.x / 32][1] = residual;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        double all = 0;
        for (int w = 0; w < THREADS / 32; ++w) all += sums[w][threadIdx.x];
        report[2 * (Long)blockIdx.x + threadIdx.x] = all;
    }
}
#define PLACE \
    const int lane = threadIdx.x % LANES; \
    const Long row = (Long)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;

extern "C" __global__ void __launch_bounds__(THREADS)
add_pieces(const Long* start, const Long* stop, const int* slot, const int* indices, const REAL* data,
           const REAL* B, REAL* out, int count) {
    PLACE
    if (row >= count) return;
    Row p;
    clear(p);
    add_entries(indices, data, B, start[row], stop[row], lane, p);
    store_row(out + (Long)slot[row] * WIDTH, lane, p);
}

extern "C" __global__ void __launch_bounds__(THREADS)
product(SIDE, const REAL* B, REAL* out, Long n_rows) {
    PLACE
    if (row >= n_rows) return;
    Row p;
    clear(p);
    target(GIVEN, B, row, lane, p);
    store_row(out + row * WIDTH, lane, p);
}

extern "C" __global__ void __launch_bounds__(THREADS)
multiply(SIDE, const REAL* B, const REAL* gram, REAL l1, REAL* F, double* report, Long n_rows) {
    PLACE
    const REAL* G = held_gram(gram);
    Row p, f, below;
    clear(p); clear(f); clear(below);
    if (row < n_rows) {
        target(GIVEN, B, row, lane, p);
        load_row(F + row * WIDTH, lane, f);
    }
    add_times_gram(G, f, lane, below);
    double inner = 0, residual = 0;
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            REAL divisor = below[q][c] + l1, old = f[q][c];
            f[q][c] = divisor > 0 ? old * p[q][c] / divisor : (REAL)0;
            inner += (double)f[q][c] * p[q][c];
            residual += (double)(old - f[q][c]) * (double)(divisor - p[q][c]);
        }
    if (row < n_rows) store_row(F + row * WIDTH, lane, f);
    say(inner, residual, report);
}

// One sweep of the group's row; returns the lane's share of what it gained. d = 0 for a row that is done.
__device__ __forceinline__ REAL sweep(const REAL* G, Row inverse, bool active, int lane, Row f, Row g) {
    REAL gained = 0;
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
        for (int owner = 0; owner < owners(q); ++owner)
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                REAL wanted = f[q][c] - g[q][c] * inverse[q][c];
                REAL mine = (wanted > 0 ? wanted : (REAL)0) - f[q][c];
                mine = active && inverse[q][c] > 0 ? mine : (REAL)0;
                REAL moved = __shfl_sync(ALL, mine, owner, LANES);
                if (moved != 0) {
                    int t = column_of(q, owner) + c;
                    add_gram_row(G, t, moved, lane, g);
                    if (lane == owner) {
                        f[q][c] = wanted > 0 ? wanted : (REAL)0;
                        gained += G[t * WIDTH + t] * moved * moved;
                    }
                }
            }
    return gained;
}

extern "C" __global__ void __launch_bounds__(THREADS)
descend(SIDE, const REAL* B, const REAL* gram, const REAL* inverses, REAL l1, int sweeps, REAL patience,
        REAL* F, double* report, Long n_rows) {
    PLACE
    const REAL* G = held_gram(gram);
    Row p, f, g, inverse;
    clear(p); clear(f); clear(inverse);
    bool active = row < n_rows;
    if (active) {
        target(GIVEN, B, row, lane, p);
        load_row(F + row * WIDTH, lane, f);
    }
    load_row(inverses, lane, inverse);
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
        for (int c = 0; c < 4; ++c) g[q][c] = l1 - p[q][c];
    __syncwarp();
    add_times_gram(G, f, lane, g);
    REAL enough = 0;
    double residual = 0, inner = 0;
    for (int s = 0; s < sweeps; ++s) {
        REAL gained = sweep(G, inverse, active, lane, f, g);
        if (s == 0) residual = gained;
        for (int far = LANES / 2; far; far /= 2) gained += __shfl_xor_sync(ALL, gained, far, LANES);
        if (s == 0) enough = patience * gained;
        active = active && gained > enough;
        if (!__any_sync(ALL, active)) break;
    }
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
        for (int c = 0; c < 4; ++c) inner += (double)f[q][c] * p[q][c];
    if (row < n_rows) store_row(F + row * WIDTH, lane, f);
    say(inner, residual, report);
}

// Sum what the blocks reported, in a fixed order: one block of 256 threads.
extern "C" __global__ void add_up(const double* report, int count, double* out) {
    __shared__ double sums[256][2];
    double inner = 0, residual = 0;
    for (int i = threadIdx.x; i < count; i += 256) {
        inner += report[2 * i];
        residual += report[2 * i + 1];
    }
    sums[threadIdx.x][0] = inner;
    sums[threadIdx.x][1] = residual;
    for (int far = 128; far; far /= 2) {
        __syncthreads();
        if (threadIdx.x < far)
            for (int i = 0; i < 2; ++i) sums[threadIdx.x][i] += sums[threadIdx.x + far][i];
    }
    if (threadIdx.x == 0) {
        out[0] = sums[0][0];
        out[1] = sums[0][1];
    }
}

extern "C" __global__ void extrapolate(const REAL* F, REAL* old, REAL beta, Long size) {
    for (Long i = (Long)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += (Long)gridDim.x * blockDim.x) {
        REAL next = F[i] + beta * (F[i] - old[i]);
        old[i] = next > 0 ? next : (REAL)0;
    }
}
"""
